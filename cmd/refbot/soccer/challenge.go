package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses: how near to the ball a robot has it, m; by how much nearer the other has to be to be the one who goes for
// it, m; after how long somebody goes for a ball that lies, and looks for one that nobody sees; and how long a pass may
// take.
const (
	hasBallWithin = 0.5
	mateCloserBy  = 0.1
	lyingTime     = 5 * time.Second
	ballLostAfter = 4 * time.Second
	passLimit     = 4 * time.Second
)

// Partner plays for one robot of the two.
type Partner struct {
	adjusts   bool
	now       time.Duration
	mate      rememberedMate
	obstacles []pitch.Vec // where something stands that is not the mate
	attempt   passAttempt
	waits     pitch.Vec     // where it receives
	kicked    time.Duration // when it passed last; 0: never, or it has had the ball since
	near      time.Duration // when somebody was last near the ball
	seen      time.Duration // when it last knew where the ball is
}

// rememberedMate is what a robot remembers of the other one.
type rememberedMate struct {
	world.Robot
	known bool
}

// NewPartner returns a player for one robot. One that adjusts passes from the best point, and receives where no
// obstacle is before it; another one passes from where it has the ball, and waits where it is.
func NewPartner(adjusts bool) *Partner { return &Partner{adjusts: adjusts, waits: receiveHome} }

// Decide returns the command that answers a frame.
func (p *Partner) Decide(w *world.World) Command {
	if w.Now < p.now { // the world has begun again
		*p = *NewPartner(p.adjusts)
	}
	p.now = w.Now
	p.remember(w)
	switch p.stage(w) {
	case taskFetch:
		return Fetch(w)
	case taskBring:
		return Carry(w, bringTo)
	case taskPass:
		return p.pass(w)
	case taskReceive:
		return p.receive(w)
	case taskSearch:
		return Search(w)
	}
	return Stop(w, p.facing(w))
}

// remember notes where mate, obstacles and ball are. A mate of which too little is seen to know it is not taken for an
// obstacle.
func (p *Partner) remember(w *world.World) {
	w.Mates(func(r *world.Robot) { p.mate = rememberedMate{*r, true} })
	p.obstacles = p.obstacles[:0]
	w.Rivals(func(r *world.Robot) {
		if !p.mate.known || pitch.Distance(r.Pos, p.mate.Pos) > mateRadius {
			p.obstacles = append(p.obstacles, r.Pos)
		}
	})
	if !w.Ball.Known {
		return
	}
	p.seen = w.Now
	if pitch.Distance(w.Me.Pos, w.Ball.Pos) < hasBallWithin || p.mateHas(w) || w.Ball.Vel.Len() > movingSpeed {
		p.near = w.Now
	}
	switch {
	case w.Hold.Is:
		p.kicked = 0
	case w.Now-w.Hold.Lost > attemptReleased:
		p.attempt = passAttempt{}
	}
	if w.Me.Pos[0] < 0 {
		p.waits = receiveHome
	}
}

// mateRadius is how near to the mate nothing else stands, m; moves is how fast a ball is that does not lie, m/s.
// Guesses.
const (
	mateRadius  = 0.6
	movingSpeed = 0.2
)

// mateUnseenAfter is after how long without seeing its mate a robot does not count on where that was. Guess.
const mateUnseenAfter = 300 * time.Millisecond

// attemptReleased is how long the ball must have been away for the robot to have let it go. Guess.
const attemptReleased = 250 * time.Millisecond

// sees tells whether the robot sees its mate now.
func (p *Partner) sees(w *world.World) bool {
	return p.mate.known && w.Now-p.mate.Seen < mateUnseenAfter
}

func (p *Partner) mateHas(w *world.World) bool {
	return p.sees(w) && w.Ball.Known && pitch.Distance(p.mate.Pos, w.Ball.Pos) < hasBallWithin
}

// facing is the heading to the ball, to the mate of a robot that does not see it, and else to the other side.
func (p *Partner) facing(w *world.World) float64 {
	switch {
	case w.Ball.Known:
		return Facing(w, w.Ball.Pos)
	case p.mate.known:
		return Facing(w, p.mate.Pos)
	}
	return Facing(w, pitch.Vec{-w.Me.Pos[0], 0})
}
