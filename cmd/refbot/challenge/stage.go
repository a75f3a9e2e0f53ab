package challenge

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// stage is what a robot does in a round.
type stage uint8

const (
	waiting   stage = iota // for the mate to receive
	fetching               // the ball
	bringing               // the ball to the side from where passes go
	passing                // and choosing from where
	receiving              // and going to the side to where passes go
	searching              // for the ball
)

// Where the ball is brought to, m: opposite to where it was received. Guess, as is how far it must have come for the
// robot to pass.
var bringTo = pitch.Vec{-2.5, 0}

const brought = -2.0 // m

// stage says what to do by the sides on which robot and ball are. Source: Dai et al., table 3.
func (p *Partner) stage(w *world.World) stage {
	switch {
	case !w.Ball.Known && w.Now-p.seen > lost:
		return searching
	case w.Hold.Is && (p.attempt.begun != 0 || w.Ball.Pos[0] < brought):
		return passing
	case w.Hold.Is:
		return bringing
	case p.passed(w) || !w.Ball.Known && w.Me.Pos[0] < 0:
		return waiting
	case w.Ball.Known && p.fetches(w):
		return fetching
	}
	return receiving
}

// passed tells whether a pass of this robot is on its way.
func (p *Partner) passed(w *world.World) bool {
	return p.kicked != 0 && w.Now-p.kicked < passTime && w.Ball.Known && w.Ball.Vel.Len() > moves && !p.mateHas(w)
}

// fetches tells whether the ball is this robot's: who is on its side fetches it, of two the nearer one. The table
// leaves open what becomes of a ball on whose side nobody is, as after a pass that has failed: the same, and at last
// whoever sees that it lies.
func (p *Partner) fetches(w *world.World) bool {
	side := w.Ball.Pos[0] > 0
	here, mateHere := (w.Me.Pos[0] > 0) == side, p.sees(w) && (p.mate.Pos[0] > 0) == side
	switch {
	case p.mateHas(w):
		return false
	case here != mateHere:
		return here
	case !p.sees(w) && !here:
		return w.Now-p.near > lies
	}
	return !p.sees(w) || pitch.Distance(w.Me.Pos, w.Ball.Pos) < pitch.Distance(p.mate.Pos, w.Ball.Pos)+stays
}
