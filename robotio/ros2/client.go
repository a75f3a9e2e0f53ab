package ros2

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
	"github.com/omnipitch/omnipitch/robotio/wire"
)

// ErrNoService means that nobody offers a service.
var ErrNoService = wire.ErrNoService

// caller calls one service with encoded requests.
type caller struct {
	entity
	servers *peers // readers of requests
	sources *peers // writers of answers
	number  uint64 // of the client, for CycloneDDS

	meeting sync.Mutex
	met     rtps.GUID // the server that knows the client

	mu      sync.Mutex
	last    int64
	pending map[callKey]chan<- []byte
}

// callKey names a request in one of the two dialects.
type callKey struct {
	cyclone bool
	seq     int64
}

func newCaller(n *Node, name string, def *msg.ServiceDefinition) (*caller, error) {
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("service: %w", err)
	}
	c := &caller{entity: entity{node: n, name: full}, servers: newPeers(), sources: newPeers(),
		pending: map[callKey]chan<- []byte{}}
	id := "clientid=" + randomID() + ";"
	c.mu.Lock() // answers may come before the reader is stored
	if err = c.write("rq", "Request", def.Request, serviceQoS, id, c.servers); err == nil {
		guid := c.writer.GUID()
		c.number = le.Uint64(guid[2:]) ^ uint64(le.Uint32(guid[12:]))
		err = c.read("rr", "Reply", def.Response, serviceQoS, id, c.sources, c.answer)
	}
	c.mu.Unlock()
	return c, c.start(err)
}

// server returns the server that the client found first.
func (c *caller) server() (rtps.Endpoint, bool) {
	sources := c.sources.list()
	for _, e := range c.servers.list() {
		for _, s := range sources {
			if s.GUID.Prefix() == e.GUID.Prefix() {
				return e.Endpoint, true
			}
		}
	}
	return rtps.Endpoint{}, false
}

// call sends an encoded request and returns the encoded response, which up to 3 bytes may follow.
func (c *caller) call(ctx context.Context, request []byte) ([]byte, error) {
	server, err := c.find(ctx)
	if err != nil {
		return nil, c.errorf(err)
	}
	c.meet(ctx, server.GUID)
	answer := make(chan []byte, 1)
	id, err := c.send(server, request, answer)
	if err != nil {
		return nil, c.errorf(err)
	}
	defer func() {
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
	}()
	select {
	case b := <-answer:
		return b, nil
	case <-ctx.Done():
		return nil, c.errorf(ctx.Err())
	case <-c.node.c.ctx.Done():
		return nil, c.errorf(net.ErrClosed)
	}
}

func (c *caller) errorf(err error) error { return c.node.errorf("service %s: %w", c.name, err) }

// find waits for a server.
func (c *caller) find(ctx context.Context) (rtps.Endpoint, error) {
	for {
		servers, sources := c.servers.wait(), c.sources.wait()
		if e, ok := c.server(); ok {
			return e, nil
		}
		select {
		case <-servers:
		case <-sources:
		case <-ctx.Done():
			return rtps.Endpoint{}, errors.Join(ErrNoService, ctx.Err())
		case <-c.node.c.ctx.Done():
			return rtps.Endpoint{}, net.ErrClosed
		}
	}
}

// meetWait is the longest time that a client waits until a server knows it.
const meetWait = time.Second

// meet waits until a server knows the client's writer and reader. Otherwise CycloneDDS would skip the first request,
// and Fast DDS would lose the first answer. For this, the client writes a sample that nobody gets, because even so the
// server acknowledges its number.
func (c *caller) meet(ctx context.Context, server rtps.GUID) {
	c.meeting.Lock()
	defer c.meeting.Unlock()
	if c.met == server {
		return
	}
	c.met = server
	nobody := c.writer.GUID()
	_, _ = c.writer.Write(rtps.Outgoing{Head: []byte{0, 1, 0, 0}, To: nobody})
	ctx, stop := context.WithTimeout(ctx, meetWait)
	defer stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	known := func() bool { return c.writer.Acknowledged() && c.reader.Known(server.Prefix()) }
	for !known() && ctx.Err() == nil && c.node.c.ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// send sends a request in the server's dialect.
func (c *caller) send(server rtps.Endpoint, request []byte, answer chan<- []byte) (callKey, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := callKey{cyclone: server.Vendor == rtps.CycloneDDS}
	o := rtps.Outgoing{Head: request, Related: rtps.Identity{GUID: c.reader.GUID(), Seq: rtps.UnknownSeq}}
	if id.cyclone {
		c.last++
		id.seq = c.last
		o = withCallID(request, callID{c.number, id.seq})
	}
	o.To = server.GUID
	seq, err := c.writer.Write(o)
	if err != nil {
		return id, err
	}
	if !id.cyclone {
		id.seq = seq
	}
	c.pending[id] = answer
	return id, nil
}

// answer handles an answer, which may be that of another client.
func (c *caller) answer(payload []byte, info rtps.Info) {
	server, ok := c.sources.find(info.GUID)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b, id := append([]byte(nil), payload...), callKey{server.Vendor == rtps.CycloneDDS, info.Related.Seq}
	if id.cyclone {
		var header callID
		if header, b, ok = cutCallID(b); !ok || header.client != c.number {
			return
		}
		id.seq = header.seq
	} else if to := info.Related.GUID; to != c.reader.GUID() && to != c.writer.GUID() {
		return
	}
	if waiting := c.pending[id]; waiting != nil {
		delete(c.pending, id)
		waiting <- b
	}
}

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
