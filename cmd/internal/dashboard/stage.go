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

// stage is a simulation that the server shows, a run or a replay, with what pages get of it. Its requests are those of
// the API that are about one simulation.
type stage struct {
	sim    *omnipitch.Sim
	replay *replay.Replay // whose sim it is; nil: the simulation runs
	at     atomic.Int64   // of a replay: the state that was shown last, since the recorded run began, ns
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
	looks  chan struct{} // holds a token for each request that waits for a frame, of all stages
	mux    *http.ServeMux
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// newStage must be called before the simulation's first step. played is the replay whose simulation it is, or nil. ctx
// ends the stage, but does not close it.
func newStage(ctx context.Context, sim *omnipitch.Sim, played *replay.Replay, looks chan struct{}) *stage {
	s := &stage{sim: sim, replay: played, looks: looks, mux: http.NewServeMux()}
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

// routes are the requests about one simulation, with the paths that they have of the server's run.
func (s *stage) routes() {
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

// now is when the state was that was shown last: of a replay since the recorded run began. Any goroutine may call it.
func (s *stage) now() time.Duration {
	if s.replay != nil {
		return time.Duration(s.at.Load())
	}
	return s.sim.Clock().Time()
}

// ServeHTTP answers a request whose path is that of the server's run. The request ends with the stage.
func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

// begin counts a request that close waits for, unless the stage is closed.
func (s *stage) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.wait.Add(1)
	}
	return !s.closed
}

// close ends every request and removes all listeners. The simulation, which is not closed, may have gone.
func (s *stage) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.wait.Wait()
	s.feeds.close()
	s.costs.close()
	s.pace.close()
}
