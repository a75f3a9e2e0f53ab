package ros2

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2/internal/rtps"
)

// Services have two dialects. With CycloneDDS, requests and answers begin with 16 bytes: a number of the client and the
// number of the request. With Fast DDS and others, the related sample identity of an answer names the client's reader
// and the number of the request. A server answers each client in its dialect. Source: rmw_cyclonedds, issue 184.

// callID is the header of CycloneDDS's dialect.
type callID struct {
	client uint64
	seq    int64
}

const (
	encapsulation = 4
	callIDSize    = 16
)

var le = binary.LittleEndian

// cutCallID reads the header from a message, and returns the message without it.
func cutCallID(b []byte) (id callID, rest []byte, ok bool) {
	if len(b) < encapsulation+callIDSize || b[0] != 0 || b[1] > 1 {
		return id, b, false
	}
	var order binary.ByteOrder = le
	if b[1] == 0 {
		order = binary.BigEndian
	}
	id = callID{order.Uint64(b[4:]), int64(order.Uint64(b[12:]))}
	return id, append(b[:encapsulation], b[encapsulation+callIDSize:]...), true
}

// withCallID returns a message to write with the header.
func withCallID(b []byte, id callID) rtps.Outgoing {
	head := append(make([]byte, 0, encapsulation+callIDSize), b[:encapsulation]...)
	return rtps.Outgoing{Head: le.AppendUint64(le.AppendUint64(head, id.client), uint64(id.seq)),
		Body: b[encapsulation:]}
}

// randomID returns 16 random bytes as rmw_cyclonedds writes them.
func randomID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ReplaceAll(fmt.Sprintf("% x", b), " ", ".")
}

// Service is a service that a node serves.
type Service struct {
	entity
	handle  handler
	clients *peers // writers of requests
	replies *peers // readers of answers
	running atomic.Int32
}

// handler handles a request, and appends the response to out. The function sent, which may be nil, is called when the
// answer was sent or dropped.
type handler func(ctx context.Context, request, out []byte) (answer []byte, sent func(), err error)

const (
	// maxRunning is the maximum number of requests that a service handles at the same time. It is a guess.
	maxRunning = 100
	// replyWait is how long an answer waits until the client's reader is found. rmw waits 0.1 s. It is longer here,
	// because nobody else waits for it.
	replyWait = time.Second
)

// Serve offers a service and calls f for each request. name is the name of the service, and typ is its type. Several
// calls of f may run at the same time, and their context ends when the node's context closes. ROS 2 has no answer for a
// failure: if f returns an error, it is logged, and the caller receives the response that f returned, or one of zeros.
// Serve returns an error if the name is invalid, if the context does not know the type, or if the Go types do not match
// it.
func Serve[Req, Resp any](n *Node, name, typ string, f func(context.Context, *Req) (*Resp, error)) (*Service, error) {
	codec, err := serviceCodec[Req, Resp](n, typ)
	if err != nil {
		return nil, n.errorf("service %s: %w", name, err)
	}
	return ServeRaw(n, name, codec.Def, codec.Handler(f))
}

// ServeRaw offers a service of type def. The function f receives the encoded request, and appends the encoded response
// to out. If it appends nothing, the caller receives no answer. In all other respects, ServeRaw is like Serve.
func ServeRaw(n *Node, name string, def *msg.ServiceDefinition, f func(ctx context.Context, request,
	out []byte) ([]byte, error)) (*Service, error) {
	return serve(n, name, def, func(ctx context.Context, request, out []byte) ([]byte, func(), error) {
		answer, err := f(ctx, request, out)
		return answer, nil, err
	})
}

func serve(n *Node, name string, def *msg.ServiceDefinition, f handler) (*Service, error) {
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("service: %w", err)
	}
	s := &Service{entity: entity{node: n, name: full}, handle: f, clients: newPeers(), replies: newPeers()}
	id := "serviceid=" + randomID() + ";"
	if err = s.write("rr", "Reply", def.Response, serviceQoS, id, s.replies); err == nil {
		err = s.read("rq", "Request", def.Request, serviceQoS, id, s.clients, s.request)
	}
	return s, s.start(err)
}

