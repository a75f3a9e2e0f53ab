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

// self estimates the robot's present pose. It integrates odometry from frame to frame. Each frame also contains a pose,
// which is that at the frame's capture time. self compares the frame's pose with its own estimate for that time, and
// corrects the estimate.
type self struct {
	pos     pitch.Vec
	heading float64
	known   bool
	past    [8]pastPose // oldest first
}

// pastPose is the robot's estimated pose at a time.
type pastPose struct {
	at      time.Duration
	pos     pitch.Vec
	heading float64
}

// selfTime is the time constant of the correction by frames, in s. 0.15 is a guess: the pose in a frame has an error of
// a few centimetres, and odometry has an error of a few per cent of the distance.
const selfTime = 0.15

// lostBy is an error of the estimated position, in m. If the error is larger, somebody has moved the robot, and the
// model takes over the pose of the frame.
const lostBy = 0.6

// update processes a frame that was captured at the time stamp, dt seconds after the last frame, and that arrived after
// a latency. It returns the view that corrects positions in this frame.
func (s *self) update(p *msg.Perception, stamp, latency time.Duration, dt float64) view {
	measured := pastPose{stamp, pitch.Vec{p.X, p.Y}, p.Heading}
	if p.SelfKnown && !s.known {
		s.known = true
		s.reset(p, measured, latency)
	}
	s.step(p, dt)
	then := s.poseAt(stamp)
	if p.SelfKnown {
		off, turned := measured.pos.Sub(then.pos), pitch.Wrap(measured.heading-then.heading)
		if off.Len() > lostBy {
			s.reset(p, measured, latency)
			then, off, turned = measured, pitch.Vec{}, 0
		}
		k := gain(dt, selfTime)
		s.shift(off.Mul(k), turned*k)
		then.pos, then.heading = then.pos.Add(off.Mul(k)), then.heading+turned*k
	}
	copy(s.past[:], s.past[1:])
	s.past[len(s.past)-1] = pastPose{stamp + latency, s.pos, s.heading}
	return view{from: measured.pos, fromHeading: measured.heading, to: then.pos, toHeading: then.heading}
}

// reset takes over the pose m of a frame, and predicts from it the robot's present pose.
func (s *self) reset(p *msg.Perception, m pastPose, latency time.Duration) {
	s.pos, s.heading = m.pos, m.heading
	for i := range s.past {
		s.past[i] = m
	}
	s.step(p, latency.Seconds())
}

// step adds the motion over dt seconds to the pose, along an arc, by the velocity from odometry.
func (s *self) step(p *msg.Perception, dt float64) {
	s.pos = s.pos.Add(pitch.Turn(pitch.Vec{p.VX, p.VY}, s.heading+p.Omega*dt/2).Mul(dt))
	s.heading = pitch.Wrap(s.heading + p.Omega*dt)
}

// poseAt returns the estimated pose at a past time, interpolated between the stored poses.
func (s *self) poseAt(at time.Duration) pastPose {
	for i := len(s.past) - 1; i > 0; i-- {
		a, b := s.past[i-1], s.past[i]
		if a.at <= at && at <= b.at && b.at > a.at {
			k := float64(at-a.at) / float64(b.at-a.at)
			return pastPose{at, a.pos.Add(b.pos.Sub(a.pos).Mul(k)), lerpAngle(a.heading, b.heading, k)}
		}
	}
	return s.past[len(s.past)-1]
}

// shift moves the present pose and all stored past poses, and turns their headings, in rad.
func (s *self) shift(by pitch.Vec, turn float64) {
	s.pos, s.heading = s.pos.Add(by), pitch.Wrap(s.heading+turn)
	for i := range s.past {
		s.past[i].pos, s.past[i].heading = s.past[i].pos.Add(by), s.past[i].heading+turn
	}
}
