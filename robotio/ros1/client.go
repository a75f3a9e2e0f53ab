package ros1

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// ErrNoService means that a service has no provider.
var ErrNoService = wire.ErrNoService

// Call calls a service once and returns its response. name is the name of the service, and typ is its type. Call
// returns ErrNoService if the service has no provider. If the provider refuses the call or fails, Call returns an error
// with the text of the provider. Call also returns an error when ctx ends.
func Call[Req, Resp any](ctx context.Context, n *Node, name, typ string, req *Req) (*Resp, error) {
	c, err := NewClient[Req, Resp](n, name, typ)
	if err != nil {
		return nil, err
	}
	c.once = true
	defer c.Close()
	return c.Call(ctx, req)
}

// Client calls one service over a persistent connection. It connects at the first call. After a failure, it connects
// again at the next call.
type Client[Req, Resp any] struct {
	caller
	codec *msg.ServiceCodec[Req, Resp]
	mu    sync.Mutex // held during a call
}

// caller is the part of a client that does not depend on Go types.
type caller struct {
	node *Node
	name string
	def  *msg.ServiceDefinition
	once bool // whether the caller makes only one call; then the connection is not persistent

	conn *net.TCPConn
	r    *bufio.Reader
	buf  []byte
}

// NewClient returns a client of the service with the given name and type. It does not connect yet. It returns an error
// if the name is invalid, if the node does not know the type, or if the Go types do not match the type.
func NewClient[Req, Resp any](n *Node, name, typ string) (*Client[Req, Resp], error) {
	codec, err := serviceCodec[Req, Resp](n, typ)
	if err != nil {
		return nil, n.errorf("service %s: %w", name, err)
	}
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("service: %w", err)
	}
	return &Client[Req, Resp]{caller: caller{node: n, name: full, def: codec.Def}, codec: codec}, nil
}

// Call calls the service. A call waits until earlier concurrent calls are done. It fails like the function Call. If the
// connection has failed, the next call connects again. No request is sent twice.
func (c *Client[Req, Resp]) Call(ctx context.Context, req *Req) (*Resp, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := c.call(ctx, func(b []byte) []byte { return c.codec.Request.Append(b, req) })
	resp := new(Resp)
	if err == nil {
		err = c.codec.Response.Decode(b, resp)
	}
	if err != nil {
		return nil, c.node.errorf("service %s: %w", c.name, err)
	}
	return resp, nil
}

// call sends a request. The function fill appends the encoded request. call returns the encoded response, which is
// valid until the next call.
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

// connect asks the master for the provider of the service, connects to the provider and exchanges headers.
func (c *caller) connect(ctx context.Context) error {
	def := c.def
	conn, r, theirs, err := c.node.dialService(ctx, tcpros.Header{"service": c.name, "md5sum": def.MD5,
		"type": def.Name, "persistent": bit(!c.once)})
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

// dialService connects to the provider of the service that the header names, and exchanges headers.
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

// close closes the connection to the provider.
func (c *caller) close() {
	if c.conn != nil {
		c.node.untrack(c.conn)
		c.conn = nil
	}
}

// Close closes the connection to the provider. A later call connects again.
func (c *Client[Req, Resp]) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.close()
	return nil
}

// ServiceHeader is the type of a service, as the provider's connection header gives it.
type ServiceHeader struct{ Type, MD5 string }

// ProbeService asks the provider of a service for the type of the service. It returns ErrNoService if the service has
// no provider. It also returns an error when ctx ends.
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

// CallRaw calls a service once with an encoded request, and returns the encoded response. name is the name of the
// service. The provider must have the type def, or may have any type if def is nil. CallRaw returns an error in the
// same cases as Call.
func CallRaw(ctx context.Context, n *Node, name string, def *msg.ServiceDefinition, request []byte) ([]byte, error) {
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("service: %w", err)
	}
	def = cmp.Or(def, anyService)
	c := &caller{node: n, name: full, def: def, once: true}
	defer c.close()
	response, err := c.call(ctx, func(b []byte) []byte { return append(b, request...) })
	if err != nil {
		return nil, n.errorf("service %s: %w", full, err)
	}
	return response, nil
}
