package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

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

// LobSpeed returns the kicking speed of a lob that, on its way down, is at a height after the distance far, in m/s.
func LobSpeed(far, height float64) float64 {
	low, high := 1.0, 15.0
	for range 20 {
		if middle := (low + high) / 2; lobHeight(middle, far) < height {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// lobHeight returns the height of a lob after the distance far over the floor, in m. It returns 0 if the ball lands
// before that.
func lobHeight(speed, far float64) float64 {
	x, z := 0.0, pitch.BallRadius
	vz, vx := math.Sincos(lobAngle)
	vx, vz = vx*speed, vz*speed
	for z > 0 {
		drag := pitch.AirDrag * math.Hypot(vx, vz) * lobStep
		vx, vz = vx-drag*vx, vz-drag*vz-pitch.Gravity*lobStep
		if next := x + vx*lobStep; next >= far {
			return z + vz*lobStep*(far-x)/(next-x)
		}
		x, z = x+vx*lobStep, z+vz*lobStep
	}
	return 0
}
