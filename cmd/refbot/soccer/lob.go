package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// The flight of a ball that the kicker lifts: the nubot robot's leave at 45°.
const (
	lobAngle = math.Pi / 4
	lobStep  = 0.02 // s
)

// lobGoalHeight is how high a lob is at the goal line, m: under the bar, and over a goalkeeper of 0.8 m half a metre before.
const lobGoalHeight = 0.62

// ShootOver returns the command that lobs the ball at a point of the goal, over who stands before it.
func ShootOver(w *world.World, at pitch.Vec) Command {
	speed := LobSpeed(pitch.Distance(w.Ball.Pos, at), lobGoalHeight)
	c := KickTo(w, at, speed*math.Cos(lobAngle), Lob, pitch.Vec{})
	c.Speed /= math.Cos(lobAngle)
	return c
}

// LobSpeed is how fast a ball has to be lobbed to be so high when it comes down so far away, m/s.
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

// lobHeight returns how high a lobbed ball is after a way over the floor, m; 0 if it does not come as far.
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
