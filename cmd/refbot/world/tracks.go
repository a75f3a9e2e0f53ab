package world

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Guesses for the tracks of other robots. A sighting belongs to a track if it is within sameRobot of the position that
// the track predicts. A track without sightings for trackMemory is dropped.
const (
	sameRobot   = 0.8 // m
	trackTime   = 0.08
	trackMemory = 1500 * time.Millisecond
	coastTime   = 0.3 // s for which an unseen robot is predicted at constant velocity
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
		return w.Now-o.Seen > trackMemory ||
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
		far := pitch.Distance(o.Pos, pos)
		if known {
			far = min(far, near-1e-3) // the same number: the track matches at any distance
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

// Guesses for the ball's filter. A position measured in a frame has an error of a few centimetres, a velocity of 0.15
// m/s. If a measured position differs from the predicted position by more than ballJump, or the velocity by more than
// ballVelJump, somebody kicked or moved the ball. A ball that is no longer seen is remembered for ballMemory, because
// it may be occluded, or too close to the robot for the mirror.
const (
	ballTime    = 0.05 // s, time constant
	ballVelTime = 0.10 // s, time constant
	ballJump    = 0.5  // m
	ballVelJump = 1.5  // m/s
	ballMemory  = 3 * time.Second
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
		w.Ball = Ball{Known: true, Pos: held, Vel: w.Me.Vel, Height: pitch.BallRadius, Seen: w.Now}
		b.known, b.seen = true, stamp
		b.vel = w.Me.Vel
		b.pos = held.Sub(w.Me.Vel.Mul(w.latency))
		return
	case p.BallSeen:
		b.correct(v.place(p.BallX, p.BallY), v.turn(p.BallVX, p.BallVY), p.BallVelocityKnown, since)
		b.seen = stamp
	}
	b.takeNewer(w, stamp)
	if b.known && stamp-b.seen > ballMemory {
		b.known = false
	}
	w.Ball.Known = b.known
	if !b.known {
		return
	}
	w.Ball.Pos, w.Ball.Vel, w.Ball.Seen = b.pos, b.vel, b.seen
	w.Ball.Pos = w.BallAt(w.latency)
	w.Ball.Height = pitch.BallRadius
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
