package soccer

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// challengeTask is what a robot does in a round.
type challengeTask uint8

const (
	taskWait    challengeTask = iota // for the mate to receive
	taskFetch                        // the ball
	taskBring                        // the ball to the side from where passes go
	taskPass                         // and choosing from where
	taskReceive                      // and going to the side to where passes go
	taskSearch                       // for the ball
)

// Where the ball is brought to, m: opposite to where it was received. Guess, as is how far it must have come for the
// robot to pass.
var bringTo = pitch.Vec{-2.5, 0}

const broughtX = -2.0 // m

// challengeTask says what to do by the sides on which robot and ball are. Source: Dai et al., table 3.
func (p *Partner) stage(w *world.World) challengeTask {
	switch {
	case !w.Ball.Known && w.Now-p.seen > ballLostAfter:
		return taskSearch
	case w.Hold.Is && (p.attempt.begun != 0 || w.Ball.Pos[0] < broughtX):
		return taskPass
	case w.Hold.Is:
		return taskBring
	case p.passed(w) || !w.Ball.Known && w.Me.Pos[0] < 0:
		return taskWait
	case w.Ball.Known && p.fetches(w):
		return taskFetch
	}
	return taskReceive
}

// passed tells whether a pass of this robot is on its way.
func (p *Partner) passed(w *world.World) bool {
	return p.kicked != 0 && w.Now-p.kicked < passLimit && w.Ball.Known && w.Ball.Vel.Len() > movingSpeed &&
		!p.mateHas(w)
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
		return w.Now-p.near > lyingTime
	}
	return !p.sees(w) || pitch.Distance(w.Me.Pos, w.Ball.Pos) < pitch.Distance(p.mate.Pos, w.Ball.Pos)+mateCloserBy
}
