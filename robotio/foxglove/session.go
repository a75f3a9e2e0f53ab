package foxglove

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// session is the state of one client.
type session struct {
	server  *Server
	client  *web.Client
	time    *web.Outbox
	adverts map[uint32]*advert // by the client's channel ids; used by the reading goroutine only
	calls   chan struct{}      // holds one token for each call in progress
	wait    sync.WaitGroup

	wantsGraph bool // guarded by catalog.mu
	// watched parameters and their types and values that were sent last; guarded by catalog.mu
	params map[string]string

	mu   sync.Mutex
	subs map[uint32]*subscription // by the client's subscription ids
}

// open starts a client's session.
func open(s *Server, c *web.Client) *session {
	x := &session{server: s, client: c, adverts: map[uint32]*advert{}, params: map[string]string{},
		calls: make(chan struct{}, c.Limits().Calls), subs: map[uint32]*subscription{}}
	x.time = c.NewOutbox(1, 0, func(m *web.Message) error { return c.Write(true, m.Data) })
	capabilities := []string{"clientPublish", "parameters", "parametersSubscribe", "services", "connectionGraph"}
	if s.clock.Sim() {
		capabilities = append(capabilities, "time")
	}
	// ROS_DISTRO tells Foxglove that message types are those of ROS 1.
	c.Send(false, encode(serverInfo{"serverInfo", s.name, capabilities, []string{"ros1", "json"},
		map[string]string{"ROS_DISTRO": "noetic"}, s.id}))
	s.catalog.enter(x)
	return x
}

// ops holds the operations that clients request in JSON.
var ops = map[string]func(*session, *request) error{
	"subscribe":                   (*session).subscribe,
	"unsubscribe":                 (*session).unsubscribe,
	"advertise":                   (*session).advertise,
	"unadvertise":                 (*session).unadvertise,
	"getParameters":               (*session).getParameters,
	"setParameters":               (*session).setParameters,
	"subscribeParameterUpdates":   (*session).watchParameters,
	"unsubscribeParameterUpdates": (*session).unwatchParameters,
	"subscribeConnectionGraph": func(x *session, _ *request) error {
		x.server.catalog.watchGraph(x, true)
		return nil
	},
	"unsubscribeConnectionGraph": func(x *session, _ *request) error {
		x.server.catalog.watchGraph(x, false)
		return nil
	},
}

// Message executes a request of the client.
func (x *session) Message(binary bool, b []byte) {
	var err error
	if binary {
		err = x.binary(b)
	} else {
		var r request
		if err = web.CheckValues(b); err != nil {
			err = fmt.Errorf("message %.60q: %w", b, err)
		} else if err = json.Unmarshal(b, &r); err != nil {
			err = fmt.Errorf("message %.60q: must be a JSON object of the protocol: %w", b, err)
		} else if do := ops[r.Op]; do == nil {
			err = fmt.Errorf("op = %.40q: must be one of the protocol's", r.Op)
		} else if err = do(x, &r); err != nil {
			err = fmt.Errorf("%s: %w", r.Op, err)
		}
	}
	if err != nil {
		x.status(err.Error())
	}
}

// binary executes a binary request.
func (x *session) binary(b []byte) error {
	switch {
	case len(b) >= 5 && b[0] == opClientMessage:
		return x.publish(le.Uint32(b[1:]), b[5:])
	case len(b) > 0 && b[0] == opServiceRequest:
		return x.call(b[1:])
	}
	return fmt.Errorf("binary message %.20q: must be a message or a service request", b)
}

func (x *session) status(text string) {
	x.client.TrySend(false, encode(status{"status", statusError, text}))
}

// Close ends the client's subscriptions and advertisements.
func (x *session) Close() {
	x.server.catalog.leave(x)
	x.time.Close()
	x.mu.Lock()
	subs := x.subs
	x.subs = map[uint32]*subscription{}
	x.mu.Unlock()
	for _, s := range subs {
		x.server.subs.Unsubscribe(s.topic, s.out)
	}
	for _, a := range x.adverts {
		a.pub.Close()
	}
	x.wait.Wait()
}

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
		subs: web.NewSubscriptions(node), pubs: web.NewPublishers(node), catalog: newCatalog(node)}
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
