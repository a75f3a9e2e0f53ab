package foxglove

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// session is the state of one client.
type session struct {
	server  *Server
	client  *web.Client
	time    *web.Outbox
	adverts map[uint32]*advert // adverts by channel id of the client; used only by the reading goroutine

	wantsGraph bool // guarded by catalog.mu
	// types and values of the watched parameters that were sent last; guarded by catalog.mu
	params map[string]string

	mu   sync.Mutex
	subs map[uint32]*subscription // subscriptions by the client's subscription ids
}

// open starts a client's session.
func open(s *Server, c *web.Client) *session {
	x := &session{server: s, client: c, adverts: map[uint32]*advert{}, params: map[string]string{},
		subs: map[uint32]*subscription{}}
	x.time = c.NewOutbox(1, 0, func(m *web.Message) error { return c.Write(true, m.Data) })
	capabilities := []string{"clientPublish", "parameters", "parametersSubscribe", "services", "connectionGraph"}
	if s.Clock.Sim() {
		capabilities = append(capabilities, "time")
	}
	// ROS_DISTRO tells Foxglove that message types are those of ROS 1.
	c.Send(false, encode(serverInfo{"serverInfo", "omnipitch", capabilities, []string{"ros1", "json"},
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
		x.server.Subs.Unsubscribe(s.topic, s.out)
	}
	for _, a := range x.adverts {
		a.Close()
	}
}

// DefaultAddr is the default address in Foxglove.
const DefaultAddr = "127.0.0.1:8765"

// protocols are the accepted subprotocols. The second is the name that newer clients use for the same protocol.
var protocols = []string{"foxglove.websocket.v1", "foxglove.sdk.v1"}

// origins are the origins of Foxglove's own web pages, which may always connect.
var origins = []string{"https://app.foxglove.dev", "https://studio.foxglove.dev"}

// Server is a running server.
type Server struct {
	*web.NodeServer
	id      string // identifies this run of the server, so that clients detect a restart
	catalog *catalog
}

// Listen starts a server that uses node. The caller closes node after the server. Listen sets the name and the
// subprotocols in cfg, and sets the address to DefaultAddr if cfg has none. It also allows Foxglove's own pages. It
// fails if the configuration is invalid, or if the address is in use or not an address of this machine.
func Listen(node *ros1.Node, cfg web.Config) (*Server, error) {
	s := &Server{id: strconv.FormatInt(time.Now().UnixNano(), 36), catalog: newCatalog(node)}
	s.NodeServer = web.NewNodeServer(node, s.tick)
	cfg.Name, cfg.Addr, cfg.Protocols = "foxglove", cmp.Or(cfg.Addr, DefaultAddr), protocols
	cfg.Access.Origins = slices.Concat(origins, cfg.Access.Origins)
	err := s.NodeServer.Listen(cfg, func(c *web.Client) web.Session { return open(s, c) })
	if err != nil {
		s.catalog.close()
	}
	return s, err
}

// Close closes the server: see web.NodeServer.Close.
func (s *Server) Close() error {
	err := s.NodeServer.Close()
	s.catalog.close()
	return err
}

// tick sends the sim time to all clients. A slow client receives only the newest time.
func (s *Server) tick(now msg.Time) {
	m := &web.Message{Data: timeMessage(now)}
	s.catalog.each(func(x *session) { x.time.Push(m) })
}
