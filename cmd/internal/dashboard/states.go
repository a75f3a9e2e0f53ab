package dashboard

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/robotio/refbox"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// Wall times.
const (
	stateEvery = time.Second / 30 // least time between two states: as smooth as a page needs
	// if no step comes for this long, the run is paused or waits; the state is then requested without a step
	quietTime = 250 * time.Millisecond
)

// states sends the newest state of a simulation to viewers. Each state is encoded once.
type states struct {
	sim     *omnipitch.Sim
	now     func() time.Duration // see simServer.now
	box     Box                  // nil: the run follows no referee box
	pace    *demand              // samples of the run's speed, taken while there are viewers
	log     *journal
	records func() bool   // reports whether a page records the run; nil if recording is impossible
	wanted  atomic.Bool   // true if the goroutine that steps must copy the next state
	fresh   chan struct{} // holds a token while a copy has not been encoded
	asked   atomic.Bool   // a state has been requested between steps

	mu      sync.Mutex
	viewers map[*viewer]struct{}
	newest  instant // guarded by mu
	world   *worlds.World
	worlds  int // number of worlds so far, restarts included
	changes atomic.Int64

	poses poses
}

// instant is a state as the goroutine that steps copies it.
type instant struct {
	truth     physics.Snapshot
	game      game.State
	standings []game.Standing
	radios    []radio.Status
	question  *refbox.Question // nil: there is none
	world     *worlds.World
	worlds    int

	poses  []spatial.Pose // poses of moving bodies, then of sensors; empty unless a viewer shows 3D
	moving int            // number of moving bodies in poses
	look   uint32         // number of changes of light and colours
	carpet mgl32.Vec3     // reflectance, linear red, green and blue
	at     time.Duration  // see simServer.now
}

// viewer receives states. A slow viewer gets only the newest one.
type viewer struct {
	next  chan []byte
	poses bool // receives poses instead of states
}

// newStates must be called before the first step.
func newStates(sim *omnipitch.Sim, now func() time.Duration) *states {
	s := &states{sim: sim, now: now, fresh: make(chan struct{}, 1),
		viewers: map[*viewer]struct{}{}}
	s.current()
	sim.OnStep(func(now *physics.Snapshot) {
		if s.wanted.Load() {
			s.copyState(now)
		}
	})
	return s
}

// current returns the present world and its id.
func (s *states) current() (*worlds.World, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count()
}

// count returns the present world and its id. If the world is new, it first increments the id. The caller holds mu.
func (s *states) count() (*worlds.World, int) {
	if w := s.sim.World(); w != s.world {
		s.world = w
		s.worlds++
	}
	return s.world, s.worlds
}

// copyState copies the present state. The goroutine that steps calls it.
func (s *states) copyState(now *physics.Snapshot) {
	s.wanted.Store(false)
	s.mu.Lock()
	now.CopyTo(&s.newest.truth)
	s.newest.at = s.now()
	s.newest.game = s.sim.Match().Game()
	if s.box != nil {
		s.newest.question = s.box.Question()
	}
	s.newest.standings = append(s.newest.standings[:0], s.sim.Match().Standings()...)
	s.newest.radios = s.sim.Match().AppendRadioStatus(s.newest.radios[:0])
	s.newest.world, s.newest.worlds = s.count()
	shading, look := s.poses.shading(s.sim)
	s.newest.look, s.newest.carpet = look, shading.Carpet
	s.newest.poses = s.newest.poses[:0]
	if s.poses.wanted.Load() > 0 {
		s.newest.poses = s.poses.appendTo(s.sim, s.newest.world, now, s.newest.poses)
		s.newest.moving = len(s.poses.moving)
	}
	s.mu.Unlock()
	select {
	case s.fresh <- struct{}{}:
	default:
	}
}

// publish publishes the state after a command between steps. The goroutine that steps calls it.
func (s *states) publish() {
	s.changes.Add(1)
	s.copyState(s.sim.Truth())
}

// enter adds a viewer of states or, if poses is true, of poses.
func (s *states) enter(poses bool) *viewer {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := &viewer{make(chan []byte, 1), poses}
	s.viewers[v] = struct{}{}
	if poses {
		s.poses.wanted.Add(1)
	}
	return v
}

func (s *states) leave(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.viewers, v)
	if v.poses {
		s.poses.wanted.Add(-1)
	}
}

func (s *states) watched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.viewers) > 0
}

