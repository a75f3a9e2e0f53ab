package robotio

import (
	"errors"

	"github.com/omnipitch/omnipitch/robotio/mapping"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// reply sets up a topic on which the messages of another topic are answered. A robot whose wires are cut does not
// answer.
func (b *Bridge) reply(n *node, i *mapping.Instance) error {
	pub, err := n.Advertise(i.Name, i.Topic, wire.PubOptions{})
	if err := b.closeLater(pub, err); err != nil {
		return err
	}
	asked := i.Answers()
	if len(asked) == 0 {
		return nil
	}
	s, err := n.SubscribeOthers(asked[0].Name, asked[0].Topic, func(message []byte) error {
		if b.checkWired(i.Context.Robot) == nil {
			c := i.Context
			c.Truth, c.Stamp = b.newest.state(b.ctx, b.sim), b.sim.Clock().Time()
			c.Answer = quantity.Answer{Err: misread(asked, &c, message)}
			pub.Publish(i.AppendReply(nil, &c, message))
		}
		return nil
	})
	return b.closeLater(s, err)
}

// misread returns why subscriptions of a topic can make no action of a message.
func misread(asked []mapping.Instance, c *quantity.Context, message []byte) error {
	var errs []error
	for k := range asked {
		_, err := asked[k].Actions.Read(c, message)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
