package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses. In its penalty area the goalkeeper takes a ball itself if the ball is slower than slowBall, and kicks it
// away with clearSpeed.
const (
	slowBall   = 1.2 // m/s
	clearSpeed = 7.0 // m/s
)

// KeepGoal blocks shots and lobs, and takes and clears a ball that lies before the goal. Without a dribbler, it pushes
// such a ball away.
func KeepGoal(w *world.World) Command {
	if c, ok := blockLob(w); ok && !w.Hold.Is {
		return c
	}
	switch {
	case w.Hold.Is:
		return clearBall(w)
	case !w.Ball.Known:
		return GoTo(w, DriveGoal{Pos: goalkeeperHome(w)})
	case w.Pitch.InOwnPenaltyArea(w.Ball.Pos, 0) && w.Ball.Vel.Len() < slowBall && w.Ball.Pos[0] > -w.Pitch.Length/2 &&
		keeperFirst(w):
		if w.OnLegs() {
			return attackOnLegs(w, true)
		}
		if !w.Parts.Dribbler {
			return pushAway(w)
		}
		return Fetch(w)
	}
	return Block(w)
}

// goalkeeperHome returns the goalkeeper's waiting position.
func goalkeeperHome(w *world.World) pitch.Vec { return w.Pitch.OwnGoal().Add(pitch.Vec{0.45, 0}) }

// keeperFirst reports whether this robot, the goalkeeper, reaches the ball before any rival.
func keeperFirst(w *world.World) bool {
	_, mine := Intercept(w, w.Me.Pos)
	ok := true
	w.Rivals(func(o *world.Robot) {
		_, theirs := Intercept(w, o.Pos)
		ok = ok && mine < theirs+0.3
	})
	return ok
}

// clearBall passes the ball to a teammate, or kicks it to where no robot is if no pass is possible.
func clearBall(w *world.World) Command {
	if to, mate := BestPass(w); mate != 0 {
		return PassTo(w, mate, to, EasyPass)
	}
	best, worth := pitch.Vec{}, math.Inf(-1)
	for _, y := range [...]float64{0.75, -0.75, 0.4, -0.4, 0} {
		at := pitch.Vec{0, y * w.Pitch.Width / 2}
		turn := math.Abs(pitch.Wrap(Facing(w, at) - w.Me.Heading))
		if v := min(FreeAngle(w, at), 0.5) - 0.02*turn; v > worth {
			best, worth = at, v
		}
	}
	return KickTo(w, best, clearSpeed, Flat, pitch.Vec{})
}

// pushAway pushes a ball that lies before the goalkeeper away from the goal. If it lies elsewhere, the goalkeeper
// blocks.
func pushAway(w *world.World) Command {
	off := w.Ball.Pos.Sub(w.Me.Pos)
	if math.Abs(pitch.Angle(off)) > pushTurn || !w.Pitch.InOwnPenaltyArea(w.Ball.Pos, -pushEdge) ||
		math.Abs(w.Ball.Pos[1]) > pushBeside {
		return Block(w)
	}
	return GoTo(w, DriveGoal{Pos: w.Ball.Pos, Heading: pitch.Angle(off), Vel: pitch.Unit(off).Mul(pushVel)})
}

// Guesses for pushing the ball away: the largest angle from the direction out of the goal, in rad, the speed, in m/s,
// and the least distance of the ball from the edge of the penalty area, in m, which the goalkeeper does not leave.
const (
	pushTurn = 1.0
	pushVel  = 1.0
	pushEdge = 0.6
	// largest distance of the ball from the middle of the goal, sideways, m; other robots fetch balls beside the goal
	pushBeside = 0.5
)

// Guesses for the goalkeeper.
const (
	keeperLine     = 0.45 // m, distance of the goalkeeper from the goal line
	keeperReach    = 0.78 // m for a goal 2 m wide, largest sideways distance of the goalkeeper from its centre
	lastLine       = 0.2  // m, the same for a ball that it cannot meet there
	blockShotSpeed = 0.8  // m/s, speed towards the goal above which a moving ball is a shot
	slowShotSpeed  = 0.2  // m/s, the same for a goalkeeper without a dribbler
	blockShotTime  = 3.0  // s, time until arrival above which a shot does not count yet
)

// Block positions the goalkeeper between the ball and the centre of its goal, or in the path of a shot.
func Block(w *world.World) Command {
	goal := w.Pitch.OwnGoal()
	line := goal[0] + keeperLine
	y, in, shot := crossing(w, line, blockShotSpeed)
	if !w.Parts.Dribbler && (!shot || DriveTime(w, math.Abs(y-w.Me.Pos[1])-bodyOf(w).radius) > in) {
		// The goalkeeper cannot hold the ball, so it bounces off. Nearer to the goal line there is more time.
		if y2, in2, late := crossing(w, goal[0]+lastLine, slowShotSpeed); late {
			line, y, in, shot = goal[0]+lastLine, y2, in2, true
		}
	}
	if !shot {
		off := w.Ball.Pos.Sub(goal)
		// The factor 1.6 moves the goalkeeper towards the post on the ball's side, where the path of a shot is shorter.
		y = off[1] * keeperLine / max(keeperLine, off[0]) * 1.6
	}
	at := pitch.Vec{line, clampAbs(y, keeperReach*w.Pitch.GoalWidth()/2)}
	c := GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, w.Ball.Pos)})
	if shot {
		hurry(w, &c, at, in)
		if in < extendBefore {
			c.Extend = side(y - w.Me.Pos[1] - w.Me.Vel[1]*in)
		}
	}
	c.Dribble = true
	return c
}

// crossing returns the y coordinate, in m, at which a shot crosses a line in front of the goal, and the time until
// then, in s. line is the x coordinate of the line, in m. shot is false if the ball is moving towards the goal more
// slowly than slowest, in m/s.
func crossing(w *world.World, line, slowest float64) (y, in float64, shot bool) {
	b := &w.Ball
	if b.Vel[0] > -slowest || b.Pos[0] < line {
		return 0, 0, false
	}
	in = (b.Pos[0] - line) / -b.Vel[0]
	y = b.Pos[1] + b.Vel[1]*in
	return y, in, in < blockShotTime && math.Abs(y) < w.Pitch.GoalWidth()/2+0.5
}
