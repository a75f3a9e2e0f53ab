package world

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

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
