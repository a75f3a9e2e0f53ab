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

// DefaultAddr is where Foxglove looks for a server of this machine.
const DefaultAddr = "127.0.0.1:8765"

// protocols are the subprotocols that the server speaks, which are one: newer clients ask for the second.
var protocols = []string{"foxglove.websocket.v1", "foxglove.sdk.v1"}

// origins are the pages that may connect wherever they are from.
var origins = []string{"https://app.foxglove.dev", "https://studio.foxglove.dev"}

// Config configures a server. The zero value listens at DefaultAddr.
type Config struct {
	Addr     string       // host:port to listen at; empty is DefaultAddr, port 0 a free one
	Listener net.Listener // instead of Addr
	Name     string       // what clients show; empty is omnipitch
	// under which names of this machine, and from which pages besides Foxglove's, clients may connect
	Access access.Rule
	Limits web.Limits   // what clients may cost
	Log    *slog.Logger // nil discards
}

// Server is a running server.
type Server struct {
	name string
	id   string // of this run, by which clients tell a new one
	*web.Server
	node    *ros1.Node
	subs    *web.Subscriptions
	pubs    *web.Publishers
	clock   *web.Clock
	catalog *catalog
}

// Listen starts a server as node, which stays the caller's to close, after the server. It fails on a bad configuration
// and when the address is taken or not this machine's.
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

// Close closes every connection, unregisters what clients registered and waits for all goroutines. It always
// returns nil, and nothing happens when it is called again.
func (s *Server) Close() error {
	err := s.Server.Close()
	s.clock.Close()
	s.catalog.close()
	return err
}

// tick sends the sim time to all clients; a slow one gets the newest.
func (s *Server) tick(now msg.Time) {
	m := &web.Message{Data: timeMessage(now)}
	s.catalog.each(func(x *session) { x.time.Push(m) })
}
