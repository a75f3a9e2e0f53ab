package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses of what a pass is worth to a team that talks: the receiver is told where the ball will be, and goes there, so
// that it need not stand there yet.
const (
	radioPassMax       = 9.0  // m
	laneMarginLeast    = 0.25 // s by which every rival has to come too late to the ball's way
	laneMarginMost     = 1.0  // s: more is not worth more
	laneMarginGain     = 2.0  // m of way towards the goal for each second
	passTurnCost       = 0.8  // m for each radian
	announcedPassBonus = 1.0  // m for the pass that has been told: the receiver is on its way
)

// passOffsets are where from a mate a pass may go, m.
var passOffsets = [...]pitch.Vec{{}, {1.2, 0}, {2.4, 0}, {0.8, 0.9}, {0.8, -0.9}, {0, 1.3}, {0, -1.3}, {-1, 0}}

// BestRadioPass returns the place of the pass to a mate that is heard that helps most, what it is worth as metres of way
// towards the goal, and the mate's number, 0 if there is none: the mate is there before the ball, and no rival can be
// on its way.
func BestRadioPass(w *world.World) (to pitch.Vec, worth float64, mate uint8) {
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
		for _, o := range passOffsets {
			consider(from.Add(o), 0)
		}
		if w.Said != nil && w.Said.Pass.To == h.Number && !w.Said.Pass.Kicked {
			consider(w.Said.Pass.At, announcedPassBonus)
		}
	}
	return to, worth, mate
}

// passWorth returns what a pass to a mate at one place is worth that gets the ball at another.
func passWorth(w *world.World, from, at pitch.Vec) (worth float64, ok bool) {
	far := pitch.Distance(at, w.Ball.Pos)
	if far < passMin || far > radioPassMax || !w.Pitch.Inside(at, 0.5) || w.Pitch.InGoalArea(at, 0.4) {
		return 0, false
	}
	turn := math.Abs(pitch.Wrap(pitch.Angle(at.Sub(w.Ball.Pos)) - w.Me.Heading))
	start := TimeToKick(w, at)
	if DriveTime(pitch.Distance(from, at)-world.HoldDistance) > start+PassTime(far, FirmPass, far) {
		return 0, false
	}
	safe := laneMargin(w, at, start)
	if safe < laneMarginLeast {
		return 0, false
	}
	return placeValue(w, at) - placeValue(w, w.Ball.Pos) + laneMarginGain*safe - passTurnCost*turn, true
}

// laneMargin returns by how much the first rival comes too late to the way of a pass that starts in a while, s;
// laneMarginMost at most. Whoever gets it needs that while for it, too.
func laneMargin(w *world.World, at pitch.Vec, start float64) float64 {
	far := pitch.Distance(at, w.Ball.Pos)
	safe := laneMarginMost
	w.Rivals(func(o *world.Robot) {
		from := o.Pos.Add(o.Vel.Mul(0.3))
		for along := 0.5; along <= far; along += 0.5 {
			ball := PassTime(far, FirmPass, along)
			if along > far-0.75 {
				ball += start
			}
			safe = min(safe, DriveTime(pitch.Distance(from, pitch.Toward(w.Ball.Pos, at, along))-laneRadius)-ball)
		}
	})
	return safe
}

// laneRadius is how near to a ball's way a robot's middle has to be to touch the ball, m.
const laneRadius = 0.45

// placeValue is how good it is to have the ball at a place, m: nearer to the goal, and from where it can be shot.
func placeValue(w *world.World, at pitch.Vec) float64 {
	far := pitch.Distance(at, w.Pitch.TheirGoal())
	v := -far
	if far < sureShot {
		v = -sureShot + 1.5
	}
	return v - 0.3*math.Abs(at[1])
}

// Guesses of when a pass is better than to carry the ball on: what it has to be worth then, m, and when a rival is so
// rivalAhead that the ball has to go, m.
const (
	passWorthCarrying = 2.5
	pressedWithin     = 1.0
	passWorthPressed  = -3.0
)

// radioPass passes the ball to a mate that is heard, if there is one for whom that is worth it: much as long as the
// robot may carry the ball, little when it is pressed or has to let the ball go. Whoever can shoot does not pass.
func radioPass(w *world.World, shoots, mustLetGo bool) (c Command, ok bool) {
	if len(w.Heard) == 0 || shoots {
		return c, false
	}
	to, worth, mate := BestRadioPass(w)
	least := passWorthCarrying
	if mustLetGo || rivalAhead(w) {
		least = passWorthPressed
	}
	if mate == 0 || worth < least {
		return c, false
	}
	return PassTo(w, mate, to, FirmPass), true
}

// rivalAhead tells whether a rival is near to the robot, before it.
func rivalAhead(w *world.World) (is bool) {
	w.Rivals(func(o *world.Robot) {
		ahead := math.Abs(pitch.Wrap(Facing(w, o.Pos)-w.Me.Heading)) < 1
		is = is || ahead && pitch.Distance(o.Pos, w.Me.Pos) < pressedWithin
	})
	return is
}

// announcedPass returns where the robot gets the pass that a mate has told it of, as long as that has not been kicked.
func announcedPass(w *world.World) (at pitch.Vec, ok bool) {
	for i := range w.Heard {
		if p := &w.Heard[i].Pass; p.To == w.Me.Number && !p.Kicked {
			return p.At, true
		}
	}
	return at, false
}

// receiveAt goes to where a pass is to come.
func receiveAt(w *world.World, at pitch.Vec) Command {
	c := GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, w.Ball.Pos)})
	c.Dribble = true
	return c
}
