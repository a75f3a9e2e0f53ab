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

// KeepGoal blocks shots, and takes and clears a ball that lies before the goal.
func KeepGoal(w *world.World) Command {
	switch {
	case w.Hold.Is:
		return clearBall(w)
	case !w.Ball.Known:
		return GoTo(w, DriveGoal{Pos: goalkeeperHome(w)})
	case w.Pitch.InOwnPenaltyArea(w.Ball.Pos, 0) && w.Ball.Vel.Len() < slowBall && w.Ball.Pos[0] > -w.Pitch.Length/2 &&
		keeperFirst(w):
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
