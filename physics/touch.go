package physics

import "github.com/go-gl/mathgl/mgl64"

// BodyID names a body of a model: robots first, then obstacles, then the ball, in the model's order; what stands still
// has none of its own.
type BodyID int

// Still is everything that stands still: boards, goals, floor.
const Still BodyID = -1

// RobotID, ObstacleID and BallID name a model's bodies.
func (s *Model) RobotID(robot int) BodyID       { return BodyID(robot) }
func (s *Model) ObstacleID(obstacle int) BodyID { return BodyID(len(s.Robots) + obstacle) }
func (s *Model) BallID() BodyID                 { return BodyID(len(s.Robots) + len(s.Obstacles)) }

// BodyName returns a body's name as world files have it.
func (s *Model) BodyName(id BodyID) string {
	switch n := len(s.Robots); {
	case id == Still:
		return "hall"
	case int(id) < n:
		return s.Robots[id].Name
	case id == s.BallID():
		return "ball"
	default:
		return s.Obstacles[int(id)-n].Name
	}
}

// Touch is a contact between two bodies during a step; the floor does not count.
type Touch struct {
	A, B    BodyID     // A < B, or B is Still
	PosW    mgl64.Vec3 // where, metres
	Impulse float64    // along the normal, over the step, N s
	Closing float64    // speed at which they came together when the contact began, m/s
}

// EventKind is what has begun or ended.
type EventKind uint8

const (
	Collided  EventKind = iota // two bodies have run into each other, at Touch.Closing
	PushBegan                  // they have been pressing against each other for pushAfter
	PushEnded
	StuckBegan // robot A wants to move and does not
	StuckEnded
	WheelsStuckBegan // a motor of robot A gives all it can and its wheel does not turn
	WheelsStuckEnded
)

// String returns the kind as truth files have it.
func (k EventKind) String() string {
	return [...]string{"collision", "push_begins", "push_ends", "stuck", "free", "wheels_stuck", "wheels_free"}[k]
}

// OfTwo tells whether events of this kind are between two bodies; the others are about one robot.
func (k EventKind) OfTwo() bool { return k <= PushEnded }

// Event is something that referees and robots need to be told once. Events of one robot have B = Still.
type Event struct {
	Kind EventKind
	Touch
}

const (
	// collisionSpeed is the closing speed from which on a new contact is a collision, m/s. Guess: two robots that
	// lean on each other are slower.
	collisionSpeed = 0.15
	// pushForce is what two bodies press against each other at least when one pushes the other, N. Guess: a tenth of
	// a robot's weight.
	pushForce = 30
	// pushAfter is how long they do, and pushGap how long they may part in between, in seconds. Guesses.
	pushAfter = 0.5
	pushGap   = 0.1
)

// Watch turns touches into events. It remembers pairs for as long as they touch.
type Watch struct {
	model *Model
	pairs []pair
}

type pair struct {
	a, b      BodyID
	pressing  float64 // seconds
	apart     float64 // seconds since the last touch, and since the last push
	unpressed float64
	pushing   bool
	seen      bool
	last      Touch
}

// NewWatch returns a watch over a model's bodies.
func NewWatch(model *Model) Watch { return Watch{model: model} }

// Update takes the touches of a step of dt seconds, merges those of the same two bodies, and appends to the snapshot's
// events. The ball's touches make collisions alone.
func (w *Watch) Update(s *Snapshot, dt float64) {
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

func (w *Watch) pair(a, b BodyID) *pair {
	for i := range w.pairs {
		if w.pairs[i].a == a && w.pairs[i].b == b {
			return &w.pairs[i]
		}
	}
	return nil
}

// merged makes one touch of all those of the same two bodies, in place.
func merged(touches []Touch) []Touch {
	out := touches[:0]
next:
	for _, t := range touches {
		if t.B != Still && t.A > t.B {
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
