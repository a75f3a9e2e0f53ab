package ros2

import (
	"context"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Service is a service that a node serves.
type Service struct {
	entity
	handle  handler
	running atomic.Int32
}

// handler handles a request, and appends the response to out. The function sent, which may be nil, is called when the
// answer was sent or dropped.
type handler func(ctx context.Context, request, out []byte) (answer []byte, sent func(), err error)

// maxRunning is the maximum number of requests that a service handles at the same time. It is a guess.
const maxRunning = 100

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
	s := &Service{entity: entity{node: n, name: full}, handle: f}
	return s, s.start(n.c.transport.serve(s, def))
}

// request is one request, in the context of the service's function.
type request struct {
	encoded []byte
	answer  func(encoded []byte) // is called once, to send the answer; nil if there is none
	hash    func() string        // see ClientHash
	after   func()               // see AfterAnswer; may be nil
}

// handleRequest handles a request in a goroutine of its own. It keeps the encoded request.
func (s *Service) handleRequest(r *request) {
	c, size := s.node.c, len(r.encoded)
	if s.running.Load() >= maxRunning || !c.hold(size) {
		c.warn("request dropped: too many wait", "service", s.name)
		r.answer(nil)
		return
	}
	s.running.Add(1)
	started := c.spawn(func() {
		defer s.running.Add(-1)
		defer c.release(size)
		out, sent, err := s.handle(context.WithValue(c.ctx, requestKey{}, r), r.encoded, nil)
		if r.after != nil {
			defer r.after()
		}
		if sent != nil {
			defer sent()
		}
		if err != nil {
			c.warn("request failed", "node", s.node.Name(), "service", s.name, "error", err)
		}
		if len(out) < encapsulation || c.ctx.Err() != nil {
			out = nil
		}
		r.answer(out)
	})
	if !started {
		s.running.Add(-1)
		c.release(size)
		r.answer(nil)
	}
}

// requestKey is the key of a *request in a context.
type requestKey struct{}

// AfterAnswer calls f when the answer to a request was sent or dropped. ctx is the context of the service's function,
// which calls AfterAnswer once at most.
func AfterAnswer(ctx context.Context, f func()) {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		r.after = f
	}
}

// ClientHash returns the hash of the type of responses that the caller of a service reads. It is empty if the caller's
// distribution has no hashes, as Humble. ctx is the context of the service's function.
func ClientHash(ctx context.Context) string {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r.hash()
	}
	return ""
}

// serviceCodec returns the codecs of a service type of the context's library.
func serviceCodec[Req, Resp any](n *Node, typ string) (*msg.ServiceCodec[Req, Resp], error) {
	def, err := n.ServiceType(typ)
	if err != nil {
		return nil, err
	}
	return msg.CompileService[Req, Resp](def)
}
