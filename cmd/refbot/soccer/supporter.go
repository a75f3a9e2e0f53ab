package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// supportOffsets are candidate positions of a supporter relative to the ball, in m. If the ball is on the left side of
// the field, their y coordinates are negated.
var supportOffsets = [...]pitch.Vec{{2.5, -2.5}, {2.5, 2.5}, {1, -3}, {1, 3}, {3.5, -1.2}, {3.5, 1.2}, {-1, -2.5},
	{-1, 2.5}}

// Support returns the command of a supporter, which waits for a pass.
func Support(w *world.World) Command { return waitAt(w, supportAt(w)) }

// supportAt returns a position near the ball to which the path of a pass is free. The position is outside of the
// penalty areas, because only one robot may be in the opponents' penalty area.
func supportAt(w *world.World) pitch.Vec {
	if w.Attacking() {
		return offerAt(w)
	}
	best, worth := w.Me.Pos, math.Inf(-1)
	side := math.Copysign(1, w.Ball.Pos[1])
	for _, p := range supportOffsets {
		at := w.Ball.Pos.Add(pitch.Vec{p[0], p[1] * side})
		at = w.Pitch.OutsideAreas(w.Pitch.Clamp(at, 0.8), 0.5)
		if pitch.Distance(at, w.Ball.Pos) < 1.8 {
			continue
		}
		if v := min(FreeAngle(w, at), 0.5) + 0.05*p[0] - 0.08*pitch.Distance(at, w.Me.Pos); v > worth {
			best, worth = at, v
		}
	}
	return best
}

// waitAt drives to a position and faces the ball.
func waitAt(w *world.World, at pitch.Vec) Command {
	c := GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, w.Ball.Pos), Ball: 0.9})
	c.Dribble = w.Hold.Is
	return c
}

// goalOffsets are further candidate positions of a supporter, relative to the opponents' goal, in m. They are used if a
// teammate can pass by radio.
var goalOffsets = [...]pitch.Vec{{-2.9, 1.2}, {-2.9, -1.2}, {-2.9, 3}, {-2.9, -3}, {-4.2, 0}, {-4.5, 2.2}, {-4.5, -2.2},
	{-4.5, 4.2}, {-4.5, -4.2}}

// Guesses. supporterSpread is the distance that supporters keep from each other, in m. supportPathCost is how much each
// metre that the supporter has to drive to a position lowers the value of the position, in m.
const (
	supporterSpread = 2.5
	supportPathCost = 0.35
)

// offerAt returns the position at which a pass from the teammate with the ball would have the highest value. The
// position is not close to the targets of supporters with lower numbers.
func offerAt(w *world.World) pitch.Vec {
	best, worth := w.Me.Pos, math.Inf(-1)
	consider := func(at pitch.Vec) {
		at = w.Pitch.OutsideAreas(w.Pitch.Clamp(at, 0.8), 0.5)
		far := pitch.Distance(at, w.Ball.Pos)
		if far < 2 || far > radioPassMax {
			return
		}
		v := placeValue(w, at) + laneMarginGain*max(-1, laneMargin(w, at, KickTime)) -
			supportPathCost*pitch.Distance(at,
				w.Me.Pos)
		for i := range w.Heard {
			h := &w.Heard[i]
			if h.Number < w.Me.Number && Role(h.Role) == Supporter && pitch.Distance(h.Target, at) < supporterSpread {
				v -= 5
			}
		}
		if v > worth {
			best, worth = at, v
		}
	}
	for _, p := range supportOffsets {
		consider(w.Ball.Pos.Add(p))
		consider(w.Ball.Pos.Add(p.Mul(1.6)))
	}
	for _, p := range goalOffsets {
		consider(w.Pitch.TheirGoal().Add(p))
	}
	consider(w.Me.Pos)
	return best
}

// markDistance is the distance of a marker from its opponent, towards the ball, in m. 1.0 is a guess: at this distance
// the marker does not push the opponent.
const markDistance = 1.0

// Mark returns the command of a marker, which stays between an opponent and the ball.
func Mark(w *world.World) Command { return waitAt(w, markerAt(w)) }

// markerAt returns a position between the ball and the most dangerous opponent. The most dangerous opponent is the
// closest to the own goal among the opponents that do not have the ball. If there is none, markerAt returns a position
// on the side of the goal that the sweeper leaves free.
func markerAt(w *world.World) pitch.Vec {
	goal := w.Pitch.OwnGoal()
	at := pitch.Toward(goal, w.Ball.Pos, 4.5).Add(pitch.Vec{0, -math.Copysign(1.5, w.Ball.Pos[1])})
	least := math.Inf(1)
	w.Rivals(func(o *world.Robot) {
		far := pitch.Distance(o.Pos, goal)
		if far < least && far > 2 && pitch.Distance(o.Pos, w.Ball.Pos) > 1.5 && o.Pos[0] < 3 {
			at, least = pitch.Toward(o.Pos, w.Ball.Pos, markDistance), far
		}
	})
	return w.Pitch.OutsideAreas(w.Pitch.Clamp(at, 0.5), 0.4)
}

// sweepShare is the sweeper's position as a fraction of the distance from the goal to the ball. Guess.
const sweepShare = 0.45

// Sweep returns the command of a sweeper, which stays between the ball and the own goal.
func Sweep(w *world.World) Command { return waitAt(w, sweeperAt(w)) }

// sweeperAt returns a position between the ball and the own goal, outside of the penalty area.
func sweeperAt(w *world.World) pitch.Vec {
	goal := w.Pitch.OwnGoal()
	at := pitch.Toward(goal, w.Ball.Pos, max(w.Pitch.PenaltyDepth()+0.6, sweepShare*pitch.Distance(goal, w.Ball.Pos)))
	return w.Pitch.OutsideAreas(w.Pitch.Clamp(at, 0.5), 0.4)
}
