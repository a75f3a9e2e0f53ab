package world

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Phase is what robots are to do.
type Phase uint8

const (
	Stopped Phase = iota
	TakePlaces
	Playing
	Parked
)

// SetPiece is by which play begins, as messages name it.
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

// Game is what the referee has said, and what became of it.
type Game struct {
	Phase    Phase
	SetPiece SetPiece
	Ours     bool          // the set piece is
	Since    time.Duration // when the phase began
	Waiting  bool          // play has been started by a set piece, and nobody has moved the ball yet
	Spot     pitch.Vec     // where the ball lies for it, as far as it was seen
	SpotSeen bool
	// number of the robot that takes, or has taken, the own set piece, until somebody else has touched the ball; 0:
	// none
	Taker uint8
}

// inPlayDistance is by how much a ball has to have been moved to be in play, m, with the errors of vision; takeTime is after
// how long all may play it.
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
	placed := p.Header.Stamp.Since() >= now.Since // frames of before show where it was
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

// nearest returns the number of the team's field robot that is nearest to a place, as far as this one sees the others.
func (w *World) nearest(to pitch.Vec) (number uint8) {
	least := math.Inf(1)
	consider := func(r *Robot) {
		far := pitch.Distance(r.Pos, to)
		if r.Number == w.Me.Number {
			far -= takerMargin // of two that are as near, each sees itself as the nearer for a while, not both the other
		}
		if r.Number > 1 && far < least {
			least, number = far, r.Number
		}
	}
	consider(&w.Me)
	w.Mates(consider)
	return number
}

// takerMargin is by how much nearer another has to be to take over, m. Guess.
const takerMargin = 0.1

// othersTouch tells whether a robot other than one of the own team touches the ball.
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
