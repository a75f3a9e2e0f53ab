package foxglove

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// advert is a topic that a client publishes.
type advert struct {
	*web.Advert
	topic   string
	encoded bool // whether messages are in the encoding of ROS; otherwise they are in JSON
}

// advertise advertises all channels that it can and joins the errors of the others.
func (x *session) advertise(r *request) error {
	var errs []error
	for _, c := range r.Channels {
		if err := x.advertiseOne(c); err != nil {
			errs = append(errs, fmt.Errorf("topic %s: %w", c.Topic, err))
		}
	}
	return errors.Join(errs...)
}

func (x *session) advertiseOne(c channel) error {
	if x.adverts[c.ID] != nil {
		return fmt.Errorf("channel %d: is advertised already", c.ID)
	}
	if most := x.client.Limits().Subscriptions; len(x.adverts) >= most {
		return fmt.Errorf("%d channels are advertised: must be at most %d", len(x.adverts), most)
	}
	if c.Encoding != "ros1" && c.Encoding != "json" {
		return fmt.Errorf("encoding = %.40q: must be ros1 or json", c.Encoding)
	}
	def, err := x.definition(c)
	if err != nil {
		return err
	}
	pub, err := x.server.Advertise(c.Topic, def, ros1.PubOptions{})
	if err != nil {
		return err
	}
	x.adverts[c.ID] = &advert{pub, c.Topic, c.Encoding == "ros1"}
	return nil
}

// definition returns the definition of a client's messages. It comes from the client's schema, or from the library if
// there is no schema.
func (x *session) definition(c channel) (*msg.Definition, error) {
	if c.SchemaEncoding == "ros1msg" && c.Schema != "" {
		return msg.ParseFull(c.SchemaName, c.Schema)
	}
	g, err := x.server.Node.Graph(x.client.Context())
	if err != nil {
		return nil, err
	}
	return web.FindType(x.client.Context(), x.server.Node, g, c.SchemaName)
}

func (x *session) unadvertise(r *request) error {
	var errs []error
	for _, id := range r.ChannelIDs {
		a := x.adverts[id]
		if a == nil {
			errs = append(errs, fmt.Errorf("channel %d: is not advertised", id))
			continue
		}
		a.Close()
		delete(x.adverts, id)
	}
	return errors.Join(errs...)
}

// publish publishes a client's message after checking that it is complete.
func (x *session) publish(id uint32, b []byte) error {
	a := x.adverts[id]
	if a == nil {
		return fmt.Errorf("publish: channel %d: is not advertised", id)
	}
	if err := a.Publish(b, a.encoded); err != nil {
		return fmt.Errorf("publish: topic %s: %w", a.topic, err)
	}
	return nil
}

// callTime is the maximum wall time of a call; a guess.
const callTime = time.Minute

// call calls a service.
func (x *session) call(b []byte) error {
	c, err := parseCall(b)
	if err != nil {
		return err
	}
	err = x.client.Call(callTime, func(ctx context.Context) {
		if err := x.server.call(ctx, &c); err != nil {
			x.fail(c, err)
			return
		}
		x.client.Send(true, c.append([]byte{opServiceResponse}))
	})
	if err != nil {
		x.fail(c, err)
	}
	return nil
}

// fail answers a call with an error.
func (x *session) fail(c call, err error) {
	x.client.Send(false, encode(failure{"serviceCallFailure", c.service, c.id, err.Error()}))
}

// call calls the service that c names and replaces the request in c by the response.
func (s *Server) call(ctx context.Context, c *call) error {
	srv := s.catalog.service(c.service)
	if srv == nil {
		return fmt.Errorf("service %d: is not advertised", c.service)
	}
	if c.encoding != "ros1" && c.encoding != "json" {
		return fmt.Errorf("service %s: encoding = %.40q: must be ros1 or json", srv.Name, c.encoding)
	}
	def, err := s.Node.ServiceType(srv.Type)
	if err == nil {
		c.data, err = s.CallService(ctx, srv.Name, def, c.data, c.encoding == "ros1")
	}
	return err
}
