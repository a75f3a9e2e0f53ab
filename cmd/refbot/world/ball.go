package world

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// HoldDistance is how far before the robot's middle the dribbler holds the ball, m: hold_m of the nubot robot.
const HoldDistance = 0.34

// Guesses of the ball's filter: frames err by some cm, and 0.15 m/s; a ball that is that far from where it was to be
// has been kicked or moved; a ball that is not seen is believed in for a while: it may be hidden, or too near for the
// mirror.
const (
	ballTime    = 0.05 // s
	ballVelTime = 0.10 // s
	ballJump    = 0.5  // m
	ballVelJump = 1.5  // m/s
	ballMemory  = 3 * time.Second
)

// ball is the filter's state, at the time of the newest frame's capture.
type ball struct {
	pos, vel pitch.Vec
	known    bool
	at       time.Duration // of pos and vel
	seen     time.Duration // captured
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
		b.see(v.place(p.BallX, p.BallY), v.turn(p.BallVX, p.BallVY), p.BallVelocityKnown, since)
		b.seen = stamp
	}
	b.hear(w, stamp)
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

// see corrects the filter by a place and, where it is known, a velocity.
func (b *ball) see(pos, vel pitch.Vec, velKnown bool, dt float64) {
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

// roll counts on for so many seconds.
func (b *ball) roll(t float64) {
	w := World{Ball: Ball{Pos: b.pos, Vel: b.vel}}
	b.pos = w.BallAt(t)
	if speed := b.vel.Len(); speed > 1e-6 {
		b.vel = b.vel.Mul(max(0, speed-RollingDecel*t) / speed)
	}
}
