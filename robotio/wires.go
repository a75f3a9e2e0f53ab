package robotio

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// checkWired returns an error if action cut_wires has cut a robot's wires. While they are cut, messages reach neither
// the robot nor its programs. The robot is nil for topics of the world.
func (b *Bridge) checkWired(r *worlds.Robot) error {
	if r == nil || b.sim.Match().Wired(r.Name) {
		return nil
	}
	return fmt.Errorf("robot %s: its wires are cut (action cut_wires)", r.Name)
}

// discard drops a message of a robot whose wires are cut. At speed lockstep, a command still counts as the answer to
// the clock: the steps wait for the program, so its first messages after the wires are restored do not depend on how
// fast the program runs.
func (b *Bridge) discard(i *mapping.Instance, message []byte) {
	actions, err := i.Actions.Read(&i.Context, message)
	if err == nil && slices.ContainsFunc(actions, changesCommand) {
		b.sim.Clock().Lockstep().Command(i.Context.Robot.Name)
	}
}

// changesCommand reports whether an action changes a robot's command.
func changesCommand(a action.Action) bool {
	c, ok := a.(action.Command)
	return ok && c.Change(new(physics.Command))
}
