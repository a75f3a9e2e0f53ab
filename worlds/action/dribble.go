package action

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics"
)

// Dribble says whether a robot is to hold the ball, when it is within reach, from the next step on.
type Dribble struct {
	Robot  string `toml:"robot" required:"true"`
	Enable bool   `toml:"enable"`
}

func (d *Dribble) Validate(w World) error {
	if r, err := w.FindRobot(d.Robot); err == nil && r.Dribbler == nil {
		return wrong("robot", d.Robot, errors.New("has no dribbler"))
	}
	return validate(d, w)
}

func (d *Dribble) Do(s Simulation) error    { return do(d, s) }
func (d *Dribble) Anytime() bool            { return true }
func (d *Dribble) Commands() (robot string) { return d.Robot }

func (d *Dribble) Change(c *physics.Command) bool {
	c.Dribble = d.Enable
	return true
}
