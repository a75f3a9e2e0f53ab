package action

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics"
)

// Extend makes a goalkeeper extend itself, from the next step on. The rules of play limit how long it may stay
// extended.
type Extend struct {
	Robot string `toml:"robot" required:"true"`
	To    string `toml:"to" required:"true" oneof:"in|left|right|up"`
}

func (e *Extend) Validate(w World) error {
	r, err := w.FindRobot(e.Robot)
	if err == nil && r.Extension == nil && e.To != "in" {
		err = errors.New("has no extension")
	}
	return violation("robot", e.Robot, err)
}

func (e *Extend) Do(s Simulation) error    { return giveCommand(e, s) }
func (e *Extend) Commands() (robot string) { return e.Robot }

func (e *Extend) Change(c *physics.Command) bool {
	c.Extend = map[string]physics.ExtensionState{
		"in": physics.NotExtended, "left": physics.ExtendLeft, "right": physics.ExtendRight, "up": physics.ExtendUp,
	}[e.To]
	return true
}
