package soccer

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// challengeTask is a robot's task in a round.
type challengeTask uint8

const (
	taskWait    challengeTask = iota // wait for the partner to receive
	taskFetch                        // fetch the ball
	taskBring                        // bring the ball to the passing half
	taskPass                         // choose a passing point and pass
	taskReceive                      // go to the receiving half and receive
	taskSearch                       // search for the ball
)

// Guesses. bringTo is the position to which the robot brings the ball, in m, opposite to the receiving position. The
// robot passes once the ball's x coordinate is below broughtX.
var bringTo = pitch.Vec{-2.5, 0}

const broughtX = -2.0 // m

// task returns the robot's task. The task depends on the halves in which the robot and the ball are. Source: Dai et
// al., table 3.
func (p *Partner) task(w *world.World) challengeTask {
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

// passed reports whether this robot has kicked a pass that is still on its way.
func (p *Partner) passed(w *world.World) bool {
	return p.kicked != 0 && w.Now-p.kicked < passLimit && w.Ball.Known && w.Ball.Vel.Len() > movingSpeed &&
		!p.mateHas(w)
}

// fetches reports whether this robot fetches the ball. The robot in the ball's half fetches it. If both robots are
// there, the closer robot does. The table does not say what happens when neither robot is in the ball's half, for
// example after a failed pass. Then the closer robot fetches the ball too, and after lyingTime any robot that sees the
// ball does.
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
