package rosbridge

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// advert is a topic that a client publishes, with the ids of its advertisements.
type advert struct {
	*web.Advert
	ids map[string]struct{}
}

func (x *session) advertise(r *request) error {
	if a := x.adverts[r.Topic]; a != nil {
		if r.Type != "" && a.Codec.Def().Name != r.Type {
			return fmt.Errorf("topic %s: type = %.80q: must be %s, the type of the first advertisement", r.Topic,
				r.Type, a.Codec.Def().Name)
		}
		if len(a.ids) >= x.client.Limits().Subscriptions {
			return fmt.Errorf("topic %s: %d advertisements: must be at most %[2]d", r.Topic, len(a.ids))
		}
		a.ids[r.id()] = struct{}{}
		return nil
	}
	_, err := x.newAdvert(r)
	return err
}

func (x *session) newAdvert(r *request) (*advert, error) {
	if most := x.client.Limits().Subscriptions; len(x.adverts) >= most {
		return nil, fmt.Errorf("topic %s: %d topics are advertised: must be at most %d", r.Topic, len(x.adverts), most)
	}
	def, err := x.messageType(r.Topic, r.Type)
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", r.Topic, err)
	}
	pub, err := x.server.Advertise(r.Topic, def, ros1.PubOptions{Queue: boundedCount(r.QueueSize), Latch: r.Latch})
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", r.Topic, err)
	}
	a := &advert{pub, map[string]struct{}{r.id(): {}}}
	x.adverts[r.Topic] = a
	return a, nil
}

// messageType returns the definition of a type. An empty type means the topic's type in the graph.
func (x *session) messageType(topic, typ string) (*msg.Definition, error) {
	n, ctx := x.server.Node, x.client.Context()
	if typ != "" {
		if def, err := n.MessageType(typ); err == nil {
			return def, nil
		}
	}
	g, err := n.Graph(ctx)
	if err != nil {
		return nil, err
	}
	if typ == "" {
		if typ = g.Types[x.resolve(topic)]; typ == "" || typ == "*" {
			return nil, fmt.Errorf("type: must be given, because the topic is unknown")
		}
		if def, err := n.MessageType(typ); err == nil {
			return def, nil
		}
	}
	return web.FindType(ctx, n, g, typ)
}

func (x *session) unadvertise(r *request) error {
	a := x.adverts[r.Topic]
	if a == nil {
		return fmt.Errorf("topic %s: is not advertised", r.Topic)
	}
	if id := r.id(); id == "" {
		clear(a.ids)
	} else if _, ok := a.ids[id]; ok {
		delete(a.ids, id)
	} else {
		return fmt.Errorf("topic %s: id = %.80s: no such advertisement", r.Topic, id)
	}
	if len(a.ids) == 0 {
		a.Close()
		delete(x.adverts, r.Topic)
	}
	return nil
}

func (x *session) publish(r *request) error {
	a := x.adverts[r.Topic]
	if a == nil {
		var err error
		if a, err = x.newAdvert(r); err != nil {
			return err
		}
	}
	if len(r.Msg) == 0 {
		r.Msg = []byte("{}")
	}
	if err := a.Publish(r.Msg, false); err != nil {
		return fmt.Errorf("topic %s: %w", r.Topic, err)
	}
	return nil
}
