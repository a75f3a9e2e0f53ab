package ros2

import (
	"context"
	"errors"
	"net"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// ErrNoService means that nobody offers a service.
var ErrNoService = wire.ErrNoService

// caller calls one service with encoded requests.
type caller struct {
	entity
	servers *peers // that get the requests
	asker   asker  // of the transport
}

// asker sends an encoded request to a server, for which it waits, and returns the encoded answer.
type asker interface {
	ask(ctx context.Context, request []byte) ([]byte, error)
}

func newCaller(n *Node, name string, def *msg.ServiceDefinition) (*caller, error) {
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("service: %w", err)
	}
	c := &caller{entity: entity{node: n, name: full}, servers: newPeers()}
	return c, c.start(n.c.transport.client(c, def))
}

// call sends an encoded request and returns the encoded response, which up to 3 bytes may follow.
func (c *caller) call(ctx context.Context, request []byte) ([]byte, error) {
	b, err := c.asker.ask(ctx, request)
	if err != nil {
		return nil, c.errorf(err)
	}
	return b, nil
}

func (c *caller) errorf(err error) error { return c.node.errorf("service %s: %w", c.name, err) }

// await waits until found returns true. What it returns depends on the servers and on other peers.
func (c *caller) await(ctx context.Context, others *peers, found func() bool) error {
	for {
		servers, others := c.servers.wait(), others.wait()
		if found() {
			return nil
		}
		select {
		case <-servers:
		case <-others:
		case <-ctx.Done():
			return errors.Join(ErrNoService, ctx.Err())
		case <-c.node.c.ctx.Done():
			return net.ErrClosed
		}
	}
}

// receive waits for an answer. Answers are closed if there will be none.
func (c *caller) receive(ctx context.Context, answers <-chan []byte) ([]byte, error) {
	select {
	case b, ok := <-answers:
		if ok {
			return b, nil
		}
		if c.node.c.ctx.Err() == nil {
			return nil, errNoAnswer
		}
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.node.c.ctx.Done():
		return nil, net.ErrClosed
	}
}

// errNoAnswer means that a service has not answered a request, and will not.
var errNoAnswer = errors.New("no answer")

// Client calls one service.
type Client[Req, Resp any] struct {
	*caller
	codec *msg.ServiceCodec[Req, Resp]
}

// NewClient returns a client of the service with the given name and type. It returns an error if the name is invalid,
// if the context does not know the type, or if the Go types do not match the type.
func NewClient[Req, Resp any](n *Node, name, typ string) (*Client[Req, Resp], error) {
	codec, err := serviceCodec[Req, Resp](n, typ)
	if err != nil {
		return nil, n.errorf("service %s: %w", name, err)
	}
	raw, err := newCaller(n, name, codec.Def)
	if err != nil {
		return nil, err
	}
	return &Client[Req, Resp]{raw, codec}, nil
}

// Call calls the service. Several calls may run at the same time. Call waits for a provider until ctx ends, and then
// returns ErrNoService. It also returns an error if ctx ends before the provider answers.
func (c *Client[Req, Resp]) Call(ctx context.Context, req *Req) (*Resp, error) {
	b, err := c.caller.call(ctx, c.codec.Request.Append(nil, req))
	if err != nil {
		return nil, err
	}
	resp := new(Resp)
	if err := c.codec.Response.Decode(b, resp); err != nil {
		return nil, c.errorf(err)
	}
	return resp, nil
}

// Call calls a service once and returns its response. name is the name of the service, and typ is its type. It fails
// like NewClient and Client.Call.
func Call[Req, Resp any](ctx context.Context, n *Node, name, typ string, req *Req) (*Resp, error) {
	c, err := NewClient[Req, Resp](n, name, typ)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Call(ctx, req)
}

// CallRaw calls a service of type def once with an encoded request, and returns the encoded response, which up to 3
// bytes may follow. Both begin with the encapsulation of CDR. CallRaw fails like Call.
func CallRaw(ctx context.Context, n *Node, name string, def *msg.ServiceDefinition, request []byte) ([]byte, error) {
	c, err := newCaller(n, name, def)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.call(ctx, request)
}
