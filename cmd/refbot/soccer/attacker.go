package soccer

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// How an attacker decides. Guesses, except for the rule that a robot may carry the ball for 3 m at most.
const (
	shotRange = 7.0  // m from the goal
	sureShot  = 4.6  // m: from farther away the goalkeeper has time to react, so the robot moves closer if it may
	shotRoom  = 0.03 // rad, free angle beside the ball's path
	shotHalf  = 0.5  // m beyond the halfway line, because goals from the own half do not count
	// m for which it carries the ball before it passes: stopping and turning take most of a metre
	carryLimit     = 1.4
	carryLimitHard = 2.0
	holdLimit      = 3500 * time.Millisecond // how long it holds the ball before it passes
	holdLimitHard  = 5 * time.Second
	// m from the goal: a nearer lob that clears the goalkeeper does not come down under the bar
	lobFrom   = 3.2
	lobTo     = 5.5  // m: a farther lob does not hit
	passRoom  = 0.15 // rad, free angle beside a pass
	passMin   = 1.5  // m
	passMax   = 8.0
	pushSpeed = 2.0 // m/s, of a ball that it plays ahead of itself
)

// Attack fetches the ball, carries it towards the goal, and shoots. Before the carrying limit it passes, or plays the
// ball ahead of itself.
func Attack(w *world.World) Command {
	if !w.Hold.Is {
		return Fetch(w)
	}
	aim, room := Aim(w)
	far := pitch.Distance(w.Ball.Pos, w.Pitch.TheirGoal())
	inRange := far < shotRange && w.Ball.Pos[0] > shotHalf
	held := w.Now - w.Hold.Since
	if c, ok := radioPass(w, inRange && room > shotRoom, w.Carried() >= carryLimit || held >= holdLimit); ok {
		return c
	}
	to, mate := BestPass(w)
	switch {
	case inRange && room > shotRoom && (far < sureShot || w.Carried() > carryLimit):
		return Shoot(w, aim, w.Me.Vel.Mul(0.5))
	case inRange && far > lobFrom && far < lobTo && (room <= shotRoom || w.Carried() > carryLimit):
		return ShootOver(w, w.Pitch.TheirGoal())
	case w.Carried() < carryLimit && held < holdLimit:
		return Carry(w, carryTarget(w))
	case held > holdLimitHard || w.Carried() > carryLimitHard: // it has held the ball for too long
		return letBallGo()
	case mate != 0:
		return PassTo(w, mate, to, EasyPass)
	case inRange:
		return Shoot(w, aim, pitch.Vec{})
	}
	return KickTo(w, carryTarget(w), pushSpeed, Flat, pitch.Vec{})
}

// letBallGo kicks the ball straight ahead at once.
func letBallGo() Command {
	return Command{Dribble: true, Kick: Flat, Speed: pushSpeed}
}

// carryTarget returns where the attacker carries the ball: to the front of the goal, on the side with the fewest
// rivals.
func carryTarget(w *world.World) pitch.Vec {
	goal := w.Pitch.TheirGoal()
	to := pitch.Vec{goal[0] - 3.2, clampAbs(w.Ball.Pos[1], 1.5)}
	best, worth := to, math.Inf(-1)
	for _, turn := range [...]float64{0, 0.5, -0.5, 1, -1} {
		at := w.Ball.Pos.Add(pitch.Turn(pitch.Unit(to.Sub(w.Ball.Pos)),
			turn).Mul(min(2.5, pitch.Distance(to, w.Ball.Pos))))
		if !w.Pitch.Inside(at, 0.6) {
			continue
		}
		heading := math.Abs(pitch.Wrap(pitch.Angle(at.Sub(w.Ball.Pos)) - w.Me.Heading))
		if v := min(FreeAngle(w, at), 0.5) - 0.15*math.Abs(turn) - 0.15*heading; v > worth {
			best, worth = at, v
		}
	}
	return best
}

// clampAbs limits y to [−most, most].
func clampAbs(y, most float64) float64 { return max(-most, min(most, y)) }

// BestPass returns the position and number of the teammate to whom a pass helps most, or number 0 if there is none. The
// path of the pass is free, and it goes forward rather than back.
func BestPass(w *world.World) (to pitch.Vec, mate uint8) {
	best := math.Inf(-1)
	w.Mates(func(m *world.Robot) {
		at := m.Pos.Add(m.Vel.Mul(0.4))
		far := pitch.Distance(at, w.Ball.Pos)
		free := FreeAngle(w, at)
		if m.Number == 1 || far < passMin || far > passMax || free < passRoom || !w.Pitch.Inside(at, 0.3) {
			return
		}
		turn := math.Abs(pitch.Wrap(pitch.Angle(at.Sub(w.Ball.Pos)) - w.Me.Heading))
		if worth := at[0] - w.Ball.Pos[0] + 2*min(free, 0.5) - turn; worth > best && at[0] > w.Ball.Pos[0]-2 {
			to, best, mate = at, worth, m.Number
		}
	})
	return to, mate
}
