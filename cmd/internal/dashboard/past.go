package dashboard

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// The recent truth is kept because beliefs refer to the past.
const (
	pastEvery = 5 * time.Millisecond // least sim time between two moments
	pastKept  = 256                  // number of moments
	pastIdle  = 2 * time.Second      // wall time from the last request until moments are no longer stored
)

// past keeps the recent positions of all bodies, while clients ask for them.
type past struct {
	sim     *omnipitch.Sim
	keeping demand
	wanted  atomic.Bool // true if the goroutine that steps must store moments

	mu      sync.Mutex
	moments []whereabouts // oldest first
	spare   whereabouts   // reused memory of a dropped moment
}

// whereabouts are the poses of all bodies, and the velocities of robots, at a sim time, in the map frame.
type whereabouts struct {
	time       time.Duration
	ball       [3]float64
	holder     int // index of the robot that dribbles the ball; −1: no robot does
	robots     []planar
	velocities [][2]float64 // of the robots, m/s
	obstacles  []planar
}

// planar is a pose on the floor, m and rad.
type planar struct{ x, y, heading float64 }

// newPast must be called before the first step.
func newPast(sim *omnipitch.Sim) *past {
	p := &past{sim: sim}
	p.keeping = demand{idle: pastIdle, begin: func() (func(), error) {
		p.mu.Lock()
		p.moments = p.moments[:0] // the states since the last moment were not stored
		p.mu.Unlock()
		p.keepNow()
		p.wanted.Store(true)
		return func() { p.wanted.Store(false) }, nil
	}}
	sim.OnStep(func(now *physics.Snapshot) {
		if !p.wanted.Load() {
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		n := len(p.moments)
		if n == 0 || now.Time < p.moments[n-1].time || now.Time >= p.moments[n-1].time+pastEvery {
			p.keep(now)
		}
	})
	return p
}

// want requests that states be stored for the next pastIdle. While the run is paused, want stores the present state
// immediately, because commands may have changed it.
func (p *past) want() {
	_ = p.keeping.renew() // fails when the server closes
	if p.sim.Clock().Paused() {
		p.keepNow()
	}
}

// keepNow keeps the present state.
func (p *past) keepNow() {
	p.sim.Clock().After(0, func(time.Duration) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.keep(p.sim.Truth())
	})
}

// keep keeps a state, in place of an earlier state of the same sim time. The caller holds mu.
func (p *past) keep(now *physics.Snapshot) {
	n := len(p.moments)
	switch {
	case n > 0 && now.Time < p.moments[n-1].time: // the world has restarted
		p.moments = p.moments[:0]
	case n > 0 && now.Time == p.moments[n-1].time:
		p.spare, p.moments = p.moments[n-1], p.moments[:n-1]
	case n == pastKept:
		p.spare = p.moments[0]
		copy(p.moments, p.moments[1:])
		p.moments = p.moments[:n-1]
	}
	w := p.spare
	p.spare = whereabouts{}
	w.time, w.ball, w.holder = now.Time, now.Ball.PosW, now.Ball.HeldBy
	w.robots, w.velocities, w.obstacles = w.robots[:0], w.velocities[:0], w.obstacles[:0]
	for i := range now.Robots {
		w.robots = append(w.robots, planarOf(now.Robots[i].PoseWB))
		w.velocities = append(w.velocities, [2]float64(now.Robots[i].TwistWBInW.Lin[:2]))
	}
	for i := range now.Obstacles {
		w.obstacles = append(w.obstacles, planarOf(now.Obstacles[i].PoseWO))
	}
	p.moments = append(p.moments, w)
}

func planarOf(p spatial.Pose) planar { return planar{p.Pos[0], p.Pos[1], p.Heading()} }

// at returns the poses and velocities at a time, interpolated between the two moments around it, or the latest ones for
// a future time. The holder is that of the moment before. It returns false for times that are no longer kept. The
// caller owns the result.
func (p *past) at(t time.Duration) (w whereabouts, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.moments)
	if n == 0 || t < p.moments[0].time {
		return w, false
	}
	k := n - 1
	for k > 0 && p.moments[k].time > t {
		k--
	}
	a := &p.moments[k]
	b, share := a, 0.
	if k+1 < n {
		b = &p.moments[k+1]
		share = float64(t-a.time) / float64(b.time-a.time)
	}
	w.time, w.holder = t, a.holder
	for i := range w.ball {
		w.ball[i] = a.ball[i] + share*(b.ball[i]-a.ball[i])
	}
	w.robots, w.obstacles = between(a.robots, b.robots, share), between(a.obstacles, b.obstacles, share)
	w.velocities = make([][2]float64, min(len(a.velocities), len(b.velocities)))
	for i := range w.velocities {
		for k, v := range a.velocities[i] {
			w.velocities[i][k] = v + share*(b.velocities[i][k]-v)
		}
	}
	return w, true
}

func between(a, b []planar, share float64) []planar {
	all := make([]planar, min(len(a), len(b)))
	for i := range all {
		turn := spatial.WrapAngle(b[i].heading - a[i].heading)
		all[i] = planar{a[i].x + share*(b[i].x-a[i].x), a[i].y + share*(b[i].y-a[i].y),
			spatial.WrapAngle(a[i].heading + share*turn)}
	}
	return all
}
