package play

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/legs"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// motion is what a robot at level walk does.
type motion uint8

const (
	onFeet  motion = iota // it stands or walks
	falling               // it turns about an edge of its soles
	onFloor               // it lies on the floor
	rising                // it gets up
	motions
)

// fall is how a robot falls over, lies, and gets up again.
type fall struct {
	motion  motion
	towards mgl64.Vec2 // unit vector in the robot's axes: forwards, backwards, or to a side
	edge    float64    // distance of the edge of the soles, about which it turns, m
	angle   float64    // from upright, rad
	rate    float64    // rad/s
	rest    float64    // angle at which it lies, rad
	since   float64    // time in the present motion, s
	rise    float64    // time that it takes to get up, s
	limbs   bool       // it gets up by an animation of its limbs
}

// firstRate is the angular velocity with which a fall begins, rad/s. It is a guess: a pendulum of the height of a robot
// of kid size lies after 0.7 s, and one of adult size after 0.9 s.
const firstRate = 0.5

// begin begins a fall of a robot that stands with an orientation. The argument towards is its direction in the robot's
// axes.
func (f *fall) begin(b *shapes, standing mgl64.Quat, towards mgl64.Vec2) {
	if math.Abs(towards[0]) >= math.Abs(towards[1]) {
		towards = mgl64.Vec2{math.Copysign(1, towards[0]), 0}
	} else {
		towards = mgl64.Vec2{0, math.Copysign(1, towards[1])}
	}
	*f = fall{motion: falling, towards: towards, rate: firstRate, edge: b.edge(towards)}
	f.rest = b.restAngle(f, standing)
}

// update advances the fall by dt seconds. The argument upright is the orientation of B in which the robot would stand;
// swing is gravity divided by the height of the centre of mass.
func (f *fall) update(w *physics.Fall, b *shapes, upright mgl64.Quat, swing, dt float64) {
	f.since += dt
	switch f.motion {
	case falling: // an inverted pendulum
		f.rate += swing * math.Sin(f.angle) * dt
		if f.angle += f.rate * dt; f.angle >= f.rest {
			f.angle, f.rate, f.motion, f.since = f.rest, 0, onFloor, 0
		}
	case onFloor:
		if f.since >= w.Lie.Seconds() {
			f.motion, f.since, f.rise = rising, 0, w.Rise.Seconds()
		}
	case rising:
		s := min(1, f.since/f.rise)
		if f.limbs {
			f.settle(b, upright, dt)
		} else {
			f.angle = f.rest * (1 - legs.Smooth(s))
		}
		if s == 1 {
			*f = fall{}
		}
	}
}

// How a robot turns whose limbs move. All numbers are guesses.
const (
	settleRate = 3                   // angular velocity, rad/s
	lift       = 0.015               // height by which the limbs' motion lifts its centre of mass, m
	ridgeStep  = 3 * spatial.Degree  // step of the search for a lower position
	ridgeSteps = 15                  // number of these steps
	nearly     = 35 * spatial.Degree // tilt from which on it stays on its feet, in the second half of the time
	lastShare  = 0.1                 // share of the time in which it comes upright, wherever it is
)

// settle turns a robot whose limbs move, so that its centre of mass sinks. It turns upright if the limbs' motion
// carries it over the ridge on the way to a lower position there. Once it is on its feet, it comes upright until the
// end.
func (f *fall) settle(b *shapes, upright mgl64.Quat, dt float64) {
	left := f.rise - f.since
	if left < lastShare*f.rise || left < f.rise/2 && math.Abs(f.angle) < nearly {
		f.angle *= max(0, left/(left+dt))
		return
	}
	com, _ := legs.CentreOfMass(b.robot, b.states)
	now, most := b.height(f, upright, com, f.angle), settleRate*dt
	for k := 1; k <= ridgeSteps && f.angle > 0; k++ {
		angle := max(0, f.angle-float64(k)*ridgeStep)
		h := b.height(f, upright, com, angle)
		if h > now+lift {
			break
		}
		if h < now {
			f.angle = max(angle, f.angle-most)
			return
		}
	}
	if b.height(f, upright, com, f.angle+most) < now {
		f.angle += most
	}
}

// height returns the height of a point above the floor, m, if the robot is turned by an angle. The point is in B.
func (b *shapes) height(f *fall, upright mgl64.Quat, pointB mgl64.Vec3, angle float64) float64 {
	p := spatial.Pose{Rot: f.turn(angle).Mul(upright)}
	return b.reach(p.Unrotate(down)) + p.Rotate(pointB)[2]
}

