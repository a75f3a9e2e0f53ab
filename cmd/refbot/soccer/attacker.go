package soccer

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// How an attacker decides. Guesses, but for the rule that who carries the ball farther than 3 m gives it away.
const (
	shotRange = 7.0  // m to the goal
	sureShot  = 4.6  // m: from farther away a goalkeeper has time, and the robot comes nearer if it may
	shotRoom  = 0.03 // rad beside the ball's way
	shotHalf  = 0.5  // m beyond the halfway line: goals from the own half do not count
	// m that it carries the ball before it looks for whom to give it: it takes most of a metre to stop and turn
	carryLimit     = 1.4
	carryLimitHard = 2.0
	holdLimit      = 3500 * time.Millisecond // the same of time
	holdLimitHard  = 5 * time.Second
	// m to the goal: from nearer, a lob that clears the goalkeeper does not come down under the bar
	lobFrom   = 3.2
	lobTo     = 5.5  // m: from farther away it does not hit
	passRoom  = 0.15 // rad beside a pass
	passMin   = 1.5  // m
	passMax   = 8.0
	pushSpeed = 2.0 // m/s, of a ball that it plays to itself
)

// Attack fetches the ball, carries it towards the goal, and shoots; when it has to let the ball go it passes, or plays
// it on to itself.
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
	case held > holdLimitHard || w.Carried() > carryLimitHard: // it has hesitated for too long
		return letBallGo()
	case mate != 0:
		return PassTo(w, mate, to, EasyPass)
	case inRange:
		return Shoot(w, aim, pitch.Vec{})
	}
	return KickTo(w, carryTarget(w), pushSpeed, Flat, pitch.Vec{})
}

// letBallGo kicks the ball to where the robot looks, at once.
func letBallGo() Command {
	return Command{Dribble: true, Kick: Flat, Speed: pushSpeed}
}

// carryTarget is where the attacker carries the ball: to before the goal, through where fewest rivals are.
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

// clampAbs is a coordinate that is at most so far from the middle.
func clampAbs(y, most float64) float64 { return max(-most, min(most, y)) }

// BestPass returns where the mate is that a pass helps most, and its number, 0 if there is none: with nobody in the
// way, farther forward than far back.
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
