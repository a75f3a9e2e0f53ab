package laser

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
)

// Guesses for a robot of 0.25 m radius that brakes with 2 m/s². They keep it clear of bodies that drive at 0.5 m/s.
const (
	bodyRadius = 0.25               // m
	berth      = 0.2                // m, distance that the robot keeps from bodies beside its path
	halt       = 0.1                // m, distance ahead of a body at which the robot stands
	lookAhead  = 1.6                // m, free path after which a direction is as good as any other
	directions = 72                 // compared directions
	keep       = 0.35               // cost of a change of direction, by the angle
	blocked    = 5.0                // cost of a direction without any free path, rad
	brake      = 1.0                // m/s²
	turnGain   = 3.0                // 1/s
	turnMost   = 2.5                // rad/s
	aimed      = 50 * math.Pi / 180 // largest angle from the direction at which the robot drives
)

// free returns how far a robot can drive straight in a direction of its frame until it comes closer to a point than
// radius, in m. Points behind it do not count.
func free(points []pitch.Vec, direction, radius float64) float64 {
	sin, cos := math.Sincos(direction)
	least := math.Inf(1)
	for _, p := range points {
		along, aside := p[0]*cos+p[1]*sin, p[1]*cos-p[0]*sin
		if along > 0 && math.Abs(aside) < radius {
			least = min(least, along-math.Sqrt(radius*radius-aside*aside))
		}
	}
	return least
}

// steer returns the speed and the rate of turn with which a robot on two driven wheels goes to a goal and past all
// points, and the direction that it takes. The points, the goal and both directions are in the robot's frame. last is
// the direction so far; the robot changes it only for a clearly better one.
func steer(points []pitch.Vec, goal pitch.Vec, last, speed float64) (v, omega, direction float64) {
	far, to := goal.Len(), pitch.Angle(goal)
	lowest := math.Inf(1)
	for i := -1; i < directions; i++ {
		d := to
		if i >= 0 {
			d = pitch.Wrap(float64(i) * 2 * math.Pi / directions)
		}
		need := min(lookAhead, far)
		lack := 1 - min(1, max(0, free(points, d, bodyRadius+berth))/need)
		if cost := math.Abs(pitch.Wrap(d-to)) + keep*math.Abs(pitch.Wrap(d-last)) + blocked*lack; cost < lowest {
			lowest, direction = cost, d
		}
	}
	omega = max(-turnMost, min(turnMost, turnGain*direction))
	if math.Abs(direction) > aimed {
		return 0, omega, direction
	}
	room := max(0, min(far, free(points, 0, bodyRadius+halt/2)-halt/2))
	cos := math.Cos(direction)
	return min(speed*cos*cos, math.Sqrt(2*brake*room)), omega, direction
}
