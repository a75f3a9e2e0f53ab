package challenge

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// stage is what a robot does in a round.
type stage uint8

const (
	waiting   stage = iota // until the mate has received, or has gone past with the ball
	fetching               // the ball
	bringing               // the ball to the side from where passes go
	passing                // and choosing from where
	receiving              // and going to the side to where passes go
	searching              // for the ball
)

// Where the ball is brought to, m: as far behind the halfway line as the receiver is before it, and not far from the middle. Guesses.
const (
	bringTo    = -2.5
	bringWidth = 1.5
	brought    = -2.0 // from there on the robot passes
)

// stage says what to do by the sides on which robot and ball are. Source: Dai et al., table 3. What the table leaves open is what comes after a pass that
// has failed: the nearer robot goes for the ball, and the round begins again.
func (p *Partner) stage(w *world.World) stage {
	here, there := w.Me.Pos[0] < 0, w.Ball.Pos[0] > 0
	switch {
	case !w.Ball.Known && w.Now-p.seen > lost:
		return searching
	case !w.Ball.Known && here:
		return waiting
	case !w.Ball.Known:
		return receiving
	case w.Hold.Is && (p.attempt.begun != 0 || w.Ball.Pos[0] < brought):
		return passing
	case w.Hold.Is:
		return bringing
	case here && p.kicked != 0 && w.Now-p.kicked < passTime && !p.mateHas(w) && w.Ball.Vel.Len() > moves:
		return waiting // for the mate to receive
	case p.mateHas(w):
		return receiving
	case there != here && !p.mateNearer(w): // on the ball's side
		return fetching
	case there && here && p.mate.known && p.mate.Pos[0] > 0: // the ball is the mate's
		return receiving
	case !p.mateNearer(w) && (p.mateBeyond(w) || w.Now-p.near > lies):
		return fetching
	}
	return receiving
}

// mateNearer tells whether the mate is nearer to the ball.
func (p *Partner) mateNearer(w *world.World) bool {
	return p.sees(w) && pitch.Distance(p.mate.Pos, w.Ball.Pos) < pitch.Distance(w.Me.Pos, w.Ball.Pos)-stays
}

// mateBeyond tells whether the mate, too, is not on the ball's side.
func (p *Partner) mateBeyond(w *world.World) bool {
	return p.sees(w) && (p.mate.Pos[0] > 0) != (w.Ball.Pos[0] > 0)
}
