package dashboard

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Wall times.
const (
	stateEvery = time.Second / 30 // between two states: as smooth as pages show them
	// without a step, after which the state is asked for: the run is paused, or waits
	quietTime = 250 * time.Millisecond
)

// states gives viewers the newest state of a simulation, encoded once for all.
type states struct {
	sim     *omnipitch.Sim
	now     func() time.Duration // see stage.now
	look    func()               // is called when somebody begins to look
	log     *journal
	records func() bool   // a page has the run recorded; nil: none can
	wanted  atomic.Bool   // the goroutine that steps is to copy the next state
	fresh   chan struct{} // holds one token when a copy has not been encoded
	wake    chan struct{} // holds one token when a viewer has come
	asked   atomic.Bool   // the state has been asked for beside the steps

	mu      sync.Mutex
	viewers map[*viewer]struct{}
	newest  instant // guarded by mu
	world   *worlds.World
	worlds  int // that have gone on so far
	changes atomic.Int64

	poses poses
}

// instant is a state, as the goroutine that steps has it.
type instant struct {
	truth     physics.Snapshot
	game      game.State
	standings []game.Standing
	world     *worlds.World
	worlds    int

	poses  []spatial.Pose // of what moves, then of sensors; none unless somebody looks in 3D
	moving int            // of which so many of bodies
	look   uint32         // changes of light and colours
	at     time.Duration  // see stage.now
}

// viewer gets the newest state that it has not got: a slow one misses those between.
type viewer struct {
	next  chan []byte
	poses bool // instead of the state
}

// newStates must be called before the first step.
func newStates(sim *omnipitch.Sim, now func() time.Duration) *states {
	s := &states{sim: sim, now: now, fresh: make(chan struct{}, 1), wake: make(chan struct{}, 1),
		viewers: map[*viewer]struct{}{}}
	s.current()
	sim.OnStep(func(now *physics.Snapshot) {
		if s.wanted.Load() {
			s.take(now)
		}
	})
	return s
}

// current returns the world that goes on, and how many have.
func (s *states) current() (*worlds.World, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count()
}

// count is current with mu held.
func (s *states) count() (*worlds.World, int) {
	if w := s.sim.World(); w != s.world {
		s.world = w
		s.worlds++
	}
	return s.world, s.worlds
}

// take copies the present state. The goroutine that steps calls it.
func (s *states) take(now *physics.Snapshot) {
	s.wanted.Store(false)
	s.mu.Lock()
	now.CopyTo(&s.newest.truth)
	s.newest.at = s.now()
	s.newest.game = s.sim.Game()
	s.newest.standings = append(s.newest.standings[:0], s.sim.Standings()...)
	s.newest.world, s.newest.worlds = s.count()
	s.newest.poses = s.newest.poses[:0]
	if s.poses.wanted.Load() > 0 {
		s.newest.poses = s.poses.take(s.sim, s.newest.world, now, s.newest.poses)
		s.newest.moving = len(s.poses.moving)
		_, s.newest.look = s.poses.shading(s.sim)
	}
	s.mu.Unlock()
	signal(s.fresh)
}

// moved tells that a command has changed the state between steps. The goroutine that steps calls it.
func (s *states) moved() {
	s.changes.Add(1)
	s.take(s.sim.Truth())
}

// enter adds a viewer, of states or of poses, unless there are limit already.
func (s *states) enter(limit int, poses bool) (*viewer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.viewers) >= limit {
		return nil, false
	}
	v := &viewer{make(chan []byte, 1), poses}
	s.viewers[v] = struct{}{}
	signal(s.wake)
	return v, true
}

func (s *states) leave(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.viewers, v)
}

func (s *states) watched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.viewers) > 0
}

// run asks for states and passes them on while there are viewers, until ctx ends.
func (s *states) run(ctx context.Context) {
	for {
		select {
		case <-s.wake:
			s.serve(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// serve is run until nobody looks any more.
func (s *states) serve(ctx context.Context) {
	defer s.wanted.Store(false)
	s.look()
	tick := time.NewTicker(stateEvery)
	defer tick.Stop()
	s.ask()
	var last time.Time
	var copied instant
	for s.watched() {
		select {
		case <-s.fresh:
			last = time.Now()
			s.pass(&copied)
		case <-tick.C:
			if s.wanted.Swap(true) && time.Since(last) > quietTime {
				s.ask()
			}
		case <-ctx.Done():
			return
		}
	}
}

// ask asks for the state beside the steps: while the run is paused it is taken at once.
func (s *states) ask() {
	if s.asked.Swap(true) {
		return
	}
	s.sim.After(0, func(time.Duration) {
		s.asked.Store(false)
		s.take(s.sim.Truth())
	})
}

// pass encodes the newest state, and leaves it for all viewers.
func (s *states) pass(copied *instant) {
	s.mu.Lock()
	s.newest, *copied = *copied, s.newest // the older one's memory is the next one's
	s.mu.Unlock()
	state := stateOf(s.sim, copied)
	state.Log = s.log.newest.Load()
	state.Recorded = s.records != nil && s.records()
	text, err := json.Marshal(state)
	if err != nil {
		return // a number that JSON does not have: a body has left the world
	}
	var poses []byte
	if len(copied.poses) > 0 {
		poses = copied.message()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for v := range s.viewers {
		next := text
		if v.poses {
			next = poses
		}
		if next == nil {
			continue
		}
		select {
		case <-v.next: // which it has not taken
		default:
		}
		v.next <- next
	}
}

// signal leaves a token for who waits.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
