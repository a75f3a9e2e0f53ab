package role

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/skill"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses of what a pass is worth to a team that talks: the receiver is told where the ball will be, and goes there, so
// that it need not stand there yet.
const (
	toldMax    = 9.0  // m
	margin     = 0.25 // s by which every rival has to come too late to the ball's way
	marginGood = 1.0  // s: more is not worth more
	marginGain = 2.0  // m of way towards the goal for each second
	turnPrice  = 0.8  // m for each radian
	keepsPass  = 1.0  // m for the pass that has been told: the receiver is on its way
)

// offsets are where from a mate a pass may go, m.
var offsets = [...]pitch.Vec{{}, {1.2, 0}, {2.4, 0}, {0.8, 0.9}, {0.8, -0.9}, {0, 1.3}, {0, -1.3}, {-1, 0}}

// ToldPass returns the place of the pass to a mate that is heard that helps most, what it is worth as metres of way
// towards the goal, and the mate's number, 0 if there is none: the mate is there before the ball, and no rival can be
// on its way.
func ToldPass(w *world.World) (to pitch.Vec, worth float64, mate uint8) {
	worth = math.Inf(-1)
	for i := range w.Heard {
		h := &w.Heard[i]
		if h.Number == 1 || h.Number == w.Game.Taker {
			continue
		}
		from := h.Pos.Add(h.Vel.Mul((w.Now - h.Sent).Seconds() + 0.3))
		consider := func(at pitch.Vec, more float64) {
			if v, ok := passWorth(w, from, at); ok && v+more > worth {
				to, worth, mate = at, v+more, h.Number
			}
		}
		for _, o := range offsets {
			consider(from.Add(o), 0)
		}
		if w.Said != nil && w.Said.Pass.To == h.Number && !w.Said.Pass.Kicked {
			consider(w.Said.Pass.At, keepsPass)
		}
	}
	return to, worth, mate
}

// passWorth returns what a pass to a mate at one place is worth that gets the ball at another.
func passWorth(w *world.World, from, at pitch.Vec) (worth float64, ok bool) {
	far := pitch.Distance(at, w.Ball.Pos)
	if far < passMin || far > toldMax || !w.Pitch.Inside(at, 0.5) || w.Pitch.InGoalArea(at, 0.4) {
		return 0, false
	}
	turn := math.Abs(pitch.Wrap(pitch.Angle(at.Sub(w.Ball.Pos)) - w.Me.Heading))
	start := skill.TimeToKick(w, at)
	if skill.Reach(pitch.Distance(from, at)-world.HoldDistance) > start+skill.PassTime(far, skill.Firm, far) {
		return 0, false
	}
	safe := laneMargin(w, at, start)
	if safe < margin {
		return 0, false
	}
	return place(w, at) - place(w, w.Ball.Pos) + marginGain*safe - turnPrice*turn, true
}

// laneMargin returns by how much the first rival comes too late to the way of a pass that starts in a while, s;
// marginGood at most. Whoever gets it needs that while for it, too.
func laneMargin(w *world.World, at pitch.Vec, start float64) float64 {
	far := pitch.Distance(at, w.Ball.Pos)
	safe := marginGood
	w.Rivals(func(o *world.Robot) {
		from := o.Pos.Add(o.Vel.Mul(0.3))
		for along := 0.5; along <= far; along += 0.5 {
			ball := skill.PassTime(far, skill.Firm, along)
			if along > far-0.75 {
				ball += start
			}
			safe = min(safe, skill.Reach(pitch.Distance(from, pitch.Toward(w.Ball.Pos, at, along))-blocks)-ball)
		}
	})
	return safe
}

// blocks is how near to a ball's way a robot's middle has to be to touch the ball, m.
const blocks = 0.45

// place is how good it is to have the ball at a place, m: nearer to the goal, and from where it can be shot.
func place(w *world.World, at pitch.Vec) float64 {
	far := pitch.Distance(at, w.Pitch.TheirGoal())
	v := -far
	if far < sureShot {
		v = -sureShot + 1.5
	}
	return v - 0.3*math.Abs(at[1])
}

// Guesses of when a pass is better than to carry the ball on: what it has to be worth then, m, and when a rival is so
// near that the ball has to go, m.
const (
	worthIt   = 2.5
	pressed   = 1.0
	worthThen = -3.0
)

// toldPass passes the ball to a mate that is heard, if there is one for whom that is worth it: much as long as the
// robot may carry the ball, little when it is pressed or has to let the ball go. Whoever can shoot does not pass.
func toldPass(w *world.World, shoots, mustLetGo bool) (c skill.Command, ok bool) {
	if len(w.Heard) == 0 || shoots {
		return c, false
	}
	to, worth, mate := ToldPass(w)
	least := worthIt
	if mustLetGo || near(w) {
		least = worthThen
	}
	if mate == 0 || worth < least {
		return c, false
	}
	return skill.PassTo(w, mate, to, skill.Firm), true
}

// near tells whether a rival is near to the robot, before it.
func near(w *world.World) (is bool) {
	w.Rivals(func(o *world.Robot) {
		ahead := math.Abs(pitch.Wrap(skill.Facing(w, o.Pos)-w.Me.Heading)) < 1
		is = is || ahead && pitch.Distance(o.Pos, w.Me.Pos) < pressed
	})
	return is
}

// promised returns where the robot gets the pass that a mate has told it of, as long as that has not been kicked.
func promised(w *world.World) (at pitch.Vec, ok bool) {
	for i := range w.Heard {
		if p := &w.Heard[i].Pass; p.To == w.Me.Number && !p.Kicked {
			return p.At, true
		}
	}
	return at, false
}

// receive goes to where a pass is to come.
func receive(w *world.World, at pitch.Vec) skill.Command {
	c := skill.GoTo(w, skill.Goal{Pos: at, Heading: skill.Facing(w, w.Ball.Pos)})
	c.Dribble = true
	return c
}
