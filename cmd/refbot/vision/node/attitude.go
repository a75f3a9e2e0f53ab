package node

import (
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl64"
)

// attitudeTime is the time constant with which the direction of the accelerometer corrects the direction that the
// gyroscope gives. A guess: many steps, since the accelerations of a walking trunk turn the direction by 30°.
// attitudeGap is the longest time between two readings that is integrated.
const (
	attitudeTime = 10.0 // s
	attitudeGap  = 100 * time.Millisecond
)

// attitude estimates how the trunk leans, from the readings of an inertial unit with the axes of the trunk. It is a
// complementary filter.
type attitude struct {
	up    mgl64.Vec3 // direction upwards in the trunk's frame; zero before the first reading
	stamp time.Duration
}

// add records a reading: the specific force, in m/s², and the angular velocity, in rad/s. It returns the roll and the
// pitch, in rad.
func (a *attitude) add(stamp time.Duration, force, rate mgl64.Vec3) (roll, pitch float64) {
	passed := stamp - a.stamp
	a.stamp = stamp
	switch measured := force.Normalize(); {
	case !(force.Len() > 0): // in free fall, or not measured
	case a.up == mgl64.Vec3{} || passed < 0 || passed > attitudeGap:
		a.up = measured
	default:
		dt := passed.Seconds()
		a.up = a.up.Sub(rate.Cross(a.up).Mul(dt)) // the trunk turns under a direction that stays
		a.up = a.up.Add(measured.Sub(a.up).Mul(dt / attitudeTime)).Normalize()
	}
	return math.Atan2(a.up[1], a.up[2]), math.Atan2(-a.up[0], math.Hypot(a.up[1], a.up[2]))
}
