package ros1

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// ErrNoService says that a service has no provider.
var ErrNoService = errors.New("no provider")

// Call calls the service name of type typ once, and returns its response. It fails with ErrNoService if there is no
// provider, with the provider's text if it refuses or fails, and when ctx ends.
func Call[Req, Resp any](ctx context.Context, n *Node, name, typ string, req *Req) (*Resp, error) {
	c, err := NewClient[Req, Resp](n, name, typ)
	if err != nil {
		return nil, err
	}
	c.once = true
	defer c.Close()
	return c.Call(ctx, req)
}

// Client calls one service over a persistent connection. It connects at the first call, and again after a failure.
type Client[Req, Resp any] struct {
	caller
	plan *srvPlan[Req, Resp]
	mu   sync.Mutex // held during a call
}

// caller is the part of a client that does not depend on Go types.
type caller struct {
	node *Node
	name string
	def  *msg.ServiceDefinition
	once bool // one call only: the connection is not persistent

	conn *net.TCPConn
	r    *bufio.Reader
	buf  []byte
}

// NewClient returns a client of the service name of type typ. It does not connect yet. It fails if the name is invalid,
// if the node does not know the type, and if the Go types do not match it.
func NewClient[Req, Resp any](n *Node, name, typ string) (*Client[Req, Resp], error) {
	plan, err := serviceCodec[Req, Resp](n, typ)
	if err != nil {
		return nil, n.errorf("service %s: %w", name, err)
	}
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("service: %w", err)
	}
	return &Client[Req, Resp]{caller: caller{node: n, name: full, def: plan.def}, plan: plan}, nil
}

// Call calls the service. Concurrent calls wait for each other. It fails as the function Call does. After a failed
// connection, the next call connects again. No call is sent twice.
func (c *Client[Req, Resp]) Call(ctx context.Context, req *Req) (*Resp, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := c.call(ctx, func(b []byte) []byte { return c.plan.req.Append(b, req) })
	resp := new(Resp)
	if err == nil {
		err = c.plan.resp.Decode(b, resp)
	}
	if err != nil {
		return nil, c.node.errorf("service %s: %w", c.name, err)
	}
	return resp, nil
}

// call sends a request, which fill appends, and returns the encoded response, which is valid until the next call.
func (c *caller) call(ctx context.Context, fill func([]byte) []byte) ([]byte, error) {
	if c.conn == nil {
		if err := c.connect(ctx); err != nil {
			return nil, err
		}
	}
	conn := c.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	ok, err := c.exchange(fill)
	stopped := stop()
	if err != nil || !stopped {
		c.close()
		return nil, errors.Join(ctx.Err(), err)
	}
	if !ok {
		return nil, fmt.Errorf("provider failed: %s", c.buf)
	}
	return c.buf, nil
}

// exchange sends a request and reads the answer into c.buf.
func (c *caller) exchange(fill func([]byte) []byte) (ok bool, err error) {
	b := fill(append(c.buf[:0], 0, 0, 0, 0))
	le.PutUint32(b, uint32(len(b)-4))
	if _, err := c.conn.Write(b); err != nil {
		return false, err
	}
	status, err := c.r.ReadByte()
	if err != nil {
		return false, err
	}
	c.buf, err = tcpros.ReadBlock(c.r, b, c.node.maxMessage)
	return status != 0, err
}

// connect asks the master for the provider, connects to it and exchanges headers.
func (c *caller) connect(ctx context.Context) error {
	def := c.def
	conn, r, theirs, err := c.node.dialService(ctx, tcpros.Header{"service": c.name, "md5sum": def.MD5,
		"type":       def.Name,
		"persistent": bit(!c.once)})
	if err != nil {
		return err
	}
	if def != anyService && !matches(theirs["md5sum"], def.MD5) {
		c.node.untrack(conn)
		return fmt.Errorf("provider has md5 sum %s: must be %s", theirs["md5sum"], def.MD5)
	}
	c.conn, c.r = conn, r
	return nil
}

// dialService connects to the provider of the service in the header, and exchanges headers.
func (n *Node) dialService(ctx context.Context, ours tcpros.Header) (*net.TCPConn, *bufio.Reader, tcpros.Header,
	error) {
	v, err := n.callMaster(ctx, "lookupService", ours["service"])
	var refused *graph.RefusedError
	if errors.As(err, &refused) {
		return nil, nil, nil, ErrNoService
	}
	if err != nil {
		return nil, nil, nil, err
	}
	uri, _ := v.(string)
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "rosrpc" {
		return nil, nil, nil, fmt.Errorf("provider = %q: must be rosrpc://host:port", uri)
	}
	return n.dial(ctx, u.Host, ours)
}

// close closes the connection.
func (c *caller) close() {
	if c.conn != nil {
		c.node.untrack(c.conn)
		c.conn = nil
	}
}

// Close closes the connection. A later call opens it again.
func (c *Client[Req, Resp]) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.close()
	return nil
}

// ServiceHeader is the type of a service, from its provider's connection header.
type ServiceHeader struct{ Type, MD5 string }

// ProbeService asks the provider of the service name for its type. It fails with ErrNoService if there is none, and
// when ctx ends.
func ProbeService(ctx context.Context, n *Node, name string) (ServiceHeader, error) {
	full, err := n.resolve(name)
	if err != nil {
		return ServiceHeader{}, n.errorf("service: %w", err)
	}
	conn, _, theirs, err := n.dialService(ctx, tcpros.Header{"service": full, "md5sum": "*", "probe": "1"})
	if err != nil {
		return ServiceHeader{}, n.errorf("service %s: %w", full, errors.Join(ctx.Err(), err))
	}
	n.untrack(conn)
	return ServiceHeader{theirs["type"], theirs["md5sum"]}, nil
}

// anyService is a definition that matches every service.
var anyService = &msg.ServiceDefinition{Name: "*", MD5: "*"}

// CallRaw calls the service name once with an encoded request, and returns the encoded response. The provider must have
// the type def; nil accepts any. It fails as Call does.
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
