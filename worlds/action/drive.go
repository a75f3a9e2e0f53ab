package action

import (
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// Drive sets the velocity of a robot, from the next step on. If a duration is given, the robot's player continues after
// that time; without a player the robot then stands still. If no duration is given, the robot's player ends.
type Drive struct {
	Robot string        `toml:"robot" required:"true"`
	VX    float64       `toml:"vx_m_s" range:"[-10000, 10000]" doc:"velocity forward"`
	VY    float64       `toml:"vy_m_s" range:"[-10000, 10000]" doc:"velocity to the left"`
	Omega float64       `toml:"omega_deg_s" range:"[-572957, 572957]" doc:"rate of turn, anticlockwise"`
	Stop  bool          `toml:"stop" doc:"stops the robot, whatever the other fields say"`
	For   time.Duration `toml:"for_s" range:"[0, 1000000]" doc:"duration; then the robot's player continues, or it rests. 0 lasts until another command, and ends its player"`
}

func (d *Drive) Validate(w World) error { return validate(d, w) }

func (d *Drive) Do(s Simulation) error {
	if d.For == 0 {
		if err := s.Play(d.Robot, &player.Rest{}, false); err != nil {
			return err
		}
		return giveCommand(d, s)
	}
	// This command of the robot's own program changes nothing, but like every such command it ends the robot's player
	// for good.
	if err := s.Command(d.Robot, func(*physics.Command) {}); err != nil {
		return err
	}
	var c physics.Command
	d.Change(&c)
	return s.Play(d.Robot, &player.Drive{Twist: c.TwistB, For: d.For}, true)
}

func (d *Drive) Commands() (robot string) { return d.Robot }

func (d *Drive) Change(c *physics.Command) bool {
	c.TwistB = physics.PlanarTwist{VX: d.VX, VY: d.VY, Omega: d.Omega}
	if d.Stop {
		c.TwistB = physics.PlanarTwist{}
	}
	return true
}

// validate checks a command: whether its robot exists, and whether its numbers satisfy the rules of package physics.
func validate(a Command, w World) error {
	if _, err := w.FindRobot(a.Commands()); err != nil {
		return violation("robot", a.Commands(), err)
	}
	var c physics.Command
	a.Change(&c)
	return violation("", nil, c.Validate())
}

// giveCommand makes a command take effect in the next step.
func giveCommand(a Command, s Simulation) error {
	return s.Command(a.Commands(), func(c *physics.Command) { a.Change(c) })
}
