package world

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// World is what a robot believes about the present.
type World struct {
	Now    time.Duration // sim time
	Pitch  pitch.Pitch
	Me     Robot
	Known  bool // the robot knows its own pose
	Ball   Ball
	Hold   Hold
	Others []Robot // all other robots that it knows, in the order of the first sighting
	Game   Game
	Heard  []MateMessage // last messages of teammates that are not silent, ordered by number
	Said   *RadioMessage // the robot's own last message; nil before the first

	latency float64 // s, from the capture of a frame until its message arrives
}

// Robot is a robot, or an obstacle of similar size.
type Robot struct {
	Side    Side
	Number  uint8 // 0 if unknown
	Pos     pitch.Vec
	Vel     pitch.Vec
	Heading float64 // rad; known for the robot itself and for teammates with radio
	Omega   float64 // rad/s; known for the robot itself
	Seen    time.Duration
}

// Side says whether a robot belongs to the own team.
type Side uint8

const (
	Unknown Side = iota // an obstacle, or a robot whose colour has not been seen
	Mate
	Opponent
)

// Ball is the ball's estimated state.
type Ball struct {
	Known  bool // it was seen recently
	Pos    pitch.Vec
	Vel    pitch.Vec
	Height float64 // of the centre, m
	Seen   time.Duration
}

// Hold says whether the robot itself holds the ball, and since when.
type Hold struct {
	Is    bool
	From  pitch.Vec     // ball's position when the robot took it
	Since time.Duration // when the robot took it
	Lost  time.Duration // when the robot last held it; 0 if never
}

// Carried returns the distance for which the robot has carried the ball, m.
func (w *World) Carried() float64 {
	if !w.Hold.Is {
		return 0
	}
	return pitch.Distance(w.Ball.Pos, w.Hold.From)
}

// Mates calls the function f for each teammate.
func (w *World) Mates(f func(*Robot)) {
	for i := range w.Others {
		if w.Others[i].Side == Mate {
			f(&w.Others[i])
		}
	}
}

// Rivals calls the function f for each robot or obstacle that is not known to be a teammate.
func (w *World) Rivals(f func(*Robot)) {
	for i := range w.Others {
		if w.Others[i].Side != Mate {
			f(&w.Others[i])
		}
	}
}

// BallAt returns the ball's position after t seconds if nothing touches it.
func (w *World) BallAt(t float64) pitch.Vec {
	speed := w.Ball.Vel.Len()
	if speed < 1e-6 {
		return w.Ball.Pos
	}
	t = min(t, speed/RollingDecel)
	return w.Ball.Pos.Add(w.Ball.Vel.Mul(t - RollingDecel*t*t/2/speed))
}

// RollingDecel is the deceleration of a rolling ball on carpet, in m/s². 0.4 is a guess, with which a pass of 3 m/s
// rolls about 10 m.
const RollingDecel = 0.4
