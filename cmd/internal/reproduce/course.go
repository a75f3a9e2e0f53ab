package reproduce

import (
	"math"
	"sort"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// course is a curve with a desired motion: each of its points has a time.
type course struct{ points []coursePoint }

// coursePoint is the desired position and motion at a time.
type coursePoint struct {
	time           float64 // s
	pos            mgl64.Vec2
	direction      float64 // of the motion, rad, continuous
	heading        float64 // of the robot, rad, continuous
	speed, turning float64 // m/s, rad/s
}

// newCourse returns a curve that is driven from a time and a speed to rest, as fast as the limits of speed and
// acceleration allow. The robot faces its direction. The argument curve returns position, first and second derivative
// at u from 0 to 1.
func newCourse(curve func(u float64) (pos, d, dd mgl64.Vec2), sections int, time, speed, maxSpeed,
	maxAccel float64) *course {
	c := &course{make([]coursePoint, sections+1)}
	curvature, along := make([]float64, len(c.points)), make([]float64, len(c.points))
	for i := range c.points {
		at := &c.points[i]
		var d, dd mgl64.Vec2
		at.pos, d, dd = curve(float64(i) / float64(sections))
		curvature[i] = (d[0]*dd[1] - d[1]*dd[0]) / math.Pow(d.Len(), 3)
		at.direction = math.Atan2(d[1], d[0])
		if i > 0 {
			before := &c.points[i-1]
			at.direction = before.direction + spatial.WrapAngle(at.direction-before.direction)
			along[i] = along[i-1] + at.pos.Sub(before.pos).Len()
		}
		at.speed = math.Min(maxSpeed, math.Sqrt(maxAccel/math.Max(math.Abs(curvature[i]), 1e-9)))
	}
	// Centripetal acceleration uses up a part of maxAccel, and the remaining part limits how fast the speed changes.
	// This limit is applied twice: forward from the start, then backward from the end.
	reach := func(at *coursePoint, k float64, from *coursePoint, by float64) {
		across := from.speed * from.speed * k
		at.speed = math.Min(at.speed,
			math.Sqrt(from.speed*from.speed+2*by*math.Sqrt(math.Max(0, maxAccel*maxAccel-across*across))))
	}
	last := len(c.points) - 1
	c.points[0].time, c.points[0].speed, c.points[last].speed = time, speed, 0
	for i := 1; i <= last; i++ {
		reach(&c.points[i], curvature[i-1], &c.points[i-1], along[i]-along[i-1])
	}
	for i := last - 1; i >= 0; i-- {
		reach(&c.points[i], curvature[i+1], &c.points[i+1], along[i+1]-along[i])
	}
	for i := range c.points {
		at := &c.points[i]
		at.heading, at.turning = at.direction, at.speed*curvature[i]
		if i > 0 {
			before := &c.points[i-1]
			at.time = before.time + 2*(along[i]-along[i-1])/(at.speed+before.speed)
		}
	}
	return c
}

// bezier returns a cubic Bézier curve.
func bezier(p [4]mgl64.Vec2) func(u float64) (pos, d, dd mgl64.Vec2) {
	return func(u float64) (pos, d, dd mgl64.Vec2) {
		v := 1 - u
		return p[0].Mul(v * v * v).Add(p[1].Mul(3 * v * v * u)).Add(p[2].Mul(3 * v * u * u)).Add(p[3].Mul(u * u * u)),
			p[1].Sub(p[0]).Mul(3 * v * v).Add(p[2].Sub(p[1]).Mul(6 * v * u)).Add(p[3].Sub(p[2]).Mul(3 * u * u)),
			p[2].Sub(p[1].Mul(2)).Add(p[0]).Mul(6 * v).Add(p[3].Sub(p[2].Mul(2)).Add(p[1]).Mul(6 * u))
	}
}

// at returns the desired state at the given time, s.
func (c *course) at(time float64) coursePoint {
	lo := min(sort.Search(len(c.points), func(i int) bool { return c.points[i].time >= time }), len(c.points)-1)
	if lo == 0 || c.points[lo].time < time {
		return c.points[lo]
	}
	a, b := &c.points[lo-1], &c.points[lo]
	s := (time - a.time) / (b.time - a.time)
	speed := a.speed + s*(b.speed-a.speed)
	// fraction of the distance between the points, for constant acceleration
	way := s * (a.speed + speed) / (a.speed + b.speed)
	return coursePoint{time, a.pos.Add(b.pos.Sub(a.pos).Mul(way)), a.direction + way*(b.direction-a.direction),
		a.heading + way*(b.heading-a.heading), speed, a.turning + s*(b.turning-a.turning)}
}

// end returns the time at which the robot should stop, s.
func (c *course) end() float64 { return c.points[len(c.points)-1].time }