// request handles a request in a goroutine of its own.
func (s *Service) request(payload []byte, info rtps.Info) {
	client, ok := s.clients.find(info.GUID)
	if !ok {
		return
	}
	c, size := s.node.c, len(payload)
	if s.running.Load() >= maxRunning || !c.hold(size) {
		c.warn("request dropped: too many wait", "service", s.name)
		return
	}
	b, cyclone, id := append([]byte(nil), payload...), client.Vendor == rtps.CycloneDDS, callID{}
	if cyclone {
		if id, b, ok = cutCallID(b); !ok {
			c.release(size)
			c.warn("request dropped: it has no header", "service", s.name, "client", info.GUID)
			return
		}
	}
	s.running.Add(1)
	started := c.spawn(func() {
		defer s.running.Add(-1)
		defer c.release(size)
		asked := &request{service: s, info: info}
		out, sent, err := s.handle(context.WithValue(c.ctx, requestKey{}, asked), b, nil)
		if asked.after != nil {
			defer asked.after()
		}
		if sent != nil {
			defer sent()
		}
		if err != nil {
			c.warn("request failed", "node", s.node.Name(), "service", s.name, "error", err)
		}
		if len(out) < encapsulation || c.ctx.Err() != nil {
			return
		}
		o := rtps.Outgoing{Head: out, Related: rtps.Identity{GUID: info.Related.GUID, Seq: info.Seq}}
		if o.Related.GUID == (rtps.GUID{}) {
			o.Related.GUID = info.GUID
		}
		if cyclone {
			o = withCallID(out, id)
		}
		s.answer(o, info)
	})
	if !started {
		s.running.Add(-1)
		c.release(size)
	}
}

// answer sends an answer to the client that sent the request.
func (s *Service) answer(o rtps.Outgoing, request rtps.Info) {
	readers := s.awaitReaders(request)
	for _, to := range readers {
		o.To = to
		_, _ = s.writer.Write(o) // fails only if the service is closed or the memory is used up
	}
	if len(readers) == 0 && s.node.c.ctx.Err() == nil {
		s.node.c.warn("answer dropped: its client is gone", "service", s.name, "client", request.GUID)
	}
}

// awaitReaders waits until the readers of a request's client are found, and returns them. It returns none if that takes
// longer than replyWait.
func (s *Service) awaitReaders(request rtps.Info) []rtps.GUID {
	timeout := time.NewTimer(replyWait)
	defer timeout.Stop()
	for {
		changed := s.replies.wait()
		if readers := s.readersOf(request); len(readers) > 0 {
			return readers
		}
		select {
		case <-changed:
		case <-timeout.C:
			return nil
		case <-s.node.c.ctx.Done():
			return nil
		}
	}
}

// request is one request, in the context of the service's function.
type request struct {
	service *Service
	info    rtps.Info
	after   func() // see AfterAnswer; may be nil
}

// requestKey is the key of a *request in a context.
type requestKey struct{}

// AfterAnswer calls f when the answer to a request was sent or dropped. ctx is the context of the service's function,
// which calls AfterAnswer once at most.
func AfterAnswer(ctx context.Context, f func()) {
	if c, ok := ctx.Value(requestKey{}).(*request); ok {
		c.after = f
	}
}

// ClientHash returns the hash of the type of responses that the caller of a service reads. It is empty if the caller's
// distribution has no hashes, as Humble. ctx is the context of the service's function.
func ClientHash(ctx context.Context) string {
	c, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		return ""
	}
	for _, id := range c.service.awaitReaders(c.info) {
		if e, ok := c.service.replies.find(id); ok {
			_, after, _ := strings.Cut(e.UserData, "typehash=")
			hash, _, _ := strings.Cut(after, ";")
			return hash
		}
	}
	return ""
}

// readersOf returns the readers that may belong to the client of a request. They are one reader if the request names
// it, or else all those of the client's participant, which find out by the answer's number whether it is theirs.
func (s *Service) readersOf(request rtps.Info) (all []rtps.GUID) {
	named := request.Related.GUID
	isReader := named[15] == 0x04 || named[15] == 0x07 // RTPS 2.3, 9.3.1.2
	for _, e := range s.replies.list() {
		if isReader && e.GUID == named || !isReader && e.GUID.Prefix() == request.GUID.Prefix() {
			all = append(all, e.GUID)
		}
	}
	return all
}

// serviceCodec returns the codecs of a service type of the context's library.
func serviceCodec[Req, Resp any](n *Node, typ string) (*msg.ServiceCodec[Req, Resp], error) {
	def, err := n.ServiceType(typ)
	if err != nil {
		return nil, err
	}
	return msg.CompileService[Req, Resp](def)
}
