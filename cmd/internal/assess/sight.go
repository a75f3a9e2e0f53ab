package assess

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// sight is the part of the floor around the robot on which the camera sees a ball.
type sight struct {
	wide       bool    // the camera sees most bearings, or nothing; the robot's heading does not matter
	axis, half float64 // middle and half of the width of the bearings that it sees, rad; unused if wide
	near, far  float64 // distances from the robot at which things are placed, m
}

// measure measures what the camera sees while nothing but a ball is on the field.
func (t *tour) measure(now *physics.Snapshot) sight {
	const bearings, distances = 72, 20
	s := sight{wide: true, near: nearest, far: t.a.cfg.Range}
	now.CopyTo(&t.planned)
	scratch := &t.planned
	for i := range scratch.Robots {
		scratch.Robots[i].PoseWB = spatial.Planar(away[0], away[1], 0)
	}
	for i := range scratch.Obstacles {
		scratch.Obstacles[i].PoseWO = spatial.Planar(away[0], away[1], 0)
	}
	scratch.Robots[t.a.robot].PoseWB = spatial.Planar(0, 0, 0)
	at := func(distance int) float64 { return nearest + (s.far-nearest)*float64(distance)/(distances-1) }
	ball := thingName{kind: Ball}
	var seen [bearings][distances]bool
	var count [bearings]int
	most := 0
	for b := range bearings {
		sin, cos := math.Sincos(2 * math.Pi * float64(b) / bearings)
		for d := range distances {
			ball.put(scratch, mgl64.Vec2{at(d) * cos, at(d) * sin}, t.a.world.Ball.Radius)
			if seen[b][d] = t.sees(scratch, ball); seen[b][d] {
				count[b]++
			}
		}
		most = max(most, count[b])
	}
	bins, middle := 0, mgl64.Vec2{}
	for b, n := range count {
		if n > 0 && 2*n >= most {
			sin, cos := math.Sincos(2 * math.Pi * float64(b) / bearings)
			bins, middle = bins+1, middle.Add(mgl64.Vec2{cos, sin})
		}
	}
	if bins == 0 || 4*bins >= 3*bearings {
		return s
	}
	s.wide = false
	s.axis, s.half = math.Atan2(middle[1], middle[0]), math.Pi*float64(bins)/bearings
	b := (int(math.Round(s.axis/(2*math.Pi)*bearings)) + bearings) % bearings
	far := s.near
	for d := distances - 1; d >= 0; d-- {
		if seen[b][d] {
			far, s.near = max(far, at(d)), at(d)
		}
	}
	s.far = far
	return s
}

// sees reports whether the vision must report all of the given things in a state.
func (t *tour) sees(at *physics.Snapshot, things ...thingName) bool {
	a := t.a
	f := frame{poseBC: a.eye.camera.PoseBC(), amplification: 1, brightness: a.sim.Sensors().Brightness()}
	t.seen = a.eye.look(at, &f, t.seen[:0])
	for _, x := range things {
		name := a.nameOf(x)
		if !slices.ContainsFunc(t.seen, func(s thing) bool { return s.name == name && a.expects(&s) }) {
			return false
		}
	}
	return true
}

// inView reports whether the vision must report all watched things in a state. For a camera that sees all around, it
// suffices that they are near enough: other things may hide them.
func (t *tour) inView(at *physics.Snapshot) bool {
	if !t.sight.wide {
		return t.sees(at, t.watched...)
	}
	return !slices.ContainsFunc(t.watched, func(x thingName) bool {
		return over(t.a.placeOf(at, t.a.nameOf(x)), at.Robots[t.a.robot].PoseWB.Pos) > t.a.cfg.Range
	})
}

// facing returns the heading at which the robot has the watched things in its camera's view. In half of the scenes they
// sweep through the view.
func (t *tour) facing(at *physics.Snapshot) float64 {
	me := at.Robots[t.a.robot].PoseWB
	var first, spread float64 // direction of the first thing, and the angle from there to the second one
	size := 0.0
	for i, x := range t.watched {
		to := t.a.placeOf(at, t.a.nameOf(x)).Sub(me.Pos)
		direction := math.Atan2(to[1], to[0])
		if i == 0 {
			first = direction
		}
		spread = spatial.WrapAngle(direction - first)
		size = max(size, math.Atan(0.5/math.Hypot(to[0], to[1])))
	}
	since := 0.0
	if n := len(t.starts); n > 0 {
		since = (at.Time - t.starts[n-1]).Seconds()
	}
	phase := t.now.Uniform(random.Index(streamSweep, 0))
	if period := t.now.Uniform(random.Index(streamSweep, 1)); period < 0.5 {
		phase += since / (1 + 6*period)
	}
	triangle := 4*math.Abs(phase-math.Floor(phase)-0.5) - 1 // from −1 to 1
	room := max(0, t.sight.half-math.Abs(spread)/2-size)
	return spatial.WrapAngle(first + spread/2 - t.sight.axis - room*triangle)
}