// run publishes states while there are viewers, until ctx ends.
func (s *states) run(ctx context.Context) {
	tick := time.NewTicker(stateEvery)
	defer tick.Stop()
	var last time.Time
	var copied instant
	for {
		select {
		case <-s.fresh:
			last = time.Now()
			s.pass(&copied)
		case <-tick.C:
			if !s.watched() {
				s.wanted.Store(false)
				continue
			}
			_ = s.pace.renew() // fails when the server closes
			if s.wanted.Swap(true) && time.Since(last) > quietTime {
				s.ask()
			}
		case <-ctx.Done():
			return
		}
	}
}

// ask requests a copy of the state between steps. While the run is paused, the state is copied immediately.
func (s *states) ask() {
	if s.asked.Swap(true) {
		return
	}
	s.sim.Clock().After(0, func(time.Duration) {
		s.asked.Store(false)
		s.copyState(s.sim.Truth())
	})
}

// pass encodes the newest state and gives it to all viewers. If the newest state has been passed already, pass does
// nothing.
func (s *states) pass(copied *instant) {
	s.mu.Lock()
	passed := s.newest.world == nil
	if !passed {
		s.newest, *copied = *copied, s.newest // swap, to reuse memory
		s.newest.world = nil
	}
	s.mu.Unlock()
	if passed {
		return
	}
	state := stateOf(s.sim, copied)
	state.Log = s.log.newest.Load()
	state.Recorded = s.records != nil && s.records()
	text, err := json.Marshal(state)
	if err != nil {
		return // JSON cannot represent NaN or infinity: a body has left the world
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
		case <-v.next: // not yet received
		default:
		}
		v.next <- next
	}
}

// poses collects the poses of moving bodies for 3D views. All fields but wanted belong to the goroutine that steps.
type poses struct {
	wanted atomic.Int32 // number of viewers

	world  *worlds.World // the world that moving and views describe
	moving []int         // indices of moving bodies of the render scene
	views  []view
	all    []spatial.Pose // reused

	shown   *render.Shading
	changes uint32 // number of changes of light and colours
}

// prepare prepares the receiver for a world, and returns the receiver.
func (p *poses) prepare(sim *omnipitch.Sim, w *worlds.World) *poses {
	if p.world == w {
		return p
	}
	p.world, p.moving, p.views = w, nil, viewsOf(sim, w)
	for i := range sim.Sensors().Scenery().Scene.Bodies {
		if !sim.Sensors().Scenery().Scene.Bodies[i].Static {
			p.moving = append(p.moving, i)
		}
	}
	return p
}

// shading returns the scene's light and colours, and how often they have changed.
func (p *poses) shading(sim *omnipitch.Sim) (*render.Shading, uint32) {
	scenery := sim.Sensors().Scenery()
	now := scenery.Shading()
	if now == nil {
		now = &scenery.Scene.Shading
	}
	if now != p.shown {
		p.shown = now
		p.changes++
	}
	return now, p.changes
}

// appendTo appends the poses of moving bodies in the world frame, then those of sensor frames.
func (p *poses) appendTo(sim *omnipitch.Sim, w *worlds.World, now *physics.Snapshot,
	into []spatial.Pose) []spatial.Pose {
	p.prepare(sim, w)
	p.all = sim.Sensors().Scenery().Poses(now, p.all)
	for _, i := range p.moving {
		into = append(into, p.all[i])
	}
	for i := range p.views {
		v := &p.views[i]
		into = append(into, now.Robots[v.robot].PoseWB.Mul(v.poseBS(sim)))
	}
	return into
}

// posesHead is the length of a message's header, bytes.
const posesHead = 24

// message encodes poses in little-endian: world, changes of light and colours, number of bodies, number of sensors (32
// bits each), sim time (s, 64-bit float), then for each body and each sensor x, y, z (m) and the quaternion x, y, z, w
// as 32-bit floats.
func (at *instant) message() []byte {
	out := make([]byte, 0, posesHead+28*len(at.poses))
	for _, n := range [...]uint32{uint32(at.worlds), at.look, uint32(at.moving), uint32(len(at.poses) - at.moving)} {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(at.truth.Time.Seconds()))
	for i := range at.poses {
		p := &at.poses[i]
		for _, x := range [...]float64{p.Pos[0], p.Pos[1], p.Pos[2], p.Rot.V[0], p.Rot.V[1], p.Rot.V[2], p.Rot.W} {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
		}
	}
	return out
}
