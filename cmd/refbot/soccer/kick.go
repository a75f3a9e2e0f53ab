package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Guesses for kicking.
const (
	aimError     = 0.02 // rad, heading error below which the robot kicks
	aimTurn      = 0.6  // rad/s, turn rate below which the robot kicks
	EasyPass     = 1.6  // m/s, speed of the ball at a receiver that may not expect the pass
	FirmPass     = 2.8  // m/s, speed of the ball at a receiver that expects the pass
	ShotSpeed    = 11.0 // m/s
	maxPass      = 7.0  // m/s
	KickTime     = 0.25 // s from the decision to kick until the ball leaves, if the robot need not turn
	meanTurnRate = 2.5  // rad/s, mean turn rate while the robot turns to aim
	rollShare    = 5. / 7
)

// KickTo turns a robot that holds the ball until a kick would send the ball to the position target, and then kicks.
// While it turns, the robot drives with the velocity vel. speed is the ball's speed over the floor after the kick, in
// m/s. The kick adds to the robot's own velocity, so a robot that moves does not aim straight at the target.
func KickTo(w *world.World, target pitch.Vec, speed float64, way Kick, vel pitch.Vec) Command {
	want := pitch.Unit(target.Sub(w.Ball.Pos)).Mul(speed).Sub(w.Me.Vel)
	c := Command{Vel: vel, Omega: TurnTo(w, pitch.Angle(want)), Dribble: true}
	if math.Abs(pitch.Wrap(pitch.Angle(want)-w.Me.Heading)) < aimError && math.Abs(w.Me.Omega) < aimTurn {
		c.Kick, c.Speed = way, want.Len()
	}
	return c
}

// PassTo passes the ball to a teammate. The ball arrives at the position target with the speed arrival, in m/s.
func PassTo(w *world.World, mate uint8, target pitch.Vec, arrival float64) Command {
	far := pitch.Distance(w.Ball.Pos, target)
	c := KickTo(w, target, PassSpeed(far, arrival), Flat, pitch.Vec{})
	c.Pass = Pass{To: mate, At: target, In: PassTime(far, arrival, far)}
	if c.Kick == NoKick {
		c.Pass.In += TimeToKick(w, target)
	}
	return c
}

// TimeToKick returns the time that the robot needs to turn towards a position and kick the ball there, in s.
func TimeToKick(w *world.World, at pitch.Vec) float64 {
	return KickTime + math.Abs(pitch.Wrap(pitch.Angle(at.Sub(w.Ball.Pos))-w.Me.Heading))/meanTurnRate
}

// PassSpeed returns the speed of a kick, in m/s, after which the ball has the speed arrival when it has covered a
// distance, in m. A kicked ball first slides. When it begins to roll, it has 5/7 of its initial speed or slightly less.
func PassSpeed(distance, arrival float64) float64 {
	return min(maxPass, math.Sqrt(arrival*arrival+2*world.RollingDecel*distance)/rollShare)
}

// PassTime returns the time in s after which a pass has covered a part of its path. part is the length of this part and
// length that of the whole path, in m. The pass arrives at the end of the path with the speed arrival, in m/s.
func PassTime(length, arrival, part float64) float64 {
	speed := PassSpeed(length, arrival) * rollShare
	return (speed - math.Sqrt(max(0, speed*speed-2*world.RollingDecel*part))) / world.RollingDecel
}

// FreeAngle returns the angle between the path of a ball to a position and the rival closest to the path, as seen from
// the ball, in rad. Rivals behind the ball or beyond the end of the path do not count.
func FreeAngle(w *world.World, to pitch.Vec) float64 {
	free := math.Pi
	w.Rivals(func(o *world.Robot) { free = min(free, angleBeside(w, to, o)) })
	return free
}

// FreeAngleOfAll is like FreeAngle, but also considers teammates.
func FreeAngleOfAll(w *world.World, to pitch.Vec) float64 {
	free := FreeAngle(w, to)
	w.Mates(func(o *world.Robot) { free = min(free, angleBeside(w, to, o)) })
	return free
}

func angleBeside(w *world.World, to pitch.Vec, o *world.Robot) float64 {
	from := w.Ball.Pos
	far := pitch.Distance(from, o.Pos)
	if far > pitch.Distance(from, to) {
		return math.Pi
	}
	off := math.Abs(pitch.Wrap(pitch.Angle(o.Pos.Sub(from)) - pitch.Angle(to.Sub(from))))
	return off - math.Asin(min(1, (bodyOf(w).radius+w.Pitch.BallRadius())/max(far, 1e-6)))
}

