package dashboard

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/replay"
)

// simServer serves the API of one simulation, a run or a replay.
type simServer struct {
	sim    *omnipitch.Sim
	replay *replay.Replay // the replay that owns sim; nil: sim is a run
	at     atomic.Int64   // only in a replay: time of the shown state since the start of the recorded run, ns
	line   timeline       // of a replay
	shown  shownLevels    // of a replay
	states *states
	feeds  *feeds
	costs  *costs
	pace   *pace
	log    *journal
	expect expectations
	shapes shapes
	minds  *minds
	topics *topicList
	looks  chan struct{} // holds a token for each waiting frame request of all simServers
	mux    *http.ServeMux
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// newSimServer must be called before the simulation's first step. The argument played is the replay that owns the
// simulation; nil if the simulation is a run. When ctx ends, the server stops but is not closed.
func newSimServer(ctx context.Context, sim *omnipitch.Sim, played *replay.Replay, looks chan struct{}) *simServer {
	s := &simServer{sim: sim, replay: played, looks: looks, mux: http.NewServeMux()}
	if played != nil {
		sim.OnStep(func(*physics.Snapshot) {
			s.at.Store(int64(played.Now()))
			s.shown.apply(sim)
		})
	}
	s.states = newStates(sim, s.now)
	s.minds, s.topics = &minds{past: newPast(sim)}, &topicList{}
	s.feeds = &feeds{sim: sim, states: s.states, all: map[[2]string]*feed{}}
	s.costs = &costs{sim: sim}
	s.pace = &pace{sim: sim, watched: s.states.watched}
	s.states.look = s.pace.look
	s.log = newJournal(sim, s.now)
	s.states.log = s.log
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.routes()
	s.wait.Go(func() { s.states.run(s.ctx) })
	return s
}

// routes registers the requests about one simulation. Their paths are those of the run.
func (s *simServer) routes() {
	s.mux.HandleFunc("GET /api/world", s.serveWorld)
	s.mux.HandleFunc("GET /api/state", s.serveState)
	s.mux.HandleFunc("GET /api/scene", s.serveScene)
	s.mux.HandleFunc("GET /api/scene.glb", s.serveShapes)
	s.mux.HandleFunc("GET /api/poses", s.servePoses)
	s.mux.HandleFunc("GET /api/beliefs", s.serveBeliefs)
	s.mux.HandleFunc("GET /api/topics", s.serveTopics)
	s.mux.HandleFunc("GET /api/cameras/{robot}/{sensor}/next", s.serveFrame)
	s.mux.HandleFunc("GET /api/sensors", s.serveSensors)
	s.mux.HandleFunc("GET /api/sensors/{robot}/{sensor}/next", s.serveReading)
	s.mux.HandleFunc("GET /api/pace", s.servePace)
	s.mux.HandleFunc("GET /api/log", s.serveLog)
	s.mux.HandleFunc("GET /api/expectations", s.serveExpectations)
	s.mux.HandleFunc("GET /api/actions", s.serveActions)
	s.mux.HandleFunc("POST /api/do", s.serveDo)
	s.mux.HandleFunc("POST /api/step", s.serveStep)
	s.mux.HandleFunc("GET /api/timeline", s.serveTimeline)
	s.mux.HandleFunc("POST /api/seek", s.serveSeek)
}

// now returns the sim time of the shown state. In a replay, that is the time since the start of the recorded run. Any
// goroutine may call now.
func (s *simServer) now() time.Duration {
	if s.replay != nil {
		return time.Duration(s.at.Load())
	}
	return s.sim.Clock().Time()
}

// ServeHTTP answers a request with a path of the run. The request ends when the simServer closes.
func (s *simServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		refuse(w, omnipitch.ErrClosed)
		return
	}
	defer s.wait.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	s.mux.ServeHTTP(w, r.WithContext(ctx))
}

// begin registers a request, so that close waits for it. It returns false if the simServer is closed.
func (s *simServer) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wait.Add(1)
	}
	return !s.closed
}

// close ends every request and removes all listeners. It does not close the simulation, which may already be closed.
func (s *simServer) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.wait.Wait()
	s.feeds.close()
	s.costs.close()
	s.pace.close()
}
