package world

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Latency is the time from the capture of a frame until its message arrives. For the nubot robot, the camera takes 33
// ms and vision takes 30 ms. ImageLatency is the time from the capture until the image itself arrives.
const (
	Latency      = 63 * time.Millisecond
	ImageLatency = 33 * time.Millisecond
)

// Model builds a World from messages. Use NewModel.
type Model struct {
	Latency time.Duration // from capture to message; set it before the first message

	world World
	self  self
	ball  ball
	game  game
	heard mateMessages
}

// NewModel returns a model without knowledge of the world.
func NewModel() *Model { return &Model{Latency: Latency} }

// World returns the world of the last update.
func (m *Model) World() *World { return &m.world }

// Update processes the message of a frame and returns the World at present. The World is valid until the next call.
func (m *Model) Update(p *msg.Perception) *World {
	w := &m.world
	stamp := p.Header.Stamp.Since()
	if stamp+m.Latency < w.Now { // the world has restarted
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
	m.heard.update(w)
	m.holds(p)
	m.ball.update(w, p, seen, stamp, dt)
	m.game.update(w, p)
	return w
}

// view corrects positions in a frame, which are relative to the pose that the message gives for the capture time. It
// holds that pose (from) and the model's own estimate of the same pose (to).
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

// holds records when the robot took and lost the ball. A loss shorter than holdReleased does not count.
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

// held returns the position of a held ball.
func (w *World) held() pitch.Vec {
	return w.Me.Pos.Add(pitch.Direction(w.Me.Heading).Mul(HoldDistance))
}

// holdReleased is the time for which the robot must not have held the ball, so that taking the ball again starts a new
// Hold. 250 ms is a guess: the referee needs at least as long.
const holdReleased = 250 * time.Millisecond

// touchDistance is the distance between the centres of a robot and the ball below which the robot counts as touching
// the ball, in m. It includes the error of vision.
const touchDistance = 0.5

// lerpAngle returns the heading that lies the fraction share of the way from a to b, in rad.
func lerpAngle(a, b, share float64) float64 { return a + share*pitch.Wrap(b-a) }

// gain returns the fraction of an error that a filter corrects within dt seconds. The argument constant is the filter's
// time constant, in s.
func gain(dt, constant float64) float64 { return 1 - math.Exp(-dt/constant) }
