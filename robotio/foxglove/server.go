package foxglove

import (
	"cmp"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// DefaultAddr is the default address in Foxglove.
const DefaultAddr = "127.0.0.1:8765"

// protocols are the accepted subprotocols. Newer clients offer the second name for the same protocol.
var protocols = []string{"foxglove.websocket.v1", "foxglove.sdk.v1"}

// origins are the origins of Foxglove's own web pages, which may always connect.
var origins = []string{"https://app.foxglove.dev", "https://studio.foxglove.dev"}

// Config configures a server. The zero value listens at DefaultAddr.
type Config struct {
	Addr     string       // host:port to listen at; empty is DefaultAddr, port 0 means any free port
	Listener net.Listener // instead of Addr
	Name     string       // shown by clients; empty is omnipitch
	// host names and page origins, besides Foxglove's, that clients may use
	Access access.Rule
	Limits web.Limits   // of the resources of clients
	Log    *slog.Logger // nil discards
}

// Server is a running server.
type Server struct {
	name string
	id   string // of this run; clients detect a restart by it
	*web.Server
	node    *ros1.Node
	subs    *web.Subscriptions
	pubs    *web.Publishers
	clock   *web.Clock
	catalog *catalog
}

// Listen starts a server that uses node. The caller closes node after the server. Listen fails if the configuration is
// invalid, or if the address is in use or not an address of this machine.
func Listen(node *ros1.Node, cfg Config) (*Server, error) {
	s := &Server{name: cmp.Or(cfg.Name, "omnipitch"), id: strconv.FormatInt(time.Now().UnixNano(), 36), node: node,
		subs: web.NewSubscriptions(node),
		pubs: web.NewPublishers(node), catalog: newCatalog(node)}
	s.clock = web.NewClock(node, s.tick)
	var err error
	rule := cfg.Access
	rule.Origins = slices.Concat(origins, rule.Origins)
	s.Server, err = web.Listen(web.Config{Name: "foxglove", Addr: cmp.Or(cfg.Addr, DefaultAddr), Listener: cfg.Listener,
		Access: rule, Protocols: protocols, Limits: cfg.Limits, Log: cfg.Log},
		func(c *web.Client) web.Session { return open(s, c) })
	if err != nil {
		s.clock.Close()
		s.catalog.close()
		return nil, err
	}
	return s, nil
}

// Close closes all connections, unregisters the clients' topics, and waits for all goroutines. It always returns nil.
// Closing it again does nothing.
func (s *Server) Close() error {
	err := s.Server.Close()
	s.clock.Close()
	s.catalog.close()
	return err
}

// tick sends the sim time to all clients. A slow client receives only the newest time.
func (s *Server) tick(now msg.Time) {
	m := &web.Message{Data: timeMessage(now)}
	s.catalog.each(func(x *session) { x.time.Push(m) })
}
