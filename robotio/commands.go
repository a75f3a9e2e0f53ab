package robotio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/worlds/command"
)

// subscribe sets up a topic with commands for a robot, one of its cameras, or the world.
func (b *Bridge) subscribe(n *node, i *mapping.Instance) error {
	c := &i.Context
	var acks *acks
	if c.Robot != nil {
		acks = b.acks[c.Robot.Name]
	}
	taken := &commandTopic{Instance: i, node: n.Node}
	s, err := n.SubscribeOthers(i.Name, i.Topic, func(message []byte) error {
		if b.checkWired(c.Robot) != nil {
			b.discard(i, message)
		} else {
			now := b.sim.Clock().Time()
			if err := b.execute(i, message); err != nil {
				b.refused(fmt.Errorf("%s: %w", i.Name, err))
			}
			taken.flow.count(now, now)
		}
		if acks != nil {
			acks.countCommand()
		}
		return nil
	})
	if err == nil {
		taken.sub = s
		b.mu.Lock()
		b.taken = append(b.taken, taken)
		b.mu.Unlock()
	}
	if err == nil && !n.watched[i.Name] { // robots may share a topic, so report its publishers only once
		n.watched[i.Name] = true
		s.OnMismatch(b.mismatched)
	}
	if err == nil && c.Robot != nil && c.Sensor == nil {
		b.commands[c.Robot.Name] = append(b.commands[c.Robot.Name], s)
	}
	return b.closeLater(s, err)
}

// execute reads a message and executes the actions that the message causes.
func (b *Bridge) execute(i *mapping.Instance, message []byte) error {
	actions, err := i.Actions.Read(&i.Context, message)
	if err != nil {
		return err
	}
	err = b.sim.Post(b.late(i), actions...)
	b.newest.refreshAfter(b.sim, actions)
	return err
}

// late returns a function that reports the errors of actions that are executed after their message has been read.
func (b *Bridge) late(i *mapping.Instance) func(error) {
	return func(err error) {
		if err != nil {
			b.refused(fmt.Errorf("%s: %w", i.Name, err))
		}
	}
}

// serve sets up a service or an action of a profile.
func (b *Bridge) serve(n *node, i *mapping.Instance) error {
	if i.Action != nil {
		return b.serveAction(n, i)
	}
	return b.closeLater(n.Serve(i.Name, i.Service, func(ctx context.Context, request, out []byte) ([]byte,
		error) {
		if err := b.checkWired(i.Context.Robot); err != nil {
			return out, err
		}
		c := i.Context
		c.Stamp = b.sim.Clock().Time()
		var outcome command.Outcome
		c.Truth = b.newest.state(ctx, b.sim)
		actions, err := i.Actions.Read(&c, request)
		if i.Refuse != "" {
			err = errors.New(i.Refuse)
		}
		if err == nil {
			outcome, err = b.sim.Ask(ctx, b.late(i), actions...)
			b.newest.refreshAfter(b.sim, actions)
		}
		c.Truth = b.newest.state(ctx, b.sim)
		if err == nil && i.Choice != nil {
			err = i.Choice.Choose(&c, request)
		}
		if err != nil && !i.OwnErrors {
			return out, err
		}
		c.Answer = quantity.Answer{Holding: outcome.Holding, Reachable: outcome.Reachable, Kicked: outcome.Kicked,
			Err: err}
		return i.Template.Append(out, &c), nil
	}))
}

// callTime is the maximum wall time of a call to another node's service. 2 s is a guess with a wide margin: a referee
// answers within milliseconds.
const callTime = 2 * time.Second

// call sets up a service of another node that the simulator calls whenever a quantity changes. A separate goroutine
// makes the calls, so that the simulation does not wait for a slow server. If the quantity changes several times during
// one call, only the newest value is sent next.
func (b *Bridge) call(n *node, i *mapping.Instance) error {
	c := &i.Context
	requests := make(chan []byte, 1)
	last := math.NaN()
	b.sim.OnStep(func(truth *physics.Snapshot) {
		c.Truth, c.Stamp = truth, truth.Time
		now := i.On(c)
		if now == last || b.checkWired(c.Robot) != nil {
			return
		}
		first := math.IsNaN(last)
		last = now
		if first || b.ctx.Err() != nil {
			return
		}
		select {
		case <-requests:
		default:
		}
		requests <- i.Template.Append(nil, c)
	})
	b.calls.Go(func() {
		for {
			select {
			case <-b.ctx.Done():
				return
			case r := <-requests:
				ctx, cancel := context.WithTimeout(b.ctx, callTime)
				_, err := n.Call(ctx, i.Name, i.Service, r)
				cancel()
				if err != nil && !errors.Is(err, wire.ErrNoService) && b.ctx.Err() == nil {
					b.refused(err)
				}
			}
		}
	})
	return nil
}
