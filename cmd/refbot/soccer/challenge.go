package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses. A robot within hasBallWithin of the ball, in m, counts as having the ball. If the partner is closer to the
// ball by mateCloserBy, in m, the partner fetches it. If the ball has lain in the other half for lyingTime, a robot
// fetches it from there. If the ball has not been seen for ballLostAfter, a robot searches for it. passLimit is the
// longest time that a pass may take.
const (
	hasBallWithin = 0.5
	mateCloserBy  = 0.1
	lyingTime     = 5 * time.Second
	ballLostAfter = 4 * time.Second
	passLimit     = 4 * time.Second
)

// Partner plays the technical challenge of the Middle Size League of 2015 for one of two robots. The two robots pass
// without communication, swap sides, and pass again. The field is 12 m × 8 m with an obstacle in each half. Passes go
// from the half x < 0 to the half x > 0.
//
// The strategy is that of Dai, Yu, Xiao and Zheng, "Communication-Less Cooperation Between Soccer Robots" (RoboCup
// 2016): the heuristic for choosing the passing point (equations 2 to 5), the receiving positions (tables 1 and 2), and
// the robot's task, which depends on the halves in which ball and robot are (table 3). A Partner remembers from frame
// to frame where the other robot is, which passing point it has chosen, and at which position it receives.
type Partner struct {
	adjusts   bool
	now       time.Duration
	mate      rememberedMate
	obstacles []pitch.Vec // positions of robots and obstacles other than the partner
	attempt   passAttempt
	waits     pitch.Vec     // receiving position
	kicked    time.Duration // when the robot last passed; 0 if never, or if it has had the ball since
	near      time.Duration // when a robot was last near the ball
	seen      time.Duration // when the ball's position was last known
}

// rememberedMate is the last known state of the partner.
type rememberedMate struct {
	world.Robot
	known bool
}

// NewPartner returns a player for one robot. If adjusts is true, the robot passes from the best passing point, and
// receives where no obstacle stands in the path of the pass. If adjusts is false, the robot passes from where it took
// the ball, and receives at a fixed position.
func NewPartner(adjusts bool) *Partner { return &Partner{adjusts: adjusts, waits: receiveHome} }

// Decide returns the robot's command for a frame.
func (p *Partner) Decide(w *world.World) Command {
	if w.Now < p.now { // the world has restarted
		*p = *NewPartner(p.adjusts)
	}
	p.now = w.Now
	p.remember(w)
	switch p.task(w) {
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

// remember updates what is known of the partner, the obstacles and the ball. An unidentified robot close to the
// partner's position counts as the partner, not as an obstacle.
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

// Guesses. A sighting within mateRadius of the partner's position, in m, counts as the partner. A ball that is faster
// than movingSpeed, in m/s, is moving; a slower ball lies still.
const (
	mateRadius  = 0.6
	movingSpeed = 0.2
)

// mateUnseenAfter is how long after the last sighting the partner counts as seen. 300 ms is a guess.
const mateUnseenAfter = 300 * time.Millisecond

// attemptReleased is how long the robot must not have had the ball before its attempt to pass ends. 250 ms is a guess.
const attemptReleased = 250 * time.Millisecond

// sees reports whether the robot has seen its partner within the last mateUnseenAfter.
func (p *Partner) sees(w *world.World) bool {
	return p.mate.known && w.Now-p.mate.Seen < mateUnseenAfter
}

func (p *Partner) mateHas(w *world.World) bool {
	return p.sees(w) && w.Ball.Known && pitch.Distance(p.mate.Pos, w.Ball.Pos) < hasBallWithin
}

// facing returns the heading towards the ball, in rad. If the ball is unknown, it returns the heading towards the
// partner. If the partner is unknown too, it returns the heading towards the other half.
func (p *Partner) facing(w *world.World) float64 {
	switch {
	case w.Ball.Known:
		return Facing(w, w.Ball.Pos)
	case p.mate.known:
		return Facing(w, p.mate.Pos)
	}
	return Facing(w, pitch.Vec{-w.Me.Pos[0], 0})
}
