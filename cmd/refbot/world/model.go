package world

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Latency is the time from the capture of a frame until its message arrives. For the nubot robot, the camera takes 33
// ms and vision takes 30 ms. ImageLatency is the time from the capture until the image itself arrives.
const (
	Latency      = 63 * time.Millisecond
	ImageLatency = 33 * time.Millisecond
)

// Model builds a World from messages. Use NewModel.
type Model struct {
	// time from the capture of a frame until its message arrives; must be set before the first message
	Latency time.Duration
	// Another camera identifies robots than the one that sees obstacles. A sighting without a team then does not
	// continue the track of a robot whose team is known, nor the other way round.
	Separate bool
	League   pitch.League // must be set before the first message

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
		*m = Model{Latency: m.Latency, Separate: m.Separate, League: m.League}
	}
	dt := (stamp + m.Latency - w.Now).Seconds()
	if w.Now == 0 {
		dt = 0
	}
	w.Now, w.latency, w.separate = stamp+m.Latency, m.Latency.Seconds(), m.Separate
	w.Pitch = pitch.Pitch{Length: p.FieldLength, Width: p.FieldWidth, League: m.League}
	w.Known = p.SelfKnown
	w.Parts = Parts{Dribbler: p.HasDribbler, Kicker: p.HasKicker, Extension: p.HasExtension}
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

// Falls stores a predicted landing, which is given in the robot's frame at the time of its image. It ignores the
// landing while the robot's pose is unknown.
func (m *Model) Falls(f Fall) {
	if !m.self.known {
		return
	}
	me := m.self.poseAt(f.Seen)
	f.Pos, f.Vel = me.pos.Add(pitch.Turn(f.Pos, me.heading)), pitch.Turn(f.Vel, me.heading)
	m.world.Fall = f
}

// view corrects the positions in a frame. The positions depend on the pose that the message gives for the capture time.
// A view holds this pose (from) and the model's own estimate of it (to).
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

// holds records when the robot took the ball and when it lost the ball. A loss shorter than holdReleased does not
// count.
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

// lerpAngle interpolates between the headings a and b, in rad. It returns a if share is 0, and b if share is 1.
func lerpAngle(a, b, share float64) float64 { return a + share*pitch.Wrap(b-a) }

// gain returns the fraction of an error that a filter corrects within dt seconds. constant is the filter's time
// constant, in s.
func gain(dt, constant float64) float64 { return 1 - math.Exp(-dt/constant) }

// self estimates the robot's present pose. It integrates odometry from frame to frame. Each frame also contains the
// pose at the frame's capture time. self compares the frame's pose with its own estimate for that time, and corrects
// the estimate.
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

// lostBy is the largest plausible error of the estimated position, in m. If the error is larger, somebody has moved the
// robot, and the model adopts the pose of the frame.
const lostBy = 0.6

// update processes a frame. stamp is the frame's capture time, latency is the time from the capture until the frame's
// message arrived, and dt is the time since the last frame, in s. It returns the view that corrects positions in this
// frame.
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

// reset adopts the pose m of a frame, and predicts the robot's present pose from it.
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

// shift moves the present pose and all stored past poses by a vector, in m, and turns their headings by an angle, in
// rad.
func (s *self) shift(by pitch.Vec, turn float64) {
	s.pos, s.heading = s.pos.Add(by), pitch.Wrap(s.heading+turn)
	for i := range s.past {
		s.past[i].pos, s.past[i].heading = s.past[i].pos.Add(by), s.past[i].heading+turn
	}
}

// Guesses for the tracks of other robots. A sighting belongs to a track if it is within sameRobot of the position that
// the track predicts.
const (
	sameRobot = 0.8 // m
	trackTime = 0.08
	coastTime = 0.3 // s, time for which an unseen robot is predicted at constant velocity
)

// track predicts the tracks of other robots over dt seconds and corrects the tracks by the sightings of a frame.
func (w *World) track(p *msg.Perception, v view, stamp time.Duration, dt float64) {
	for i := range w.Others {
		o := &w.Others[i]
		if (w.Now - o.Seen).Seconds() < coastTime {
			o.Pos = o.Pos.Add(o.Vel.Mul(dt))
		}
	}
	for i := range p.Others {
		s := &p.Others[i]
		vel := v.turn(s.VX, s.VY)
		pos := v.place(s.X, s.Y).Add(vel.Mul(w.latency))
		if pitch.Distance(pos, w.Me.Pos) < 0.3 {
			continue // no robot can be there
		}
		o := w.find(s, pos, p.Team)
		if o.Seen == 0 {
			o.Pos, o.Vel = pos, vel
		}
		o.Seen = w.Now
		if s.Team != msg.TeamUnknown {
			o.Side, o.Number = side(s.Team, p.Team), s.Number
		}
		k := gain(dt, trackTime)
		o.Pos, o.Vel = o.Pos.Add(pos.Sub(o.Pos).Mul(k)), o.Vel.Add(vel.Sub(o.Vel).Mul(k))
	}
	w.Others = slices.DeleteFunc(w.Others, func(o Robot) bool {
		return w.Now-o.Seen > w.Times().track ||
			!w.nearField(o.Pos)
	})
}

