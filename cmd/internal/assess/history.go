package assess

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// hold is the time after its capture in which messages about a frame may arrive. 2 s is a guess: longer than any vision
// needs.
const hold = 2 * time.Second

// maxHistory is the largest number of states that are kept. It matters only in worlds with very short steps.
const maxHistory = 1 << 12

// history is a ring buffer of the states of the last seconds.
type history struct {
	ring    []physics.Snapshot
	next, n int // index of the next write; number of states
}

func newHistory(step time.Duration) history {
	return history{ring: make([]physics.Snapshot, min(int((hold+hold/4)/step)+2, maxHistory))}
}

// add stores a state.
func (h *history) add(now *physics.Snapshot) {
	bare := *now
	bare.Touches, bare.Events = nil, nil
	bare.CopyTo(&h.ring[h.next])
	h.next = (h.next + 1) % len(h.ring)
	h.n = min(h.n+1, len(h.ring))
}

func (h *history) clear() { h.n = 0 }

// back returns the i-th state before the last one; for i = 0 it returns the last state.
func (h *history) back(i int) *physics.Snapshot {
	return &h.ring[(h.next-1-i+2*len(h.ring))%len(h.ring)]
}

// at interpolates between the stored states to the time when, and writes the result to *into. It returns false if the
// time is outside of the stored range.
func (h *history) at(when time.Duration, into *physics.Snapshot) bool {
	if h.n == 0 || when > h.back(0).Time {
		return false
	}
	for i := range h.n {
		a := h.back(i)
		if a.Time > when {
			continue
		}
		a.CopyTo(into)
		if a.Time < when {
			between(a, h.back(i-1), when, into)
		}
		return true
	}
	return false
}

// between advances the state *into, which is a copy of the state a, to the time when. This time is between the states a
// and b.
func between(a, b *physics.Snapshot, when time.Duration, into *physics.Snapshot) {
	dt := (b.Time - a.Time).Seconds()
	f := (when - a.Time).Seconds() / dt
	into.Time = when
	into.Ball.PosW = hermite(a.Ball.PosW, b.Ball.PosW, a.Ball.TwistInW.Lin, b.Ball.TwistInW.Lin, f, dt)
	for i := range into.Robots {
		p, q := &a.Robots[i], &b.Robots[i]
		into.Robots[i].PoseWB = poseBetween(p.PoseWB, q.PoseWB, p.TwistWBInW, q.TwistWBInW, f, dt)
	}
	for i := range into.Obstacles {
		p, q := &a.Obstacles[i], &b.Obstacles[i]
		into.Obstacles[i].PoseWO = poseBetween(p.PoseWO, q.PoseWO, p.TwistWOInW, q.TwistWOInW, f, dt)
	}
}

func poseBetween(a, b spatial.Pose, va, vb spatial.Twist, f, dt float64) spatial.Pose {
	return spatial.Pose{Pos: hermite(a.Pos, b.Pos, va.Lin, vb.Lin, f, dt), Rot: mgl64.QuatNlerp(a.Rot, b.Rot,
		f).Normalize()}
}

// hermite returns the cubic Hermite interpolation between two positions a and b with the velocities va and vb. The
// result is for the fraction f of the time interval dt. If somebody moved the body in the interval, the result is the
// first position.
func hermite(a, b, va, vb mgl64.Vec3, f, dt float64) mgl64.Vec3 {
	if far := b.Sub(a).Len(); far > 0.05+2*dt*(va.Len()+vb.Len()) {
		return a
	}
	f2, f3 := f*f, f*f*f
	return a.Mul(2*f3 - 3*f2 + 1).Add(va.Mul(dt * (f3 - 2*f2 + f))).Add(b.Mul(3*f2 - 2*f3)).Add(vb.Mul(dt * (f3 - f2)))
}
