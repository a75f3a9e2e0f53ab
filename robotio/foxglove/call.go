package foxglove

import (
	"context"
	"fmt"
	"time"
)

// callTime limits a call, wall time; a guess.
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

// call calls the service of c and replaces the request in c by the response.
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
