package world

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

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
	Waiting  bool          // a set piece has started play, but the ball has not moved yet
	Spot     pitch.Vec     // where the ball lies for the set piece; valid if SpotSeen
	SpotSeen bool
	// number of the robot that takes or took the own set piece, until another robot has touched the ball; 0 for none
	Taker uint8
}

// After a set piece the ball is in play once it has moved by inPlayDistance, in m, or once setPieceTime has passed. The
// distance is larger than the error of vision.
const (
	inPlayDistance = 0.3
	setPieceTime   = 10 * time.Second
)

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
	if p.BallSeen && placed && (!now.SpotSeen || moved && phase == TakePlaces) {
		now.Spot, now.SpotSeen, moved = w.Ball.Pos, true, false
	}
	if now.Waiting && (moved || w.Now-now.Since > setPieceTime) {
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

// nearest returns the number of the own team's field robot that is closest to a position. It uses the positions that
// this robot knows, and each robot may know different ones.
func (w *World) nearest(to pitch.Vec) (number uint8) {
	least := math.Inf(1)
	consider := func(r *Robot) {
		far := pitch.Distance(r.Pos, to)
		if r.Number == w.Me.Number {
			// Of two robots at the same distance, each considers itself closer. Otherwise each could leave the set
			// piece to the other.
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

// takerMargin is how much closer than this robot another robot has to be to the ball to become the taker, in m. 0.1 is
// a guess.
const takerMargin = 0.1

// othersTouch reports whether any robot touches the ball, except for the own team's robot whose number is the argument
// but.
func (w *World) othersTouch(but uint8) bool {
	if w.Hold.Is && w.Me.Number != but {
		return true
	}
	for i := range w.Others {
		if o := &w.Others[i]; !(o.Side == Mate && o.Number == but) && w.Ball.Known &&
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
