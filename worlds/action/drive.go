package action

import (
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// Drive sets the velocity that a robot is to drive at from the next step on: for a while, after which its player goes
// on or it rests, or for good, which ends its player.
type Drive struct {
	Robot string        `toml:"robot" required:"true"`
	VX    float64       `toml:"vx_m_s" range:"[-10000, 10000]" doc:"forward"`
	VY    float64       `toml:"vy_m_s" range:"[-10000, 10000]" doc:"to the left"`
	Omega float64       `toml:"omega_deg_s" range:"[-572957, 572957]" doc:"anticlockwise"`
	Stop  bool          `toml:"stop" doc:"stands still, whatever the rest says"`
	For   time.Duration `toml:"for_s" range:"[0, 1000000]" doc:"for how long; then its player goes on, or it rests. 0: until another command, and its player ends"`
}

func (d *Drive) Validate(w World) error { return validate(d, w) }

func (d *Drive) Do(s Simulation) error {
	if d.For == 0 {
		if err := s.Play(d.Robot, &player.Rest{}, false); err != nil {
			return err
		}
		return do(d, s)
	}
	// A robot's own program has its player end for good, as with all that it commands.
	if err := s.Command(d.Robot, func(*physics.Command) {}); err != nil {
		return err
	}
	var c physics.Command
	d.Change(&c)
	return s.Play(d.Robot, &player.Drive{Twist: c.TwistB, For: d.For}, true)
}

func (d *Drive) Anytime() bool            { return true }
func (d *Drive) Commands() (robot string) { return d.Robot }

func (d *Drive) Change(c *physics.Command) bool {
	c.TwistB = physics.PlanarTwist{VX: d.VX, VY: d.VY, Omega: d.Omega}
	if d.Stop {
		c.TwistB = physics.PlanarTwist{}
	}
	return true
}

// validate checks a command: its robot, and its numbers by the physics' own rules.
func validate(a Command, w World) error {
	if _, err := w.FindRobot(a.Commands()); err != nil {
		return wrong("robot", a.Commands(), err)
	}
	var c physics.Command
	a.Change(&c)
	return wrong("", nil, c.Validate())
}

// do has the next step take a command.
func do(a Command, s Simulation) error {
	return s.Command(a.Commands(), func(c *physics.Command) { a.Change(c) })
}
