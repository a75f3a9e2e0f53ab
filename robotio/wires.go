package robotio

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// cut returns why what a robot's programs send is not taken, and what it says does not reach them; nil while its wires
// are whole.
func (b *Bridge) cut(c *mapping.Context) error {
	if c.Robot == nil || b.sim.Wired(c.Robot.Name) {
		return nil
	}
	return fmt.Errorf("robot %s: its wires are cut (action cut_wires)", c.Robot.Name)
}

// discard drops a message of a robot whose wires are cut. A command answers the clock all the same at speed lockstep:
// steps wait for the program, and what it sends just after the wires are restored does not depend on how fast it is.
func (b *Bridge) discard(i *mapping.Instance, message []byte) {
	actions, err := i.Actions.Read(&i.Context, message)
	if err == nil && slices.ContainsFunc(actions, commands) {
		b.sim.Lockstep().Command(i.Context.Robot.Name)
	}
}

// commands tells whether an action changes a robot's command.
func commands(a action.Action) bool {
	c, ok := a.(action.Command)
	return ok && c.Change(new(physics.Command))
}
