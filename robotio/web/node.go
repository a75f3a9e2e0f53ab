package web

import (
	"context"
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// NodeServer is a server whose clients use the ROS graph through one node. They share subscriptions, publishers and the
// clock.
type NodeServer struct {
	*Server
	Node  *ros1.Node
	Subs  *Subscriptions
	Clock *Clock
	pubs  *Publishers
}

// NewNodeServer returns a server that uses a node and does not listen yet. The caller closes the node after the server.
// tick is passed to NewClock.
func NewNodeServer(n *ros1.Node, tick func(msg.Time)) *NodeServer {
	return &NodeServer{Node: n, Subs: NewSubscriptions(n), pubs: NewPublishers(n), Clock: NewClock(n, tick)}
}

// Listen starts the server: see the function Listen.
func (s *NodeServer) Listen(cfg Config, open func(*Client) Session) (err error) {
	if s.Server, err = Listen(cfg, open); err != nil {
		s.Clock.Close()
	}
	return err
}

// Close closes all connections, unregisters the clients' topics and services, and waits for all goroutines. It always
// returns nil. Closing it again does nothing.
func (s *NodeServer) Close() error {
	err := s.Server.Close()
	s.Clock.Close()
	return err
}

// Advert is a topic that one client publishes.
type Advert struct {
	*Publisher
	Codec  *dynamic.Codec
	server *NodeServer
	buf    []byte
}

// Advertise registers a topic for a client. The client must close the result. Advertise fails in the same cases as
// Publishers.Advertise, and if messages of the type are too large to convert.
func (s *NodeServer) Advertise(topic string, def *msg.Definition, opts ros1.PubOptions) (*Advert, error) {
	codec, err := dynamic.Compile(def)
	if err != nil {
		return nil, err
	}
	p, err := s.pubs.Advertise(topic, def, opts)
	return &Advert{Publisher: p, Codec: codec, server: s}, err
}

// maxKept is the maximum size in bytes of the buffer that a topic reuses for the next message; a guess.
const maxKept = 64 << 10

// Publish publishes a client's message, which is JSON or, if encoded is true, in the encoding of ROS. It fails if the
// message is not of the topic's type, or too large.
func (a *Advert) Publish(message []byte, encoded bool) (err error) {
	if encoded {
		err = a.Codec.Check(message)
	} else if a.buf, err = a.Codec.AppendROS(a.buf[:0], message, a.server.Clock.Now()); err == nil {
		message = a.buf
	}
	if most := a.server.cfg.Limits.Message; err == nil && len(message) > most {
		err = fmt.Errorf("message takes %d bytes: must be at most %d", len(message), most)
	}
	if err != nil {
		return err
	}
	a.Publisher.Publish(message)
	if cap(a.buf) > maxKept {
		a.buf = nil
	}
	return nil
}

// ServiceType asks the server of a service for the service's type. It returns the definition from the node's library,
// because a server does not send it, and fails if the library lacks this definition.
func ServiceType(ctx context.Context, n *ros1.Node, name string) (*msg.ServiceDefinition, error) {
	h, err := ros1.ProbeService(ctx, n, name)
	if err != nil {
		return nil, err
	}
	def, err := n.ServiceType(h.Type)
	if err != nil {
		return nil, fmt.Errorf("service %s: type = %.80q: must be in the library: %w", name, h.Type, err)
	}
	if def.MD5 != h.MD5 {
		return nil, fmt.Errorf("service %s: type %s has md5 sum %.40s: must have the library's, %s", name, h.Type,
			h.MD5, def.MD5)
	}
	return def, nil
}

// CallService calls a service of a type. Request and response are JSON or, if encoded is true, in the encoding of ROS.
func (s *NodeServer) CallService(ctx context.Context, name string, def *msg.ServiceDefinition, request []byte,
	encoded bool) ([]byte, error) {
	req, resp, err := dynamic.CompileService(def)
	if err != nil {
		return nil, err
	}
	if encoded {
		err = req.Check(request)
	} else {
		request, err = req.AppendROS(nil, request, s.Clock.Now())
	}
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", name, err)
	}
	response, err := ros1.CallRaw(ctx, s.Node, name, nil, request)
	if err != nil || encoded {
		return response, err
	}
	return resp.AppendJSON(nil, response)
}
