package robotio

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// checkWired returns an error if the action cut_wires has cut a robot's wires, or if the robot is absent. Then
// messages reach neither the robot nor its programs. For topics of the world, r is nil, and checkWired returns nil.
func (b *Bridge) checkWired(r *worlds.Robot) error {
	if r == nil || b.sim.Match().Wired(r.Name) {
		return nil
	}
	return fmt.Errorf("robot %s: its wires are cut (action cut_wires), or it is absent", r.Name)
}

// discard drops a message of a robot whose wires are cut. At speed "lockstep", a dropped command still counts as the
// program's answer to the clock, so each step keeps waiting for the program. Otherwise the first messages after the
// repair of the wires would depend on the speed of the program.
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
