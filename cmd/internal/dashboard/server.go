package dashboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/replay"
)

// Limits. Guesses, far above what pages and scripts need.
const (
	maxConns   = 256              // connections at once; what comes beyond that is closed
	maxSockets = 64               // of which WebSockets
	maxLooks   = 64               // requests that wait for a frame
	maxBody    = 64 << 10         // bytes of a command
	maxMessage = 1 << 10          // bytes that a WebSocket's client may send: it has nothing to say
	headerTime = 5 * time.Second  // wall time to send a request's head, and its body
	writeTime  = 10 * time.Second // to take an answer, or a state
	keepTime   = time.Minute      // that a connection without a request stays open
)

// Config configures a server.
type Config struct {
	Addr   string      // host:port to listen at; port 0 is a free one. At others than loopback's a token is needed
	Access access.Rule // under which names of this machine, and for which pages, requests are served

	// what robots believe, asked for while somebody looks; nil: nobody can know
	Beliefs func() []belief.Robot
	// all topics, asked for once a second while somebody looks; nil: there are none
	Topics     func(context.Context) ([]Topic, error)
	Replay     *replay.Replay // whose simulation it is, of a replay
	Recordings Recordings
	Beside     omnipitch.Options // of replays beside the run: what draws them
}

// Server is a running dashboard: it says who may ask, and has stages answer.
type Server struct {
	run     *stage // the simulation that the page shows first; nil: there is none
	replays *replays
	folders *folders
	tape    tape
	guard   *access.Guard
	origins []string // of pages that are let in besides its own
	token   string   // empty: none is needed
	addr    net.Addr
	http    *http.Server
	conns   *limited
	ctx     context.Context
	cancel  context.CancelFunc
	wait    sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// Listen starts a dashboard of a simulation, before its first step, or, where sim is nil, of recordings and test
// results alone. It fails when the address is taken or not this machine's.
func Listen(sim *omnipitch.Sim, cfg Config) (*Server, error) {
	l, err := net.Listen("tcp", cfg.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("dashboard: address %s: %w: choose another port or end the program that has it",
			cfg.Addr, syscall.EADDRINUSE)
	}
	if err != nil {
		return nil, fmt.Errorf("dashboard: address %s: %w", cfg.Addr, err)
	}
	folders, err := openFolders(cfg.Recordings.Folders)
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	host, _, _ := net.SplitHostPort(cfg.Addr)
	s := &Server{guard: cfg.Access.Guard("dashboard", nil, host), origins: cfg.Access.Origins,
		token: newToken(cfg.Addr), folders: folders,
		addr: l.Addr(), conns: &limited{Listener: l, places: make(chan struct{}, maxConns)},
		tape: tape{cfg: cfg.Recordings}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	looks := make(chan struct{}, maxLooks)
	s.replays = &replays{ctx: s.ctx, folders: folders, options: cfg.Beside, looks: looks, all: map[int]*beside{}}
	s.replays.unseen.Store(int64(unseenTime))
	if sim != nil {
		s.run = newStage(s.ctx, sim, cfg.Replay, looks)
		s.run.states.records = s.tape.on
		s.run.minds.beliefs, s.run.topics.ask = cfg.Beliefs, cfg.Topics
	}
	if sim != nil && cfg.Replay == nil {
		s.tape.world = func() string { return sim.World().Name }
	}
	s.http = &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: pollTime + writeTime,
		IdleTimeout: keepTime, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return s.ctx },
		ErrorLog:    log.New(io.Discard, "", 0), // of misbehaving clients, which lose their connection
	}
	s.wait.Go(func() { _ = s.http.Serve(s.conns) })
	return s, nil
}

// Addr returns the address that the server listens at.
func (s *Server) Addr() net.Addr { return s.addr }

// Watched tells whether somebody looks at the simulation.
func (s *Server) Watched() bool { return s.run != nil && s.run.states.watched() }

// Close ends every connection, waits for all goroutines, and ends what a page has begun to record, which may fail. The
// run has ended.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	_ = s.http.Close()
	s.wait.Wait()
	if s.run != nil {
		s.run.close()
	}
	s.replays.close()
	s.folders.close()
	return s.tape.close()
}

// begin counts a request that Close waits for, unless the server is closed.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wait.Add(1)
	}
	return !s.closed
}

// limited is a listener with so many places for connections.
type limited struct {
	net.Listener
	places chan struct{}
}

// Accept closes connections for which there is no place.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.places <- struct{}{}:
			return &placed{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
		default:
			_ = c.Close()
		}
	}
}

type placed struct {
	net.Conn
	leave func()
}

func (c *placed) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}
