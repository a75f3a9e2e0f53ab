package challenge

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/role"
	"github.com/omnipitch/omnipitch/cmd/refbot/skill"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses: how near to the ball a robot has it, m; by how much nearer the other has to be to be the one who goes for
// it, m; after how long somebody goes for a ball that lies, and looks for one that nobody sees; and how long a pass may
// take.
const (
	has      = 0.5
	stays    = 0.1
	lies     = 5 * time.Second
	lost     = 4 * time.Second
	passTime = 4 * time.Second
)

// Partner plays for one robot of the two.
type Partner struct {
	adjusts   bool
	now       time.Duration
	mate      mate
	obstacles []pitch.Vec // where something stands that is not the mate
	attempt   attempt
	waits     pitch.Vec     // where it receives
	kicked    time.Duration // when it passed last; 0: never, or it has had the ball since
	near      time.Duration // when somebody was last near the ball
	seen      time.Duration // when it last knew where the ball is
}

// mate is what a robot remembers of the other one.
type mate struct {
	world.Robot
	known bool
}

// New returns a player for one robot. One that adjusts passes from the best point, and receives where no obstacle is
// before it; another one passes from where it has the ball, and waits where it is.
func New(adjusts bool) *Partner { return &Partner{adjusts: adjusts, waits: home} }

// Decide returns the command that answers a frame.
func (p *Partner) Decide(w *world.World) skill.Command {
	if w.Now < p.now { // the world has begun again
		*p = *New(p.adjusts)
	}
	p.now = w.Now
	p.remember(w)
	switch p.stage(w) {
	case fetching:
		return skill.Fetch(w)
	case bringing:
		return skill.Carry(w, bringTo)
	case passing:
		return p.pass(w)
	case receiving:
		return p.receive(w)
	case searching:
		return role.Search(w)
	}
	return skill.Stop(w, p.facing(w))
}

// remember notes where mate, obstacles and ball are. A mate of which too little is seen to know it is not taken for an
// obstacle.
func (p *Partner) remember(w *world.World) {
	w.Mates(func(r *world.Robot) { p.mate = mate{*r, true} })
	p.obstacles = p.obstacles[:0]
	w.Rivals(func(r *world.Robot) {
		if !p.mate.known || pitch.Distance(r.Pos, p.mate.Pos) > sameRobot {
			p.obstacles = append(p.obstacles, r.Pos)
		}
	})
	if !w.Ball.Known {
		return
	}
	p.seen = w.Now
	if pitch.Distance(w.Me.Pos, w.Ball.Pos) < has || p.mateHas(w) || w.Ball.Vel.Len() > moves {
		p.near = w.Now
	}
	switch {
	case w.Hold.Is:
		p.kicked = 0
	case w.Now-w.Hold.Lost > released:
		p.attempt = attempt{}
	}
	if w.Me.Pos[0] < 0 {
		p.waits = home
	}
}

// sameRobot is how near to the mate nothing else stands, m; moves is how fast a ball is that does not lie, m/s.
// Guesses.
const (
	sameRobot = 0.6
	moves     = 0.2
)

// unseen is after how long without seeing its mate a robot does not count on where that was. Guess.
const unseen = 300 * time.Millisecond

// released is how long the ball must have been away for the robot to have let it go. Guess.
const released = 250 * time.Millisecond

// sees tells whether the robot sees its mate now.
func (p *Partner) sees(w *world.World) bool {
	return p.mate.known && w.Now-p.mate.Seen < unseen
}

func (p *Partner) mateHas(w *world.World) bool {
	return p.sees(w) && w.Ball.Known && pitch.Distance(p.mate.Pos, w.Ball.Pos) < has
}

// facing is the heading to the ball, to the mate of a robot that does not see it, and else to the other side.
func (p *Partner) facing(w *world.World) float64 {
	switch {
	case w.Ball.Known:
		return skill.Facing(w, w.Ball.Pos)
	case p.mate.known:
		return skill.Facing(w, p.mate.Pos)
	}
	return skill.Facing(w, pitch.Vec{-w.Me.Pos[0], 0})
}
