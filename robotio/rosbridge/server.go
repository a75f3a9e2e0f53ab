package rosbridge

import (
	"cmp"
	"log/slog"
	"net"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// DefaultAddr is where clients of this machine look for a rosbridge.
const DefaultAddr = "127.0.0.1:9090"

// Config configures a server. The zero value listens at DefaultAddr.
type Config struct {
	Addr     string       // host:port to listen at; empty is DefaultAddr, port 0 a free one
	Listener net.Listener // instead of Addr
	Access   access.Rule  // under which names of this machine, and from which pages, clients may connect
	Limits   web.Limits   // what clients may cost
	Log      *slog.Logger // nil discards
}

// Server is a running server.
type Server struct {
	*web.Server
	node  *ros1.Node
	subs  *web.Subscriptions
	pubs  *web.Publishers
	clock *web.Clock
	api   map[string]api
}

// Listen starts a server as node, which stays the caller's to close, after the server. It fails on a bad configuration
// and when the address is taken or not this machine's.
func Listen(node *ros1.Node, cfg Config) (*Server, error) {
	s := &Server{node: node, subs: web.NewSubscriptions(node), pubs: web.NewPublishers(node), clock: web.NewClock(node,
		nil),
		api: rosapi()}
	var err error
	s.Server, err = web.Listen(web.Config{Name: "rosbridge", Addr: cmp.Or(cfg.Addr, DefaultAddr),
		Listener: cfg.Listener, Access: cfg.Access,
		Limits: cfg.Limits, Log: cfg.Log}, func(c *web.Client) web.Session { return newSession(s, c) })
	if err != nil {
		s.clock.Close()
		return nil, err
	}
	return s, nil
}

// Close closes every connection, unregisters what clients registered and waits for all goroutines. It always
// returns nil, and nothing happens when it is called again.
func (s *Server) Close() error {
	err := s.Server.Close()
	s.clock.Close()
	return err
}
