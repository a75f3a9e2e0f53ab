package physics

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Touch is a contact between two bodies during a step. Contacts with the floor are left out.
type Touch struct {
	A, B    BodyID     // A < B, or B is Static
	PosW    mgl64.Vec3 // contact point, metres
	Impulse float64    // impulse along the normal during the step, N s
	Closing float64    // normal speed at which the bodies approached each other when the contact began, m/s
}

// EventKind is a kind of event.
type EventKind uint8

const (
	Collided  EventKind = iota // two bodies have collided, at Touch.Closing
	PushBegan                  // two bodies have been pressing against each other for the time pushAfter
	PushEnded
	StuckBegan // robot A is commanded to move, but does not move
	StuckEnded
	WheelsStuckBegan // a motor of robot A is at a limit and its wheel does not turn
	WheelsStuckEnded
)

// String returns the kind as written in truth files.
func (k EventKind) String() string {
	return [...]string{"collision", "push_begins", "push_ends", "stuck", "free", "wheels_stuck", "wheels_free"}[k]
}

// Pairwise reports whether events of this kind concern two bodies; the others concern one robot.
func (k EventKind) Pairwise() bool { return k <= PushEnded }

// Event is the beginning or the end of a condition, such as a push. It is reported once, in the snapshot of the step in
// which it happens. Events that concern one robot have B = Static.
type Event struct {
	Kind EventKind
	Touch
}

const (
	// collisionSpeed is the smallest closing speed that counts as a collision, in m/s. 0.15 is a guess: two robots that
	// lean against each other close at a lower speed.
	collisionSpeed = 0.15
	// pushForce is the smallest normal force of a push, in N. 30 is a guess: a tenth of a robot's weight.
	pushForce = 30
	// pushAfter is the time of contact after which a push begins. pushGap is the longest interruption of the contact
	// that does not end a push. Both are guesses, in seconds.
	pushAfter = 0.5
	pushGap   = 0.1
)

// EventDetector derives events from touches. It keeps a state for every pair of bodies that touch.
type EventDetector struct {
	model *Model
	pairs []pair
}

type pair struct {
	a, b      BodyID
	pressing  float64 // duration of contact with at least pushForce, s
	apart     float64 // time since the last touch, s
	unpressed float64 // time since the last contact with at least pushForce, s
	pushing   bool
	seen      bool
	last      Touch
}

// NewEventDetector returns the detector for a model's bodies.
func NewEventDetector(model *Model) EventDetector { return EventDetector{model: model} }

// Update merges the snapshot's touches of the same two bodies into one touch, and appends the events of the step to the
// snapshot. The step has a length of dt seconds. Touches of the ball cause only events of kind Collided.
func (w *EventDetector) Update(s *Snapshot, dt float64) {
	for i := range w.pairs {
		w.pairs[i].seen = false
	}
	s.Touches = merged(s.Touches)
	for _, t := range s.Touches {
		p := w.pair(t.A, t.B)
		if p == nil {
			w.pairs = append(w.pairs, pair{a: t.A, b: t.B})
			p = &w.pairs[len(w.pairs)-1]
			if t.Closing >= collisionSpeed {
				s.Events = append(s.Events, Event{Kind: Collided, Touch: t})
			}
		}
		p.seen, p.apart, p.last = true, 0, t
		if t.Impulse < pushForce*dt || t.A == w.model.BallID() || t.B == w.model.BallID() {
			p.unpressed += dt
			continue
		}
		p.pressing, p.unpressed = p.pressing+dt, 0
		if !p.pushing && p.pressing >= pushAfter-dt/2 {
			p.pushing = true
			s.Events = append(s.Events, Event{Kind: PushBegan, Touch: t})
		}
	}
	kept := w.pairs[:0]
	for _, p := range w.pairs {
		if !p.seen {
			p.apart += dt
			p.unpressed += dt
		}
		if p.unpressed > pushGap+dt/2 {
			if p.pushing {
				s.Events = append(s.Events, Event{Kind: PushEnded, Touch: p.last})
			}
			p.pressing, p.pushing = 0, false
		}
		if p.apart <= pushGap+dt/2 {
			kept = append(kept, p)
		}
	}
	w.pairs = kept
}

func (w *EventDetector) pair(a, b BodyID) *pair {
	for i := range w.pairs {
		if w.pairs[i].a == a && w.pairs[i].b == b {
			return &w.pairs[i]
		}
	}
	return nil
}

// merged merges the touches of the same two bodies into one touch, in place, and returns the shorter slice.
func merged(touches []Touch) []Touch {
	out := touches[:0]
next:
	for _, t := range touches {
		if t.B != Static && t.A > t.B {
			t.A, t.B = t.B, t.A
		}
		for i := range out {
			if o := &out[i]; o.A == t.A && o.B == t.B {
				if t.Impulse > o.Impulse {
					o.PosW = t.PosW
				}
				o.Impulse += t.Impulse
				o.Closing = max(o.Closing, t.Closing)
				continue next
			}
		}
		out = append(out, t)
	}
	return out
}

// A robot is stuck if, for stuckAfter seconds, it is commanded to move faster than stuckWanted but moves slower than
// stuckMoving, in m/s. The values are guesses: stuckWanted is clearly a command, stuckMoving is clearly no motion, and
// no robot takes stuckAfter to start.
const (
	stuckWanted = 0.2
	stuckMoving = 0.05
	stuckAfter  = 0.5
)

// StuckTimer detects that a robot is stuck. The zero value is ready.
type StuckTimer struct{ seconds float64 }

// Update takes the commanded velocity and the measured speed in m/s of a step of dt seconds. It reports whether the
// robot is stuck.
func (t *StuckTimer) Update(wanted PlanarTwist, speed, dt float64) bool {
	if speed >= stuckMoving || math.Hypot(wanted.VX, wanted.VY) <= stuckWanted {
		t.seconds = 0
		return false
	}
	t.seconds += dt
	return t.seconds > stuckAfter
}
