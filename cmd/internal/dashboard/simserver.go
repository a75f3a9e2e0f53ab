package dashboard

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/admission"
	"github.com/omnipitch/omnipitch/robotio/replay"
)

// simServer serves the API of one simulation, a run or a replay.
type simServer struct {
	sim     *omnipitch.Sim
	replay  *replay.Replay       // the replay that owns sim; nil: sim is a run
	at      atomic.Int64         // only in a replay: time of the shown state since the start of the recorded run, ns
	line    func() *timelineJSON // for a replay: returns the events of the recording, read once
	shown   shownLevels          // of a replay
	states  *states
	feeds   *feeds
	costs   *costs
	pace    *pace
	log     *journal
	expect  shared[[]expectationJSON]
	shapes  shapes
	minds   *minds
	sockets *admission.Places // of WebSockets
	waiting *admission.Places // of requests that wait for frames, for all simServers
	mux     *http.ServeMux
	ctx     context.Context
	cancel  context.CancelFunc
	gate

	askTopics func(context.Context) ([]Topic, error) // nil: there are no topics
	newTopics shared[[]Topic]
}

// newSimServer must be called before the simulation's first step. The argument played is the replay that owns the
// simulation; nil if the simulation is a run. When ctx ends, the server stops but is not closed.
func newSimServer(ctx context.Context, sim *omnipitch.Sim, played *replay.Replay,
	waiting *admission.Places) *simServer {
	s := &simServer{sim: sim, replay: played, sockets: admission.NewPlaces(maxSockets), waiting: waiting,
		mux: http.NewServeMux()}
	if played != nil {
		sim.OnStep(func(*physics.Snapshot) {
			s.at.Store(int64(played.Now()))
			s.shown.apply(sim)
		})
		s.line = sync.OnceValue(func() *timelineJSON { return timelineOf(played) })
	}
	s.states = newStates(sim, s.now)
	s.minds = &minds{past: newPast(sim)}
	s.feeds = &feeds{sim: sim, states: s.states, all: map[[2]string]*feed{}}
	s.costs, s.pace = newCosts(sim), newPace(sim)
	s.states.pace = &s.pace.sampling
	s.log = newJournal(sim, s.now)
	s.states.log = s.log
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.routes()
	s.wait.Go(func() { s.states.run(s.ctx) })
	return s
}

// routes registers the requests about one simulation, with the paths of requests about the run. For a replay next to
// the run, replays.forward removes the prefix of the path.
func (s *simServer) routes() {
	for path, handler := range map[string]http.Handler{
		"GET /api/world":                         answers(s.world),
		"GET /api/state":                         s.serveStates(false),
		"GET /api/poses":                         s.serveStates(true),
		"GET /api/scene":                         answers(s.scene),
		"GET /api/scene.glb":                     gzhttp.GzipHandler(http.HandlerFunc(s.serveShapes)),
		"GET /api/beliefs":                       answers(s.beliefs),
		"GET /api/topics":                        answers(s.topics),
		"GET /api/cameras/{robot}/{sensor}/next": s.serveNext(true),
		"GET /api/sensors/{robot}/{sensor}/next": s.serveNext(false),
		"GET /api/sensors":                       answers(s.sensors),
		"GET /api/pace":                          answers(s.samples),
		"GET /api/log":                           answers(s.entries),
		"GET /api/expectations":                  answers(s.expectations),
		"GET /api/actions":                       answers(s.actions),
		"GET /api/timeline":                      answers(s.timeline),
		"POST /api/do":                           commands(s.do),
		"POST /api/step":                         commands(s.step),
		"POST /api/seek":                         commands(s.seek),
		"POST /api/card":                         commands(s.card),
	} {
		s.mux.Handle(path, handler)
	}
}

// now returns the sim time of the shown state. In a replay, that is the time since the start of the recorded run. Any
// goroutine may call now.
func (s *simServer) now() time.Duration {
	if s.replay != nil {
		return time.Duration(s.at.Load())
	}
	return s.sim.Clock().Time()
}

// ServeHTTP answers a request with a path that the method routes has registered. The request ends when the simServer
// closes.
func (s *simServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		refuse(w, omnipitch.ErrClosed)
		return
	}
	defer s.wait.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	s.mux.ServeHTTP(w, r.WithContext(ctx))
}

// betweenSteps runs f between two steps or, while the run is paused, immediately. It returns f's error, or errWaits if
// f has not been run within the given wall time. f then still runs at the next step.
func (s *simServer) betweenSteps(ctx context.Context, within time.Duration, f func() error) error {
	done := make(chan error, 1)
	s.sim.Clock().After(0, func(time.Duration) { done <- f() })
	return await(ctx, within, done)
}

// await waits for the result that the goroutine that steps sends to done, and returns it.
func await(ctx context.Context, within time.Duration, done <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errWaits
	}
}

// close ends every request and removes all listeners. It does not close the simulation, which may already be closed.
func (s *simServer) close() {
	s.shut()
	s.cancel()
	s.wait.Wait()
	s.feeds.close()
	s.costs.measuring.close()
	s.pace.sampling.close()
	s.minds.past.keeping.close()
}
