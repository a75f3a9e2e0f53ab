package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses for robots that kick the ball with a foot. Distances are between the centres of robot and ball, in m.
const (
	footSpeed   = 3.0  // m/s, of the hardest kick: that of the humanoid-kid robot
	footStand   = 0.22 // where the robot stands behind the ball
	footReach   = 0.3  // largest distance of a ball that the robot kicks
	footBearing = 0.5  // rad, largest bearing of such a ball
	footAim     = 0.1  // rad, heading error below which the robot kicks
	roundBall   = 0.32 // least distance on the way around the ball
	behindBall  = 0.5  // rad, largest angle at the ball from straight behind it at which the robot walks up to it
	footRange   = 4.0  // largest distance of a shot from the goal
	footTurn    = 0.35 // worth of walking around the ball by 1 rad
	footKeepOn  = 0.2  // worth of going on around the ball the same way
	footPlay    = 2.2  // how far the robot plays the ball ahead
	rollingBall = 0.3  // m/s, speed above which the robot goes to where it meets the ball
)

// footPass is the speed of a pass when it arrives, in m/s. A robot on legs cannot stop a fast ball.
const footPass = 0.4

// target is where a kick may send the ball.
type target struct {
	at    pitch.Vec
	speed float64 // m/s
	mate  uint8   // number of the receiver; 0 for none
}

// attackOnLegs kicks the ball from behind. If shoots is false, a goal would not count.
func attackOnLegs(w *world.World, shoots bool) Command {
	return kickFromBehind(w, footTarget(w, shoots))
}

// footTarget returns where to kick the ball: at the goal, to a teammate, or ahead, whatever is worth most. The angle by
// which the robot has to walk around the ball lowers the worth, and going on the same way raises it, so that the choice
// does not alternate. If shoots is false, a goal would not count.
func footTarget(w *world.World, shoots bool) (best target) {
	worth := math.Inf(-1)
	off := w.Ball.Pos.Sub(w.Me.Pos)
	// velocity anticlockwise around the ball, as a share of the robot's speed
	to := pitch.Unit(off)
	round := (to[1]*w.Me.Vel[0] - to[0]*w.Me.Vel[1]) / bodyOf(w).speed
	consider := func(t target, value float64) {
		turn := pitch.Wrap(pitch.Angle(t.at.Sub(w.Ball.Pos)) - pitch.Angle(off))
		value += footKeepOn*round*math.Copysign(1, turn) - footTurn*math.Abs(turn)
		if value > worth {
			best, worth = t, value
		}
	}
	goal := w.Pitch.TheirGoal()
	if aim, room := Aim(w); shoots && room > shotRoom && pitch.Distance(w.Ball.Pos, goal) < footRange {
		consider(target{aim, footSpeed, 0}, 1.5)
	}
	if to, mate := BestPass(w); mate != 0 {
		speed := min(footSpeed, PassSpeed(pitch.Distance(w.Ball.Pos, to), footPass))
		consider(target{to, speed, mate}, 0.3+0.15*(to[0]-w.Ball.Pos[0]))
	}
	ahead := pitch.Unit(goal.Sub(w.Ball.Pos))
	for _, turn := range [...]float64{0, 0.4, -0.4, 0.8, -0.8, 1.2, -1.2, 1.6, -1.6} {
		at := w.Ball.Pos.Add(pitch.Turn(ahead, turn).Mul(footPlay))
		value := 0.5*math.Cos(turn) + min(FreeAngle(w, at), 0.5)
		if !w.Pitch.Inside(at, 0.3) {
			value -= 0.5
		}
		consider(target{at, min(footSpeed, PassSpeed(footPlay, 0)), 0}, value)
	}
	return best
}

// takeOnLegs takes a set piece of the own team. A goal does not count directly from a kick-off or a throw-in.
func takeOnLegs(w *world.World) Command {
	if w.Game.SetPiece == world.Penalty {
		at, _ := Aim(w)
		return kickFromBehind(w, target{at, footSpeed, 0})
	}
	return attackOnLegs(w, w.Game.SetPiece != world.Kickoff && w.Game.SetPiece != world.ThrowIn)
}

// kickFromBehind walks around the ball, up to it from behind, and kicks it to a target.
func kickFromBehind(w *world.World, to target) Command {
	way := pitch.Unit(to.at.Sub(w.Ball.Pos))
	heading, off := pitch.Angle(way), w.Ball.Pos.Sub(w.Me.Pos)
	bearing := pitch.Wrap(pitch.Angle(off) - w.Me.Heading)
	if off.Len() < footReach && math.Abs(bearing) < footBearing &&
		math.Abs(pitch.Wrap(heading-w.Me.Heading)) < footAim {
		return Command{Kick: Flat, Speed: to.speed, Pass: passOf(w, &to)}
	}
	ball := w.Ball.Pos
	if w.Ball.Vel.Len() > rollingBall {
		ball, _ = Intercept(w, w.Me.Pos)
		off = ball.Sub(w.Me.Pos)
	}
	g := DriveGoal{Pos: ball.Sub(way.Mul(footStand)), Heading: heading}
	if math.Abs(pitch.Wrap(pitch.Angle(off)-heading)) > behindBall {
		g.Pos, g.Ball = ball.Sub(way.Mul(roundBall+bodyOf(w).passingRoom/2)), roundBall
	}
	c := GoTo(w, g)
	c.Pass = passOf(w, &to)
	return c
}

// passOf returns the pass that a kick is.
func passOf(w *world.World, to *target) Pass {
	if to.mate == 0 {
		return Pass{}
	}
	far := pitch.Distance(w.Ball.Pos, to.at)
	return Pass{To: to.mate, At: to.at, In: PassTime(far, footPass, far)}
}
