package soccer

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Limits for an attacker's decisions. All are guesses. By the rules, a robot may carry the ball for at most 3 m.
const (
	shotRange = 7.0  // m, largest distance of a shot from the goal
	sureShot  = 4.6  // m, distance from the goal within which the goalkeeper cannot react to a shot
	shotRoom  = 0.03 // rad, required free angle beside the path of a shot
	shotHalf  = 0.5  // m, least distance beyond the halfway line: goals from the own half do not count
	// carryLimit is the distance after which a robot that carries the ball prefers to pass it, in m. After
	// carryLimitHard it lets the ball go in any case. Both are below 3 m, because stopping and turning take most of a
	// metre.
	carryLimit     = 1.4
	carryLimitHard = 2.0
	holdLimit      = 3500 * time.Millisecond // how long a robot holds the ball before it prefers to pass
	holdLimitHard  = 5 * time.Second
	// lobFrom is the least distance of a lob from the goal, in m. A lob from closer that passes over the goalkeeper
	// also passes over the bar.
	lobFrom   = 3.2
	lobTo     = 5.5  // m, largest distance of a lob from the goal; a lob from farther away misses
	passRoom  = 0.15 // rad, required free angle beside the path of a pass
	passMin   = 1.5  // m
	passMax   = 8.0
	pushSpeed = 2.0 // m/s, speed of a ball that the robot plays ahead of itself
)

// Attack returns the command of the attacker. The attacker fetches the ball, carries it towards the goal, and shoots.
// If it cannot shoot before it reaches the limit for carrying the ball, it passes, or plays the ball ahead of itself.
// An attacker on legs kicks the ball from behind instead.
func Attack(w *world.World) Command {
	if w.OnLegs() {
		return attackOnLegs(w, true)
	}
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

// carryTarget returns the position to which the attacker carries the ball: in front of the opponents' goal, or to the
// left or right of this direction if rivals leave more space there.
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

// clampAbs limits y to the interval from −most to most.
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

// Guesses for fetching the ball.
const (
	fetchOverlap     = 0.05 // m, by how much the robot drives closer to the ball than HoldDistance
	fetchNear        = 1.2  // m, distance from the ball within which the robot faces and follows it
	interceptHorizon = 4.0  // s, latest time at which the robot intercepts the ball
)

// Fetch drives the robot to where it can intercept the ball, and turns on the dribbler, which takes the ball.
func Fetch(w *world.World) Command {
	if !w.Pitch.Inside(w.Ball.Pos, -0.25) { // the ball is out of play
		return Stop(w, Facing(w, w.Ball.Pos))
	}
	at, _ := Intercept(w, w.Me.Pos)
	at = w.Pitch.Clamp(at, -0.1)
	ahead := pitch.Unit(at.Sub(w.Me.Pos))
	g := DriveGoal{Pos: at.Sub(ahead.Mul(world.HoldDistance - fetchOverlap)), Heading: pitch.Angle(ahead)}
	if off := w.Ball.Pos.Sub(w.Me.Pos); off.Len() < fetchNear {
		ahead = pitch.Unit(off)
		g.Heading = pitch.Angle(ahead)
		g.Vel = ahead.Mul(max(0, w.Ball.Vel.Dot(ahead))) // follow a ball that rolls away
	}
	c := GoTo(w, g)
	c.Dribble = true
	return c
}

// Intercept returns the first position on the ball's path that a robot reaches no later than the ball, if the robot
// starts now at the position start. It also returns the time until the ball is there, in s.
func Intercept(w *world.World, start pitch.Vec) (at pitch.Vec, in float64) {
	for in = 0; in < interceptHorizon; in += 0.1 {
		at = w.BallAt(in)
		if DriveTime(w, pitch.Distance(start, at)-world.HoldDistance) <= in {
			return at, in
		}
	}
	return at, DriveTime(w, pitch.Distance(start, at)-world.HoldDistance)
}

// DriveTime returns the time that a robot needs to drive a distance, in m, from standstill to standstill. The time is
// in s.
func DriveTime(w *world.World, distance float64) float64 {
	b := bodyOf(w)
	switch ramps := b.speed * b.speed / b.accel; {
	case distance <= 0:
		return 0
	case distance > ramps:
		return distance/b.speed + b.speed/b.accel
	}
	return 2 * math.Sqrt(distance/b.accel)
}

// quarterTime is how long a robot searches one quarter of the field. All robots switch at the same sim time.
const quarterTime = 5 * time.Second

// quarterOnLegs is quarterTime of robots on legs, which look around with their heads meanwhile.
const quarterOnLegs = 15 * time.Second

// Search drives the robot to the centre of a quarter of the field to look for the ball. Each robot searches a different
// quarter.
func Search(w *world.World) Command {
	quarters := [...]pitch.Vec{{-1, -1}, {-1, 1}, {1, 1}, {1, -1}}
	span := quarterTime
	if w.OnLegs() {
		span = quarterOnLegs
	}
	q := quarters[(int(w.Me.Number)+int(w.Now/span))%len(quarters)]
	at := pitch.Vec{q[0] * w.Pitch.Length / 5, q[1] * w.Pitch.Width / 4}
	return GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, pitch.Vec{})})
}
