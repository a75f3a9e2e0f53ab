package world

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Latency is how long after its capture a frame's message comes: 33 ms for the camera and 30 ms for the vision of the
// nubot robot. ImageLatency is the same of the image itself.
const (
	Latency      = 63 * time.Millisecond
	ImageLatency = 33 * time.Millisecond
)

// Model makes worlds of messages. The zero value is not ready: see New.
type Model struct {
	Latency time.Duration // of its messages; it may be set before the first

	world World
	self  self
	ball  ball
	game  game
	heard mateMessages
}

// NewModel returns a model that knows nothing.
func NewModel() *Model { return &Model{Latency: Latency} }

// World returns the world of the last update.
func (m *Model) World() *World { return &m.world }

// Update takes a frame's message in, and returns the world now. It is valid until the next call.
func (m *Model) Update(p *msg.Perception) *World {
	w := &m.world
	stamp := p.Header.Stamp.Since()
	if stamp+m.Latency < w.Now { // the world has begun again
		*m = Model{Latency: m.Latency}
	}
	dt := (stamp + m.Latency - w.Now).Seconds()
	if w.Now == 0 {
		dt = 0
	}
	w.Now, w.latency = stamp+m.Latency, m.Latency.Seconds()
	w.Pitch = pitch.Pitch{Length: p.FieldLength, Width: p.FieldWidth}
	w.Known = p.SelfKnown
	seen := m.self.update(p, stamp, m.Latency, dt)
	w.Me = Robot{Side: Mate, Number: p.Number, Pos: m.self.pos, Heading: m.self.heading,
		Vel: pitch.Turn(pitch.Vec{p.VX, p.VY}, m.self.heading), Omega: p.Omega, Seen: w.Now}
	w.track(p, seen, stamp, dt)
	m.heard.listen(w)
	m.holds(p)
	m.ball.update(w, p, seen, stamp, dt)
	m.game.update(w, p)
	return w
}

// view is the pose that the robot believed to have when a frame was captured, and the one that it now believes to have
// had then: all that the frame shows is moved from one to the other.
type view struct {
	from, to               pitch.Vec
	fromHeading, toHeading float64
}

func (v *view) place(x, y float64) pitch.Vec {
	return v.to.Add(v.turn(x-v.from[0], y-v.from[1]))
}

func (v *view) turn(x, y float64) pitch.Vec {
	return pitch.Turn(pitch.Vec{x, y}, v.toHeading-v.fromHeading)
}

// holds notes when the robot took the ball, and when it lost it. A ball that is lost for a moment was not lost.
func (m *Model) holds(p *msg.Perception) {
	w := &m.world
	h := &w.Hold
	if p.Holding && !h.Is && (h.Lost == 0 || w.Now-h.Lost > holdReleased) {
		h.From, h.Since = w.held(), w.Now
	}
	if h.Is = p.Holding; h.Is {
		h.Lost = w.Now
	}
}

// held is where the dribbler holds the ball.
func (w *World) held() pitch.Vec {
	return w.Me.Pos.Add(pitch.Direction(w.Me.Heading).Mul(HoldDistance))
}

// holdReleased is how long a ball must have been away to be taken anew. Guess, at the referee's side of what it takes for
// that.
const holdReleased = 250 * time.Millisecond

// touchDistance is how near to the ball a robot touches it, centre to centre, m, with the errors of vision.
const touchDistance = 0.5

// lerp returns what lies between two headings.
func lerpAngle(a, b, share float64) float64 { return a + share*pitch.Wrap(b-a) }

// gain returns which share of an error a filter with a time constant corrects within dt.
func gain(dt, constant float64) float64 { return 1 - math.Exp(-dt/constant) }
