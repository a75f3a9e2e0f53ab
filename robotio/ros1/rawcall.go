package ros1

import (
	"context"
	"errors"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// ServiceHeader is what a provider says about its service.
type ServiceHeader struct{ Type, MD5 string }

// ProbeService asks the provider of the service name for its type. It fails with ErrNoService where nobody provides
// it, and when ctx ends.
func ProbeService(ctx context.Context, n *Node, name string) (ServiceHeader, error) {
	full, err := n.resolve(name)
	if err != nil {
		return ServiceHeader{}, n.errorf("service: %w", err)
	}
	conn, _, theirs, err := n.dialService(ctx, header{"service": full, "md5sum": "*", "probe": "1"})
	if err != nil {
		return ServiceHeader{}, n.errorf("service %s: %w", full, errors.Join(ctx.Err(), err))
	}
	n.untrack(conn)
	return ServiceHeader{theirs["type"], theirs["md5sum"]}, nil
}

// anyService is the definition that fits every service.
var anyService = &msg.ServiceDefinition{Name: "*", MD5: "*"}

// CallRaw calls the service name once with an encoded request and returns the encoded response. The provider must have
// the type def; nil takes any. It fails as Call does.
func CallRaw(ctx context.Context, n *Node, name string, def *msg.ServiceDefinition, request []byte) ([]byte, error) {
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("service: %w", err)
	}
	if def == nil {
		def = anyService
	}
	c := &caller{node: n, name: full, def: def, once: true}
	defer c.close()
	response, err := c.call(ctx, func(b []byte) []byte { return append(b, request...) })
	if err != nil {
		return nil, n.errorf("service %s: %w", full, err)
	}
	return response, nil
}

// ServeRaw answers calls of the service name, of the type def, with f, which gets the encoded request and appends the
// encoded response to out. For the rest it is as Serve.
func ServeRaw(n *Node, name string, def *msg.ServiceDefinition, f func(ctx context.Context, request, out []byte) ([]byte, error)) (*Service, error) {
	s, err := n.serveService(name, def, f)
	if err != nil {
		return nil, err
	}
	return &Service{s}, nil
}
