package ros1

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/internal/tcpros"
)

// Service is a service that a node serves.
type Service struct {
	node *Node
	name string
	def  *msg.ServiceDefinition
	// handle appends the response to out and returns the extended slice
	handle func(ctx context.Context, req, out []byte) ([]byte, error)
}

// Serve registers a service and calls f for each request. name is the name of the service, and typ is its type. Several
// calls of f may run at the same time, and their context ends when the node closes. If f returns an error, the caller
// receives its text. Serve returns an error in these cases: the node does not know the type, the Go types do not match
// it, the node already serves the service, or the master does not answer.
func Serve[Req, Resp any](n *Node, name, typ string, f func(context.Context, *Req) (*Resp, error)) (*Service, error) {
	codec, err := serviceCodec[Req, Resp](n, typ)
	if err != nil {
		return nil, n.errorf("service %s: %w", name, err)
	}
	return ServeRaw(n, name, codec.Def, codec.Handler(f))
}

// ServeRaw registers a service of type def. The function f receives the encoded request, and appends the encoded
// response to out. In all other respects, ServeRaw is like Serve.
func ServeRaw(n *Node, name string, def *msg.ServiceDefinition, f func(ctx context.Context, request,
	out []byte) ([]byte, error)) (*Service, error) {
	full, err := n.resolve(name)
	if err != nil {
		return nil, n.errorf("service: %w", err)
	}
	s := &Service{n, full, def, f}
	if err := add(n, &n.srvs, full, s, "serves"); err != nil {
		return nil, n.errorf("service %s: %w", full, err)
	}
	if _, err := n.callMaster(n.ctx, "registerService", full, n.serviceURI(), n.uri); err != nil {
		s.forget()
		return nil, n.errorf("service %s: %w", full, err)
	}
	return s, nil
}

// forget removes the service from the node. It returns false if the service had been removed before.
func (s *Service) forget() bool {
	s.node.mu.Lock()
	defer s.node.mu.Unlock()
	there := s.node.srvs[s.name] == s
	if there {
		delete(s.node.srvs, s.name)
	}
	return there
}

// Close unregisters the service. Calls that are running can finish. If the master does not answer, Close returns an
// error, but the service is closed anyway.
func (s *Service) Close() error {
	if !s.forget() {
		return nil
	}
	if _, err := s.node.callMaster(s.node.ctx, "unregisterService", s.name, s.node.serviceURI()); err != nil {
		return s.node.errorf("service %s: %w", s.name, err)
	}
	return nil
}

// accepts returns nil if the service accepts a client with the given header. Otherwise it returns an error with the
// reason. A client that probes the service asks only for the type.
func (s *Service) accepts(h tcpros.Header) error {
	if h["probe"] != "1" && !matches(h["md5sum"], s.def.MD5) {
		return fmt.Errorf("client [%s] wants service %s to have md5sum %s, but it has %s. Dropping connection.",
			//nolint:staticcheck // rosservice prints it
			h["callerid"], s.name, h["md5sum"], s.def.MD5)
	}
	return nil
}

// serve answers the requests of one client until the connection ends. If the header does not ask for a persistent
// connection, serve answers only one request.
func (s *Service) serve(conn *inbound, h tcpros.Header) {
	n := s.node
	err := tcpros.Header{"callerid": n.name, "md5sum": s.def.MD5, "type": s.def.Name, "service": s.name,
		"request_type": s.def.Request.Name, "response_type": s.def.Response.Name}.Write(conn)
	if err != nil || h["probe"] == "1" {
		return
	}
	persistent := h["persistent"] == "1" || strings.EqualFold(h["persistent"], "true")
	if persistent { // the next request may come much later
		_ = conn.SetDeadline(time.Time{})
	}
	caller := h["callerid"]
	r := bufio.NewReaderSize(conn, 1024)
	var req, out []byte
	for first := true; ; first = false {
		req, err = tcpros.ReadBlock(r, req, n.maxMessage)
		if err != nil {
			if persistent { // the client has left
				return
			}
			n.warnPeer("request dropped", "service", s.name, "peer", caller, "error", err)
			return
		}
		n.requests.Add(1)
		n.requestBytes.Add(int64(len(req)) + 4)
		if first {
			err = n.admit(conn, caller, "service "+s.name, func() admission.Rank { return n.rankClient(caller) })
			_ = conn.SetDeadline(time.Time{})
		}
		if err == nil {
			out, err = s.handle(n.ctx, req, append(out[:0], 1, 0, 0, 0, 0))
		}
		if err != nil {
			n.warnPeer("service failed", "service", s.name, "peer", caller, "error", err)
			persistent = persistent && !errors.Is(err, errFull)
			out = append(out[:0], 0, 0, 0, 0, 0)
			out = append(out, err.Error()...)
		}
		le.PutUint32(out[1:], uint32(len(out)-5))
		n.responseBytes.Add(int64(len(out)))
		if _, err := conn.Write(out); err != nil {
			return
		}
		if !persistent {
			linger(conn.TCPConn)
			return
		}
	}
}

// lingerTime is the maximum wall time that a client may take to read its answer. 1 s is a guess.
const lingerTime = time.Second

// linger waits until the client closes the connection, for at most lingerTime. If the service closed the connection at
// once, roscpp would sometimes lose the answer, and its call would fail.
func linger(conn *net.TCPConn) {
	_ = conn.SetReadDeadline(time.Now().Add(lingerTime))
	var b [1]byte
	_, _ = conn.Read(b[:])
}