// Aim returns the best point between the opponents' posts at which to shoot. It also returns room, the free angle
// beside the path of that shot, in rad. room is negative if every shot is blocked. If several points have enough free
// angle, Aim returns the point for which the robot has to turn least.
func Aim(w *world.World) (at pitch.Vec, room float64) {
	goal := w.Pitch.TheirGoal()
	best := math.Inf(-1)
	for _, y := range aimPoints {
		p := pitch.Vec{goal[0], y * w.Pitch.GoalWidth() / 2}
		free := FreeAngleOfAll(w, p)
		turn := math.Abs(pitch.Wrap(pitch.Angle(p.Sub(w.Ball.Pos)) - w.Me.Heading))
		if worth := min(free, aimRoomEnough) - aimTurnCost*turn; worth > best {
			at, room, best = p, free, worth
		}
	}
	return at, room
}

// Guesses. aimRoomEnough is the free angle that is enough for a shot, in rad; a larger angle has no additional value.
// aimTurnCost is how much free angle a turn by one radian is worth, in rad.
const (
	aimRoomEnough = 0.2
	aimTurnCost   = 0.02
)

// aimPoints are the points between the posts that Aim considers, as y coordinates from the centre of the goal, in half
// widths of the goal.
var aimPoints = [...]float64{-0.72, 0.72, -0.55, 0.55, -0.35, 0.35, 0}

// Shoot shoots the ball flat at a point of the goal. Until the robot has kicked the ball, it drives with the velocity
// vel.
func Shoot(w *world.World, at pitch.Vec, vel pitch.Vec) Command {
	return KickTo(w, at, ShotSpeed, Flat, vel)
}

// Constants for the flight of a lob. The kicker of the nubot robot lifts the ball at 45°. lobStep is the time step in
// which the flight is computed.
const (
	lobAngle = math.Pi / 4
	lobStep  = 0.02 // s
)

// lobGoalHeight is the height of a lob at the goal line, in m. A ball at this height is below the bar. Half a metre in
// front of the line, it is still above a goalkeeper of 0.8 m.
const lobGoalHeight = 0.62

// ShootOver lobs the ball at a point of the goal, over the robots that stand in front of the goal.
func ShootOver(w *world.World, at pitch.Vec) Command {
	speed := LobSpeed(pitch.Distance(w.Ball.Pos, at), lobGoalHeight)
	c := KickTo(w, at, speed*math.Cos(lobAngle), Lob, pitch.Vec{})
	c.Speed /= math.Cos(lobAngle)
	return c
}

// LobSpeed returns the kicking speed of a lob, in m/s. After a distance over the floor, the lob is on its way down and
// has the given height. Distance and height are in m.
func LobSpeed(distance, height float64) float64 {
	low, high := 1.0, 15.0
	for range 20 {
		if middle := (low + high) / 2; lobHeight(middle, distance) < height {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// lobHeight returns the height of a lob after a distance over the floor, in m. It returns 0 if the ball lands earlier.
func lobHeight(speed, distance float64) float64 {
	x, z := 0.0, pitch.BallRadius
	vz, vx := math.Sincos(lobAngle)
	vx, vz = vx*speed, vz*speed
	for z > 0 {
		drag := pitch.AirDrag * math.Hypot(vx, vz) * lobStep
		vx, vz = vx-drag*vx, vz-drag*vz-pitch.Gravity*lobStep
		if next := x + vx*lobStep; next >= distance {
			return z + vz*lobStep*(distance-x)/(next-x)
		}
		x, z = x+vx*lobStep, z+vz*lobStep
	}
	return 0
}

// Guesses for carrying the ball. carrySpeed is the maximum speed, in m/s. carryTurn is the heading error above which
// the robot slows down, in rad. carryRoom is the additional clearance from other robots, in m.
const (
	carrySpeed = 2.0
	carryTurn  = 0.7
	carryRoom  = 0.25
)

// Carry drives a robot that holds the ball to a place. The robot faces where it drives, and drives around other robots.
func Carry(w *world.World, to pitch.Vec) Command {
	g := DriveGoal{Pos: to, Room: carryRoom, Speed: carrySpeed}
	c := GoTo(w, g)
	heading := Facing(w, to)
	if c.Vel.Len() > 0.2 {
		heading = pitch.Angle(c.Vel)
	}
	if off := math.Abs(pitch.Wrap(heading - w.Me.Heading)); off > carryTurn {
		c.Vel = c.Vel.Mul(0.3)
	}
	c.Omega = TurnTo(w, heading)
	c.Dribble = true
	return c
}
