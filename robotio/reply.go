package robotio

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// maxRequests is the largest number of messages that wait for the step in which they are answered. It is a guess.
const maxRequests = 64

// reply sets up a topic on which the messages of another topic are answered, with the next state of the simulation. A
// robot whose wires are cut does not answer.
func (b *Bridge) reply(n *node, i *mapping.Instance) error {
	pub, err := n.Advertise(i.Name, i.Topic, wire.PubOptions{})
	if err := b.closeLater(pub, err); err != nil {
		return err
	}
	asked := i.Answers()
	if len(asked) == 0 {
		return nil
	}
	var mu sync.Mutex
	var requests, spare [][]byte
	s, err := n.SubscribeOthers(asked[0].Name, asked[0].Topic, func(message []byte) error {
		if pub.NumSubscribers() == 0 || b.checkWired(i.Context.Robot) != nil {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if len(requests) == maxRequests {
			return fmt.Errorf("gets no reply: %d messages wait for one", maxRequests)
		}
		requests = append(requests, bytes.Clone(message))
		return nil
	})
	if err := b.closeLater(s, err); err != nil {
		return err
	}
	b.sim.OnStep(func(truth *physics.Snapshot) {
		mu.Lock()
		requests, spare = spare[:0], requests
		mu.Unlock()
		for _, request := range spare {
			c := i.Context
			c.Truth, c.Stamp = truth, truth.Time
			c.Answer = answer(asked, &c, request)
			pub.Publish(i.AppendReply(nil, &c, request))
		}
	})
	return nil
}

// answer returns the number of actions that the subscriptions of a topic make of a message and for which the world has
// the parts, or why they can make none.
func answer(asked []mapping.Instance, c *quantity.Context, message []byte) (a quantity.Answer) {
	for k := range asked {
		actions, err := asked[k].Actions.Read(c, message)
		for _, made := range actions {
			if made.Validate(c.World) == nil {
				a.Actions++
			}
		}
		a.Err = errors.Join(a.Err, err)
	}
	return a
}
