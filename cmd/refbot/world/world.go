package world

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/msg"
)

// World is what a robot believes about the present.
type World struct {
	Now    time.Duration // sim time
	Pitch  pitch.Pitch
	Me     Robot
	Known  bool // whether the robot knows its own pose
	Ball   Ball
	Hold   Hold
	Fall   Fall    // newest prediction of where the ball lands; At is 0 if there is none
	Parts  Parts   // of the robot itself
	Others []Robot // all other robots that the robot knows, in the order of the first sighting
	Game   Game
	Heard  []MateMessage // last messages of teammates that are not silent, ordered by number
	Said   *RadioMessage // the robot's own last message; nil before the first

	separate bool    // see Model
	latency  float64 // time from the capture of a frame until its message arrives, s
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

// OnLegs reports whether the robots are humanoids. A humanoid has no dribbler: it plays the ball from behind, with a
// foot.
func (w *World) OnLegs() bool { return w.Pitch.League == pitch.Humanoid }

// Fall is the predicted landing of a ball in the air.
type Fall struct {
	Seen time.Duration // when the image was captured that led to it
	At   time.Duration // when the ball lands
	Pos  pitch.Vec     // where it lands, m
	Vel  pitch.Vec     // over the floor, just before it lands, m/s
	Sink float64       // downward velocity just before it lands, m/s
}

// Height returns the height of the ball's centre the time before, in s, ahead of its landing, in m.
func (f *Fall) Height(before float64) float64 {
	return pitch.BallRadius + before*(f.Sink-before*pitch.Gravity/2)
}

// Parts says which parts a robot has.
type Parts struct{ Dribbler, Kicker, Extension bool }

// Hold says whether the robot itself holds the ball, and since when.
type Hold struct {
	Is    bool
	From  pitch.Vec     // ball's position when the robot took it
	Since time.Duration // when the robot took it
	Lost  time.Duration // when the robot last held the ball; 0 if never
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

// RollingDecel is the deceleration of a rolling ball on carpet, in m/s². 0.4 is a guess: a pass of 3 m/s then rolls
// about 10 m.
const RollingDecel = 0.4

// Phase is the phase of the game.
type Phase uint8

const (
	Stopped Phase = iota
	TakePlaces
	Playing
	Parked
)

// SetPiece is how play starts, as named in messages.
type SetPiece string

const (
	NoSetPiece  SetPiece = ""
	Kickoff     SetPiece = "kickoff"
	FreeKick    SetPiece = "freekick"
	GoalKick    SetPiece = "goalkick"
	ThrowIn     SetPiece = "throwin"
	Corner      SetPiece = "corner"
	Penalty     SetPiece = "penalty"
	DroppedBall SetPiece = "drop_ball"
)

// Game is the state of the game.
type Game struct {
	Phase    Phase
	SetPiece SetPiece
	Ours     bool          // the set piece is ours
	Since    time.Duration // start of the phase
	Waiting  bool          // whether a set piece has started and the ball has not moved yet
	Spot     pitch.Vec     // where the ball lies for the set piece; valid if SpotSeen
	SpotSeen bool
	// number of the robot that takes or took the own set piece; 0 for none, and again 0 after another robot has touched
	// the ball
	Taker uint8
}

// inPlayDistance is how far the ball moves, in m, until it is in play after a set piece. It is larger than the error of
// vision.
const inPlayDistance = 0.3

type game struct{ known bool }

func (g *game) update(w *World, p *msg.Perception) {
	now := &w.Game
	phase := phaseOf(p.Phase)
	if phase != now.Phase || !g.known {
		now.Waiting = phase == Playing && g.known && p.SetPiece != ""
		if phase != Playing {
			now.SpotSeen, now.Taker = false, 0
		}
		now.Phase, now.Since, g.known = phase, w.Now, true
	}
	now.SetPiece, now.Ours = SetPiece(p.SetPiece), p.SetPieceTeam == p.Team
	if phase == Playing && !now.Waiting {
		now.SetPiece = NoSetPiece
	}
	moved := now.SpotSeen && w.Ball.Known && pitch.Distance(w.Ball.Pos, now.Spot) > inPlayDistance
	placed := p.Header.Stamp.Since() >= now.Since // earlier frames show the ball's old position
	if w.OnLegs() {                               // teammates see a ball that is too near
		placed = w.Ball.Known && w.Ball.Seen >= now.Since
	} else {
		placed = placed && p.BallSeen
	}
	if placed && (!now.SpotSeen || moved && phase == TakePlaces) {
		now.Spot, now.SpotSeen, moved = w.Ball.Pos, true, false
	}
	if now.Waiting && (moved || w.Now-now.Since > w.setPieceTime()) {
		now.Waiting = false
	}
	switch {
	case !now.Ours || phase == Playing && !now.Waiting && now.Taker == 0:
	case phase == TakePlaces || now.Waiting:
		now.Taker = w.nearest(now.Spot)
	case w.othersTouch(now.Taker):
		now.Taker = 0
	}
}

// nearest returns the number of the field robot of the own team that is closest to a position. It uses the positions
// that this robot knows. Other robots may know different positions, and then get a different result.
func (w *World) nearest(to pitch.Vec) (number uint8) {
	least := math.Inf(1)
	consider := func(r *Robot) {
		far := pitch.Distance(r.Pos, to)
		if r.Number == w.Me.Number {
			// If two robots are at the same distance, both consider themselves closer. Otherwise both could leave the
			// set piece to the other robot.
			far -= takerMargin
		}
		if r.Number > 1 && far < least {
			least, number = far, r.Number
		}
	}
	consider(&w.Me)
	w.Mates(consider)
	return number
}

// takerMargin is how much closer to the ball another robot must be than this robot to become the taker, in m. 0.1 is a
// guess.
const takerMargin = 0.1

// othersTouch reports whether a robot touches the ball, ignoring the robot of the own team with the number except.
func (w *World) othersTouch(except uint8) bool {
	if w.Hold.Is && w.Me.Number != except {
		return true
	}
	for i := range w.Others {
		if o := &w.Others[i]; !(o.Side == Mate && o.Number == except) && w.Ball.Known &&
			pitch.Distance(o.Pos, w.Ball.Pos) < touchDistance {
			return true
		}
	}
	return false
}

func phaseOf(text string) Phase {
	switch text {
	case "set_piece":
		return TakePlaces
	case "playing":
		return Playing
	case "parked":
		return Parked
	}
	return Stopped
}
