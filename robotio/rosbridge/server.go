package rosbridge

import (
	"cmp"
	"log/slog"
	"net"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// DefaultAddr is the usual address of a rosbridge on this machine.
const DefaultAddr = "127.0.0.1:9090"

// Config configures a server. The zero value listens at DefaultAddr.
type Config struct {
	Addr     string       // host:port to listen at; empty is DefaultAddr, port 0 means any free port
	Listener net.Listener // instead of Addr
	Access   access.Rule  // host names and page origins that clients may use
	Limits   web.Limits   // of the resources of clients
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

// Listen starts a server that uses node. The caller closes node after the server. Listen fails if the configuration is
// invalid, or if the address is in use or not an address of this machine.
func Listen(node *ros1.Node, cfg Config) (*Server, error) {
	s := &Server{node: node, subs: web.NewSubscriptions(node), pubs: web.NewPublishers(node),
		clock: web.NewClock(node, nil), api: rosapi()}
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

// Close closes all connections, unregisters the clients' topics and services, and waits for all goroutines. It always
// returns nil. Closing it again does nothing.
func (s *Server) Close() error {
	err := s.Server.Close()
	s.clock.Close()
	return err
}
