package action

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Dribble switches a robot's dribbler on or off, from the next step on. While the dribbler is on, the robot holds a
// ball that is within reach.
type Dribble struct {
	Robot      string  `toml:"robot" required:"true"`
	Enable     bool    `toml:"enable"`
	Reach      float64 `toml:"reach_m" range:"[0, 2]" doc:"largest distance of the ball's centre from the robot's origin, on the floor, at which the robot takes the ball; 0 is the reach of its dribbler"`
	ReachAngle float64 `toml:"reach_angle_deg" range:"[0, 180]" doc:"largest bearing of the ball at which the robot takes it, to either side; 0 is any"`
}

func (d *Dribble) Validate(w World) error {
	if r, err := w.FindRobot(d.Robot); err == nil && r.Dribbler == nil && d.Enable {
		return violation("robot", d.Robot, errors.New("has no dribbler"))
	}
	if err := validateReach(d.Reach, d.ReachAngle); err != nil {
		return err
	}
	return validate(d, w)
}

// validateReach returns an error if the angle of the reach is given without the distance.
func validateReach(reach, angle float64) error {
	if angle != 0 && reach == 0 {
		return violation("reach_angle_deg", angle/spatial.Degree, errors.New("needs reach_m"))
	}
	return nil
}

func (d *Dribble) Do(s Simulation) error    { return giveCommand(d, s) }
func (d *Dribble) Commands() (robot string) { return d.Robot }

func (d *Dribble) Change(c *physics.Command) bool {
	c.Dribble, c.Reach = d.Enable, physics.Reach{Distance: d.Reach, Angle: d.ReachAngle}
	return true
}
