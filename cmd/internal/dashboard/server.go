package dashboard

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/robotio/access"
	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/robotio/belief"
	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/robotio/replay"
)

// Limits. The values are guesses, far above the needs of pages and scripts.
const (
	maxSockets = 64               // number of WebSockets of a simulation; see package admission
	maxWaiting = 64               // number of requests that wait for a frame; see package admission
	maxBody    = 64 << 10         // bytes of a command
	maxMessage = 1 << 10          // bytes that a WebSocket client may send: it needs to send nothing
	headerTime = 5 * time.Second  // wall time to send a request's header, and its body
	writeTime  = 10 * time.Second // wall time to receive an answer, or a state
	keepTime   = time.Minute      // wall time for which an idle connection stays open
)

// Config configures a server.
type Config struct {
	// host:port to listen at; port 0 means any free port. If it is not a loopback address, clients need a token
	Addr   string
	Access access.Rule // the host names and origins that are served

	// Beliefs returns what robots believe. It is called while clients watch. nil means that beliefs are unavailable
	Beliefs func() []belief.Robot
	// Topics returns all topics. It is called at most once a second while clients watch. nil means that there are no
	// topics
	Topics func(context.Context) ([]Topic, error)
	// Box asks which robot a command of the referee box is for. nil means that the run follows no referee box
	Box        Box
	Replay     *replay.Replay // the replay that owns the simulation; nil if the simulation is a run
	Recordings Recordings
	Beside     omnipitch.Options // rendering options of replays next to the run
}

// Box is the connection to a referee box. A refbox.Following implements it.
type Box interface {
	Question() *refbox.Question
	Answer(number int) error
}

// Server is a running dashboard. It authenticates requests and forwards them to simulations. Watched, Reloaded and
// Close of a nil Server do nothing.
type Server struct {
	run     *simServer // the simulation that the page shows first; nil: there is none
	replays *replays
	folders *folders
	tape    tape
	guard   *access.Guard
	origins []string // origins of pages that are admitted besides the server's own page
	token   string   // empty: clients need no token
	addr    net.Addr
	http    *http.Server
	ctx     context.Context
	cancel  context.CancelFunc
	gate
}

// Listen starts a dashboard. sim must not have taken its first step; if it is nil, the dashboard shows only recordings
// and test results. Listen fails if the address is in use or not an address of this machine.
func Listen(sim *omnipitch.Sim, cfg Config) (*Server, error) {
	l, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	folders, err := openFolders(cfg.Recordings.Folders)
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("dashboard: %w", err)
	}
	host, _, _ := net.SplitHostPort(cfg.Addr)
	s := &Server{guard: cfg.Access.Guard("dashboard", nil, host), origins: cfg.Access.Origins,
		token: newToken(cfg.Addr), folders: folders,
		addr: l.Addr(), tape: tape{cfg: cfg.Recordings}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	waiting := admission.NewPlaces(maxWaiting)
	s.replays = &replays{ctx: s.ctx, folders: folders, options: cfg.Beside, waiting: waiting,
		all: map[int]*besideReplay{}}
	s.replays.unseen.Store(int64(unseenTime))
	if sim != nil {
		s.run = newSimServer(s.ctx, sim, cfg.Replay, waiting)
		s.run.states.records = s.tape.on
		s.run.minds.beliefs, s.run.askTopics = cfg.Beliefs, cfg.Topics
		s.run.states.box = cfg.Box
	}
	if sim != nil && cfg.Replay == nil {
		s.tape.world = func() string { return sim.World().Name }
	}
	s.http = &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: headerTime, ReadTimeout: headerTime, WriteTimeout: pollTime + writeTime,
		IdleTimeout: keepTime, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return s.ctx },
		ErrorLog:    log.New(io.Discard, "", 0), // misbehaving clients lose their connection silently
	}
	s.wait.Go(func() { _ = admission.Serve(s.http, l) })
	return s, nil
}

// Addr returns the address that the server listens at.
func (s *Server) Addr() net.Addr { return s.addr }

// Watched reports whether a client watches the simulation.
func (s *Server) Watched() bool { return s != nil && s.run != nil && s.run.states.watched() }

// Close ends every connection, waits for all goroutines, and ends a recording that a page has started. It returns the
// recording's error. The run must have ended.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	s.shut()
	s.cancel()
	_ = s.http.Close()
	s.wait.Wait()
	if s.run != nil {
		s.run.close()
	}
	s.replays.wait.Wait()
	s.folders.close()
	return s.tape.close()
}