// turn returns the rotation from upright at an angle.
func (f *fall) turn(angle float64) mgl64.Quat {
	return mgl64.QuatRotate(angle, mgl64.Vec3{-f.towards[1], f.towards[0], 0})
}

// pose returns the pose of B relative to the frame on the floor in which the robot would have the pose upright. The
// lowest point of the robot touches the floor.
func (f *fall) pose(b *shapes, upright spatial.Pose) spatial.Pose {
	edge := mgl64.Vec3{f.towards[0], f.towards[1], 0}.Mul(f.edge)
	turn := f.turn(f.angle)
	p := spatial.Pose{Pos: edge.Add(turn.Rotate(upright.Pos.Sub(edge))), Rot: turn.Mul(upright.Rot)}
	p.Pos[2] = b.reach(p.Unrotate(down))
	return p
}

var down = mgl64.Vec3{0, 0, -1}

// shapes are the collision shapes of a robot, with its joints at their present positions.
type shapes struct {
	robot  *physics.Robot
	states []physics.JointState
}

// each calls a function with each shape and its pose in B.
func (b *shapes) each(visit func(s *physics.Shape, poseB spatial.Pose)) {
	for i := range b.robot.Trunk.Shapes {
		s := &b.robot.Trunk.Shapes[i]
		visit(s, s.PoseB)
	}
	for k := range b.robot.Joints {
		all := b.robot.Joints[k].Shapes
		if len(all) == 0 {
			continue
		}
		moved := b.robot.Moved(k, b.states)
		for i := range all {
			visit(&all[i], moved.Mul(all[i].PoseB))
		}
	}
}

// extent returns how far a shape at a pose extends along a unit vector from the origin of the pose's frame, m.
func extent(s *physics.Shape, pose *spatial.Pose, along mgl64.Vec3) float64 {
	d, half := pose.Unrotate(along), &s.Half
	far := pose.Pos.Dot(along)
	switch s.Kind {
	case physics.BoxShape:
		return far + math.Abs(d[0])*half[0] + math.Abs(d[1])*half[1] + math.Abs(d[2])*half[2]
	case physics.CylinderShape:
		return far + math.Abs(d[2])*half[2] + math.Hypot(d[0], d[1])*half[0]
	case physics.CapsuleShape:
		return far + math.Abs(d[2])*half[2] + half[0]
	}
	return far + half[0]
}

// reach returns how far the robot extends along a unit vector from the origin of B, m.
func (b *shapes) reach(alongB mgl64.Vec3) float64 {
	most := math.Inf(-1)
	b.each(func(s *physics.Shape, pose spatial.Pose) { most = max(most, extent(s, &pose, alongB)) })
	if math.IsInf(most, -1) { // no shapes
		return 0
	}
	return most
}

// edge returns how far the soles extend in a direction from the origin of B, m.
func (b *shapes) edge(towards mgl64.Vec2) (most float64) {
	along := mgl64.Vec3{towards[0], towards[1], 0}
	lowest := b.reach(down)
	const sole = 0.02 // height of links that are soles, m; a guess
	b.each(func(s *physics.Shape, pose spatial.Pose) {
		if extent(s, &pose, down) > lowest-sole {
			most = max(most, extent(s, &pose, along))
		}
	})
	return most
}

// restAngle returns the angle at which the centre of mass is lowest.
func (b *shapes) restAngle(f *fall, standing mgl64.Quat) (angle float64) {
	const from, to, step = 50 * spatial.Degree, 130 * spatial.Degree, spatial.Degree
	least, com := math.Inf(1), mgl64.Vec3{0, 0, b.robot.Body.CoMZ}
	for a := from; a <= to; a += step {
		if height := b.height(f, standing, com, a); height < least {
			least, angle = height, a
		}
	}
	return angle
}

// exchange saves or restores the state.
func (f *fall) exchange(c *keyframe.Codec) {
	m := int64(f.motion)
	c.Int64(&m)
	c.Check(m >= 0 && m < int64(motions), "a robot that walks has motion %d", m)
	f.motion = motion(m)
	for _, x := range []*float64{&f.towards[0], &f.towards[1], &f.edge, &f.angle, &f.rate, &f.rest, &f.since,
		&f.rise} {
		c.FloatIn(x, -physics.MaxPlausible, physics.MaxPlausible)
	}
	c.Bool(&f.limbs)
	c.Check(f.motion != rising || f.rise > 0, "a robot gets up in %g s", f.rise)
}
