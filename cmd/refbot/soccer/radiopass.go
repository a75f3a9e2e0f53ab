package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses for passes of a team with radio. The passer announces the place of the pass, and the receiver drives there.
// So the receiver need not be at the place when the passer chooses it.
const (
	radioPassMax       = 9.0  // m
	laneMarginLeast    = 0.25 // s, least margin: the time by which the ball is ahead of every rival
	laneMarginMost     = 1.0  // s, margin above which more margin has no additional value
	laneMarginGain     = 2.0  // value of a second of margin, in m of distance to the goal
	passTurnCost       = 0.8  // cost of a turn of the passer by one radian, in m of distance to the goal
	announcedPassBonus = 1.0  // m, added value of an announced pass, because its receiver is already on the way
)

// passOffsets are the candidate places of a pass relative to the receiver's present position, in m.
var passOffsets = [...]pitch.Vec{{}, {1.2, 0}, {2.4, 0}, {0.8, 0.9}, {0.8, -0.9}, {0, 1.3}, {0, -1.3}, {-1, 0}}

// BestRadioPass returns the best place for a pass to a teammate with radio, the value of the pass in metres of distance
// to the goal, and the receiver's number. The number is 0 if no pass is possible. In a possible pass the receiver
// arrives before the ball, and no rival can reach the ball's path in time.
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

// passWorth returns the value of a pass to a place, in m of distance to the goal. receiver is the receiver's present
// position. ok is false if the pass is not possible.
func passWorth(w *world.World, receiver, place pitch.Vec) (worth float64, ok bool) {
	far := pitch.Distance(place, w.Ball.Pos)
	if far < passMin || far > radioPassMax || !w.Pitch.Inside(place, 0.5) || w.Pitch.InGoalArea(place, 0.4) {
		return 0, false
	}
	turn := math.Abs(pitch.Wrap(pitch.Angle(place.Sub(w.Ball.Pos)) - w.Me.Heading))
	start := TimeToKick(w, place)
	if DriveTime(w, pitch.Distance(receiver, place)-world.HoldDistance) > start+PassTime(far, FirmPass, far) {
		return 0, false
	}
	safe := laneMargin(w, place, start)
	if safe < laneMarginLeast {
		return 0, false
	}
	return placeValue(w, place) - placeValue(w, w.Ball.Pos) + laneMarginGain*safe - passTurnCost*turn, true
}

// laneMargin returns how much later than the ball the fastest rival reaches the path of a pass to a place, in s, at
// most laneMarginMost. Over the last 0.75 m of the path, the margin is smaller by the time until the kick, untilKick,
// in s.
func laneMargin(w *world.World, place pitch.Vec, untilKick float64) float64 {
	far := pitch.Distance(place, w.Ball.Pos)
	safe := laneMarginMost
	w.Rivals(func(o *world.Robot) {
		from := o.Pos.Add(o.Vel.Mul(0.3))
		for along := 0.5; along <= far; along += 0.5 {
			ball := PassTime(far, FirmPass, along)
			if along > far-0.75 {
				ball += untilKick
			}
			safe = min(safe, DriveTime(w, pitch.Distance(from, pitch.Toward(w.Ball.Pos, place, along))-laneRadius)-ball)
		}
	})
	return safe
}

// laneRadius is the distance of a robot's centre from the ball's path below which the robot touches the passing ball,
// in m.
const laneRadius = 0.45

// placeValue returns the value of having the ball at a position, in m of distance to the goal. The value is higher
// closer to the goal, and at positions from which the robot can shoot.
func placeValue(w *world.World, at pitch.Vec) float64 {
	far := pitch.Distance(at, w.Pitch.TheirGoal())
	v := -far
	if far < sureShot {
		v = -sureShot + 1.5
	}
	return v - 0.3*math.Abs(at[1])
}

// Guesses for the choice between passing and carrying. passWorthCarrying is the least value of a pass while the robot
// may still carry the ball, in m. passWorthPressed is the least value if the robot must let the ball go, or if a rival
// ahead is closer than pressedWithin, in m.
const (
	passWorthCarrying = 2.5
	pressedWithin     = 1.0
	passWorthPressed  = -3.0
)

// radioPass returns the command to pass to a teammate with radio. ok is false if the robot should not pass, because it
// can shoot or because the value of the best pass is too low.
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

// rivalAhead reports whether a rival is closer than pressedWithin in front of the robot.
func rivalAhead(w *world.World) (is bool) {
	w.Rivals(func(o *world.Robot) {
		ahead := math.Abs(pitch.Wrap(Facing(w, o.Pos)-w.Me.Heading)) < 1
		is = is || ahead && pitch.Distance(o.Pos, w.Me.Pos) < pressedWithin
	})
	return is
}

// announcedPass returns the place of a pass that a teammate has announced to this robot but has not kicked yet. ok is
// false if there is no such pass.
func announcedPass(w *world.World) (at pitch.Vec, ok bool) {
	for i := range w.Heard {
		if p := &w.Heard[i].Pass; p.To == w.Me.Number && !p.Kicked {
			return p.At, true
		}
	}
	return at, false
}

// receiveAt drives to the place of a pass, and faces the ball there with the dribbler on.
func receiveAt(w *world.World, at pitch.Vec) Command {
	c := GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, w.Ball.Pos)})
	c.Dribble = true
	return c
}