// nearField reports whether a position is on the field or at most 1 m outside. Robots farther outside do not play.
func (w *World) nearField(at pitch.Vec) bool { return w.Pitch.Inside(at, -1) }

// find returns the track to which a sighting belongs, or a new track if there is none. The sighting of an identified
// robot belongs to the track with that robot's number. Any other sighting belongs to the closest track that has no
// sighting in this frame yet.
func (w *World) find(s *msg.Sighting, pos pitch.Vec, own uint8) *Robot {
	best, near := -1, sameRobot
	for i := range w.Others {
		o := &w.Others[i]
		if o.Seen == w.Now {
			continue
		}
		known := s.Team != msg.TeamUnknown && o.Side != Unknown
		if known && (o.Side != side(s.Team, own) || o.Number != s.Number) {
			continue
		}
		if w.separate && (s.Team == msg.TeamUnknown) != (o.Side == Unknown) {
			continue
		}
		far := pitch.Distance(o.Pos, pos)
		if known && s.Number != 0 {
			far = min(far, near-1e-3) // the sighting has the number of the track, so it matches at any distance
		}
		if far < near {
			best, near = i, far
		}
	}
	if best < 0 {
		w.Others = append(w.Others, Robot{})
		best = len(w.Others) - 1
	}
	return &w.Others[best]
}

func side(team, own uint8) Side {
	if team == own {
		return Mate
	}
	return Opponent
}

// HoldDistance is the distance of a held ball from the robot's centre, in m. It equals hold_m of the nubot robot.
const HoldDistance = 0.34

// Guesses for the ball's filter. In a frame, the error of a position is a few centimetres, and the error of a velocity
// is 0.15 m/s. If a measured position differs from the predicted position by more than ballJump, or the velocity by
// more than ballVelJump, somebody kicked or moved the ball. A ball that is no longer seen is remembered
// for a while, because it may be occluded, or too close to the robot for the mirror.
const (
	ballTime    = 0.05 // s, time constant
	ballVelTime = 0.10 // s, time constant
	ballJump    = 0.5  // m
	ballVelJump = 1.5  // m/s
)

// ball is the state of the ball's filter at the capture time of the newest frame.
type ball struct {
	pos, vel pitch.Vec
	known    bool
	at       time.Duration // time of pos and vel
	seen     time.Duration // capture time of the last observation
}

func (b *ball) update(w *World, p *msg.Perception, v view, stamp time.Duration, dt float64) {
	since := (stamp - b.at).Seconds()
	b.at = stamp
	if b.known {
		b.roll(since)
	}
	switch {
	case p.Holding:
		held := w.held()
		w.Ball = Ball{Known: true, Pos: held, Vel: w.Me.Vel, Height: w.Pitch.BallRadius(), Seen: w.Now}
		b.known, b.seen = true, stamp
		b.vel = w.Me.Vel
		b.pos = held.Sub(w.Me.Vel.Mul(w.latency))
		return
	case p.BallSeen:
		b.correct(v.place(p.BallX, p.BallY), v.turn(p.BallVX, p.BallVY), p.BallVelocityKnown, since)
		b.seen = stamp
	}
	b.takeNewer(w, stamp)
	if b.known && stamp-b.seen > w.Times().ball {
		b.known = false
	}
	w.Ball.Known = b.known
	if !b.known {
		return
	}
	w.Ball.Pos, w.Ball.Vel, w.Ball.Seen = b.pos, b.vel, b.seen
	w.Ball.Pos = w.BallAt(w.latency)
	w.Ball.Height = w.Pitch.BallRadius()
	if p.BallSeen {
		w.Ball.Height = p.BallZ
	}
}

// correct corrects the filter by a measured position. It also corrects the velocity if velKnown is true.
func (b *ball) correct(pos, vel pitch.Vec, velKnown bool, dt float64) {
	if !velKnown {
		vel = b.vel
	}
	if !b.known || pitch.Distance(pos, b.pos) > ballJump || pitch.Distance(vel, b.vel) > ballVelJump {
		b.pos, b.vel, b.known = pos, vel, true
		return
	}
	b.pos = b.pos.Add(pos.Sub(b.pos).Mul(gain(dt, ballTime)))
	b.vel = b.vel.Add(vel.Sub(b.vel).Mul(gain(dt, ballVelTime)))
}

// roll moves the ball to its predicted position and velocity after t seconds.
func (b *ball) roll(t float64) {
	w := World{Ball: Ball{Pos: b.pos, Vel: b.vel}}
	b.pos = w.BallAt(t)
	if speed := b.vel.Len(); speed > 1e-6 {
		b.vel = b.vel.Mul(max(0, speed-RollingDecel*t) / speed)
	}
}
