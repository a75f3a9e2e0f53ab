package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/admission"
)

// Session is one client's side of a protocol.
type Session interface {
	Message(binary bool, b []byte) // Message handles a message from the client. It may keep b.
	Close()                        // Close is called after the client has disconnected
}

// Server accepts clients.
type Server struct {
	cfg    Config
	guard  *access.Guard
	open   func(*Client) Session
	log    *slog.Logger
	addr   net.Addr
	http   *http.Server
	ctx    context.Context // context that ends when the server closes
	cancel context.CancelFunc
	wait   sync.WaitGroup
	once   sync.Once

	places  *admission.Places // of clients
	mu      sync.Mutex
	clients map[*Client]struct{}
}

// Listen starts a server. It calls open for every client, on the client's goroutine. It fails if the configuration is
// invalid, or if the address is in use or not an address of this machine.
func Listen(cfg Config, open func(*Client) Session) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.Limits = cfg.Limits.WithDefaults()
	cfg.ping = cmp.Or(cfg.ping, pingTime)
	s := &Server{cfg: cfg, open: open, log: cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)),
		clients: map[*Client]struct{}{}, places: admission.NewPlaces(cfg.Limits.Clients)}
	l, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Name, err)
	}
	s.addr = l.Addr()
	host, _, _ := net.SplitHostPort(cfg.Addr)
	s.guard = cfg.Access.Guard(cfg.Name, s.log, host)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler: http.HandlerFunc(s.serve),
		// A connection carries one request.
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, IdleTimeout: time.Second,
		MaxHeaderBytes: 16 << 10,
		// drops the messages about misbehaving peers, whose connections are closed
		ErrorLog: log.New(io.Discard, "", 0),
	}
	s.wait.Go(func() { _ = admission.Serve(s.http, l) })
	return s, nil
}

// Addr returns the address at which the server listens.
func (s *Server) Addr() net.Addr { return s.addr }

// URL returns the server's address for clients, such as ws://127.0.0.1:9090.
func (s *Server) URL() string { return "ws://" + s.addr.String() }

// Clients returns the connected clients.
func (s *Server) Clients() []*Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Client, 0, len(s.clients))
	for c := range s.clients {
		list = append(list, c)
	}
	return list
}

// Close closes every connection and waits for all goroutines. It always returns nil.
func (s *Server) Close() error {
	s.once.Do(func() {
		s.cancel()
		_ = s.http.Close()
		for _, c := range s.Clients() {
			c.Close()
		}
	})
	s.wait.Wait()
	return nil
}

// serve upgrades one connection and serves it until it ends.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.guard.Admit(w, r) {
		return
	}
	if p := s.cfg.Protocols; len(p) > 0 && !slices.ContainsFunc(p, func(p string) bool { return offers(r, p) }) {
		err := fmt.Errorf("subprotocol = %.80q: must be %s", r.Header.Get("Sec-WebSocket-Protocol"),
			strings.Join(p, " or "))
		s.log.Warn(s.cfg.Name+": client refused", "from", r.RemoteAddr, "error", err)
		w.Header().Set("Connection", "close")
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// The guard has checked the origin. Compression is off: on a local network it costs more time than it saves.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true,
		Subprotocols: s.cfg.Protocols})
	if err != nil {
		return // Accept has answered
	}
	conn.SetReadLimit(int64(s.cfg.Limits.Message))
	c := newClient(s, r.RemoteAddr)
	if !s.enter(c) {
		_ = conn.CloseNow()
		return
	}
	defer s.leave(c)
	c.run(conn)
}

// offers reports whether a client offers a subprotocol.
func offers(r *http.Request, protocol string) bool {
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for p := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(p), protocol) {
				return true
			}
		}
	}
	return false
}

// enter admits a client. If all places are taken, it closes another client. It returns false if the server is closing.
func (s *Server) enter(c *Client) bool {
	s.mu.Lock()
	closing := s.ctx.Err() != nil
	if !closing {
		s.clients[c] = struct{}{}
		s.wait.Add(1)
	}
	s.mu.Unlock()
	if closing {
		return false
	}
	if out, _ := s.places.Take(&c.place); out != nil { // it cannot fail: no client has the rank Known
		s.log.Warn(s.cfg.Name+": client closed for a newer one: too many", "from", out.Addr)
	}
	return true
}

func (s *Server) leave(c *Client) {
	s.places.Leave(&c.place)
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
	s.wait.Done()
}

// Limits are the limits of the resources of clients. A zero value means the default. All defaults are guesses, far
// above the needs of dashboards and robots.
type Limits struct {
	Message       int // size of a message from a client, bytes; 0 is 8 MiB
	Clients       int // number of clients; 0 is 64
	Subscriptions int // number of a client's topics, of its services, and of its advertisements; 0 is 1024
	Rate          int // sustained messages per second from a client; a faster client is slowed down; 0 is 2000
	Calls         int // concurrent service calls of a client; 0 is 16
	Queue         int // size of a client's queue for one topic, bytes; 0 is 16 MiB
}

// WithDefaults returns the limits with defaults instead of zero values.
func (l Limits) WithDefaults() Limits {
	return Limits{Message: cmp.Or(l.Message, 8<<20), Clients: cmp.Or(l.Clients, 64),
		Subscriptions: cmp.Or(l.Subscriptions, 1024),
		Rate:          cmp.Or(l.Rate, 2000), Calls: cmp.Or(l.Calls, 16), Queue: cmp.Or(l.Queue, 16<<20)}
}

// Time limits, wall time; guesses.
const (
	headerTime = 5 * time.Second  // time for a client to request the upgrade
	writeTime  = 30 * time.Second // time for a client to accept one message
	pingTime   = 20 * time.Second // time without messages before a ping, and time for the answer
)

// Config configures a server.
type Config struct {
	Name      string      // for errors and logs
	Addr      string      // host:port to listen at; port 0 means any free port
	Access    access.Rule // host names and origins of web pages that clients may use
	Protocols []string    // WebSocket subprotocols, one of which a client must offer; nil if no subprotocol is needed
	Limits    Limits
	Log       *slog.Logger // nil discards

	ping time.Duration // for tests; 0 is pingTime
}

// Validate returns an error that joins all violations.
func (c Config) Validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(c.Name+": "+format, args...)) }
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		fail("address = %q: must be host:port", c.Addr)
	}
	for _, err := range c.Access.Violations() {
		fail("%w", err)
	}
	for _, l := range []struct {
		name string
		n    int
	}{{"message", c.Limits.Message}, {"clients", c.Limits.Clients}, {"subscriptions", c.Limits.Subscriptions},
		{"rate", c.Limits.Rate}, {"calls", c.Limits.Calls}, {"queue", c.Limits.Queue}} {
		if l.n < 0 {
			fail("limits.%s = %d: must not be negative", l.name, l.n)
		}
	}
	return errors.Join(errs...)
}
