package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses. hasBallWithin is the distance at which a robot has the ball, m. mateCloserBy is how much closer the partner
// has to be to fetch the ball instead, m. After lyingTime a robot fetches a ball that lies on the other side; after
// ballLostAfter it searches for an unseen ball. passLimit is how long a pass may take.
const (
	hasBallWithin = 0.5
	mateCloserBy  = 0.1
	lyingTime     = 5 * time.Second
	ballLostAfter = 4 * time.Second
	passLimit     = 4 * time.Second
)

// Partner plays the technical challenge of the Middle Size League of 2015 for one of two robots. They pass without
// communication, swap sides, and pass again, on a field of 12 m × 8 m with an obstacle in either half. Passes go from x
// < 0 to x > 0.
//
// The strategy is that of Dai, Yu, Xiao and Zheng, "Communication-Less Cooperation Between Soccer Robots" (RoboCup
// 2016): the heuristic of the passing point (equations 2 to 5), the receiving positions (tables 1 and 2), and the tasks
// of a round by the sides of ball and robot (table 3).
//
// A Partner remembers its partner's position, the chosen passing point and its receiving position from frame to frame.
type Partner struct {
	adjusts   bool
	now       time.Duration
	mate      rememberedMate
	obstacles []pitch.Vec // positions of robots and obstacles other than the partner
	attempt   passAttempt
	waits     pitch.Vec     // receiving position
	kicked    time.Duration // when it last passed; 0 if never, or if it has had the ball since
	near      time.Duration // when a robot was last near the ball
	seen      time.Duration // when the ball's position was last known
}

// rememberedMate is the last known state of the partner.
type rememberedMate struct {
	world.Robot
	known bool
}

// NewPartner returns a player for one robot. With adjusts, it passes from the best point, and moves so that no obstacle
// stands before it when it receives. Without, it passes from where it has the ball, and receives where it is.
func NewPartner(adjusts bool) *Partner { return &Partner{adjusts: adjusts, waits: receiveHome} }

// Decide returns the command for a frame.
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

// remember updates the partner, the obstacles and the ball. An unidentified robot close to the partner is the partner,
// not an obstacle.
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

// mateRadius is the distance from the partner within which a sighting is the partner, m. movingSpeed is the speed above
// which a ball does not lie, m/s. Guesses.
const (
	mateRadius  = 0.6
	movingSpeed = 0.2
)

// mateUnseenAfter is how long the partner's last position stays valid. Guess.
const mateUnseenAfter = 300 * time.Millisecond

// attemptReleased is how long the ball must have been away before a pass attempt ends. Guess.
const attemptReleased = 250 * time.Millisecond

// sees reports whether the robot sees its partner now.
func (p *Partner) sees(w *world.World) bool {
	return p.mate.known && w.Now-p.mate.Seen < mateUnseenAfter
}

func (p *Partner) mateHas(w *world.World) bool {
	return p.sees(w) && w.Ball.Known && pitch.Distance(p.mate.Pos, w.Ball.Pos) < hasBallWithin
}

// facing returns the heading to the ball, else to the partner, else to the other half.
func (p *Partner) facing(w *world.World) float64 {
	switch {
	case w.Ball.Known:
		return Facing(w, w.Ball.Pos)
	case p.mate.known:
		return Facing(w, p.mate.Pos)
	}
	return Facing(w, pitch.Vec{-w.Me.Pos[0], 0})
}
