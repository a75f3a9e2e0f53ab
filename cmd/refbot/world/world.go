package world

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// World is what a robot believes to be the case now.
type World struct {
	Now    time.Duration // sim time
	Pitch  pitch.Pitch
	Me     Robot
	Known  bool // the robot knows where it is
	Ball   Ball
	Hold   Hold
	Others []Robot // in the order in which they were first seen
	Game   Game
	Heard  []MateMessage // mates that are heard, by number
	Said   *RadioMessage // what the robot has told them last; nil: nothing yet

	latency float64 // s of frames' messages
}

// Robot is a robot, or something as large.
type Robot struct {
	Side    Side
	Number  uint8 // 0: not known
	Pos     pitch.Vec
	Vel     pitch.Vec
	Heading float64 // of the robot itself, and of mates that are heard
	Omega   float64 // rad/s, of the robot itself alone
	Seen    time.Duration
}

// Side is whose a robot is.
type Side uint8

const (
	Unknown Side = iota // an obstacle, or a robot whose colour has not been seen
	Mate
	Opponent
)

// Ball is where the ball is.
type Ball struct {
	Known  bool // it was seen lately
	Pos    pitch.Vec
	Vel    pitch.Vec
	Height float64 // of its centre, m
	Seen   time.Duration
}

// Hold is what the robot knows of its having the ball.
type Hold struct {
	Is    bool
	From  pitch.Vec     // where the ball was when the robot took it
	Since time.Duration // when that was
	Lost  time.Duration // when it last had it; 0: never
}

// Carried is how far the robot has carried the ball from where it took it, metres.
func (w *World) Carried() float64 {
	if !w.Hold.Is {
		return 0
	}
	return pitch.Distance(w.Ball.Pos, w.Hold.From)
}

// Mates calls f for each team-mate.
func (w *World) Mates(f func(*Robot)) {
	for i := range w.Others {
		if w.Others[i].Side == Mate {
			f(&w.Others[i])
		}
	}
}

// Rivals calls f for each robot that is no team-mate: who does not know a colour expects the worst.
func (w *World) Rivals(f func(*Robot)) {
	for i := range w.Others {
		if w.Others[i].Side != Mate {
			f(&w.Others[i])
		}
	}
}

// BallAt returns where the ball will be in so many seconds if nobody touches it.
func (w *World) BallAt(t float64) pitch.Vec {
	speed := w.Ball.Vel.Len()
	if speed < 1e-6 {
		return w.Ball.Pos
	}
	t = min(t, speed/RollingDecel)
	return w.Ball.Pos.Add(w.Ball.Vel.Mul(t - RollingDecel*t*t/2/speed))
}

// RollingDecel is how a rolling ball slows down on carpet, m/s². Guess: a pass of 3 m/s rolls some 10 m.
const RollingDecel = 0.4
