package robotio

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// errNoBall is the error of a goal that asks for a kick of a ball that the robot cannot reach.
var errNoBall = errors.New("the robot has no ball within reach")

// serveAction sets up an action of a profile.
func (b *Bridge) serveAction(n *node, i *mapping.Instance) error {
	now := func() msg.Time { return msg.TimeFrom(b.sim.Clock().Time()) }
	return b.closeLater(n.ServeAction(i.Name, i.Action, now, func(goal []byte) (wire.Execution, error) {
		if err := b.checkWired(i.Context.Robot); err != nil {
			return nil, err
		}
		actions, err := i.Actions.Read(&i.Context, goal)
		if i.Refuse != "" {
			err = errors.New(i.Refuse)
		}
		if err != nil {
			return nil, err
		}
		for _, a := range actions {
			if err := errors.Join(action.Check(a), a.Validate(b.sim.World())); err != nil {
				return nil, err
			}
		}
		goal = bytes.Clone(goal)
		return func(ctx context.Context, feedback func([]byte)) ([]byte, error) {
			return b.pursue(ctx, i, goal, actions, feedback)
		}, nil
	}))
}

// pursue carries out the actions of a goal, and returns its result. The next step takes commands that were given, so
// pursue waits for it even if a client cancels the goal. Of a motion of joints it waits for the end.
func (b *Bridge) pursue(ctx context.Context, i *mapping.Instance, goal []byte, actions []action.Action,
	feedback func([]byte)) ([]byte, error) {
	outcome, err := b.sim.Ask(b.ctx, b.late(i), actions...)
	b.newest.refreshAfter(b.sim, actions)
	robot, motion := b.motionOf(actions)
	if err == nil && motion != physics.Controllable && (motion == physics.Animating || outcome.Reachable) {
		err = b.followMotion(ctx, i, robot, motion, feedback)
	} else if err == nil && !outcome.Kicked && slices.ContainsFunc(actions, func(a action.Action) bool {
		_, kick := a.(*action.Kick)
		return kick
	}) {
		err = errNoBall
	}
	c := i.Context
	c.Stamp, c.Truth = b.sim.Clock().Time(), b.newest.state(b.ctx, b.sim)
	if err == nil && i.Choice != nil {
		err = i.Choice.Choose(&c, goal)
	}
	c.Answer = quantity.Answer{Holding: outcome.Holding, Reachable: outcome.Reachable, Kicked: outcome.Kicked, Err: err}
	return i.Template.Append(nil, &c), err
}
