package rosbridge

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/robotio/msg/dynamic"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/web"
)

// session is the state of one client. Only the goroutine that reads from the client uses the maps above mu. mu guards
// the fields below it.
type session struct {
	server *Server
	client *web.Client
	level  atomic.Int32 // only status messages up to this level are sent
	parts  fragments

	subs     map[string]*subscription
	adverts  map[string]*advert
	services map[string]*ros1.Service

	mu      sync.Mutex
	waiting map[string]chan *request // calls that the client must answer, by id
	nextID  int
}

func newSession(s *Server, c *web.Client) *session {
	x := &session{server: s, client: c, subs: map[string]*subscription{}, adverts: map[string]*advert{},
		services: map[string]*ros1.Service{},
		waiting:  map[string]chan *request{}}
	x.level.Store(levelError)
	x.parts.most = c.Limits().Message
	return x
}

// ops holds the operations of clients.
var ops = map[string]func(*session, *request) error{
	"advertise":           (*session).advertise,
	"unadvertise":         (*session).unadvertise,
	"publish":             (*session).publish,
	"subscribe":           (*session).subscribe,
	"unsubscribe":         (*session).unsubscribe,
	"call_service":        (*session).callService,
	"advertise_service":   (*session).advertiseService,
	"unadvertise_service": (*session).unadvertiseService,
	"service_response":    (*session).serviceResponse,
	"set_level":           (*session).setLevel,
	"status":              func(*session, *request) error { return nil }, // ignored
}

// Message executes a request of the client.
func (x *session) Message(binary bool, b []byte) {
	if binary {
		x.sendError(nil, "binary message: must be JSON text")
		return
	}
	x.execute(b)
}

// execute executes a request, or adds a fragment of one.
func (x *session) execute(b []byte) {
	r, err := parse(b)
	if err == nil {
		if r.Op == "fragment" {
			var whole []byte
			if whole, err = x.parts.add(r); err == nil && whole != nil {
				if r, err = parse(whole); err == nil && r.Op == "fragment" {
					err = fmt.Errorf("op fragment: must not contain fragments")
				}
			} else if err == nil {
				return
			}
		}
	}
	if err == nil {
		do, ok := ops[r.Op]
		if !ok {
			err = fmt.Errorf("op = %.40q: must be one of the protocol's", r.Op)
		} else if err = do(x, r); err != nil {
			err = fmt.Errorf("%s: %w", r.Op, err)
		}
	}
	if err != nil {
		x.sendError(r, err.Error())
	}
}

// Close ends the client's subscriptions, advertisements and services.
func (x *session) Close() {
	for topic, s := range x.subs {
		x.server.Subs.Unsubscribe(topic, s.out)
	}
	for _, a := range x.adverts {
		a.Close()
	}
	for _, s := range x.services {
		_ = s.Close() // an error means that the master is gone, which does not matter
	}
}

// resolve returns the absolute name of a topic, relative to the node.
func (x *session) resolve(topic string) string { return graph.Resolve(x.server.Node.Name(), topic) }

// Levels of status messages.
const (
	levelNone = iota
	levelError
	levelWarning
	levelInfo
)

var levels = []string{"none", "error", "warning", "info"}

// setLevel sets the level of the status messages that are sent.
func (x *session) setLevel(r *request) error {
	for i, name := range levels {
		if r.Level == name {
			x.level.Store(int32(i))
			return nil
		}
	}
	return fmt.Errorf("level = %.40q: must be none, error, warning or info", r.Level)
}

// sendError sends a status message of level error to the client. r is the request that caused the message, or nil.
func (x *session) sendError(r *request, text string) {
	if x.level.Load() < levelError {
		return
	}
	b := dynamic.AppendString([]byte(`{"op":"status","level":"error","msg":`), text)
	if r != nil && len(r.ID) > 0 {
		b = append(append(b, `,"id":`...), r.ID...)
	}
	x.client.TrySend(false, append(b, '}'))
}

// DefaultAddr is the usual address of a rosbridge on this machine.
const DefaultAddr = "127.0.0.1:9090"

// Server is a running server.
type Server struct {
	*web.NodeServer
	api map[string]api
}

// Listen starts a server that uses node. The caller closes node after the server. Listen sets the name in cfg, and sets
// the address to DefaultAddr if cfg has none. It fails if the configuration is invalid, or if the address is in use or
// not an address of this machine.
func Listen(node *ros1.Node, cfg web.Config) (*Server, error) {
	s := &Server{web.NewNodeServer(node, nil), rosapi()}
	cfg.Name, cfg.Addr = "rosbridge", cmp.Or(cfg.Addr, DefaultAddr)
	return s, s.Listen(cfg, func(c *web.Client) web.Session { return newSession(s, c) })
}
