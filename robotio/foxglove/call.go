package foxglove

import (
	"context"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/dynamic"
)

// callTime limits a call, wall time; a guess.
const callTime = time.Minute

// call calls a service on a separate goroutine, so that a slow service delays nothing else.
func (x *session) call(b []byte) error {
	c, err := parseCall(b)
	if err != nil {
		return err
	}
	select {
	case x.calls <- struct{}{}:
	default:
		x.fail(c, fmt.Errorf("%d calls are in progress: must be at most %[1]d", cap(x.calls)))
		return nil
	}
	x.wait.Go(func() {
		defer func() { <-x.calls }()
		ctx, cancel := context.WithTimeout(x.client.Context(), callTime)
		defer cancel()
		if err := x.server.call(ctx, &c); err != nil {
			x.fail(c, err)
			return
		}
		x.client.Send(true, c.append([]byte{opServiceResponse}))
	})
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
	def, err := s.node.ServiceType(srv.Type)
	if err != nil {
		return err
	}
	req, resp, err := dynamic.CompileService(def)
	if err != nil {
		return err
	}
	switch c.encoding {
	case "ros1":
		err = req.Check(c.data)
	case "json":
		c.data, err = req.AppendROS(nil, c.data, s.clock.Now())
	default:
		err = fmt.Errorf("encoding = %.40q: must be ros1 or json", c.encoding)
	}
	if err != nil {
		return fmt.Errorf("service %s: %w", srv.Name, err)
	}
	if c.data, err = ros1.CallRaw(ctx, s.node, srv.Name, nil, c.data); err == nil && c.encoding == "json" {
		c.data, err = resp.AppendJSON(nil, c.data)
	}
	return err
}
