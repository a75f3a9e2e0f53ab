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

// update advances the fall by dt seconds. The argument swing is gravity divided by the height of the centre of mass.
func (f *fall) update(w *physics.Fall, swing, dt float64) {
	f.since += dt
	switch f.motion {
	case falling: // an inverted pendulum
		f.rate += swing * math.Sin(f.angle) * dt
		if f.angle += f.rate * dt; f.angle >= f.rest {
			f.angle, f.rate, f.motion, f.since = f.rest, 0, onFloor, 0
		}
	case onFloor:
		if f.since >= w.Lie.Seconds() {
			f.motion, f.since = rising, 0
		}
	case rising:
		s := min(1, f.since/w.Rise.Seconds())
		f.angle = f.rest * (1 - legs.Smooth(s))
		if s == 1 {
			*f = fall{}
		}
	}
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
		p := spatial.Pose{Rot: f.turn(a).Mul(standing)}
		height := b.reach(p.Unrotate(down)) + p.Rotate(com)[2]
		if height < least {
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
	for _, x := range []*float64{&f.towards[0], &f.towards[1], &f.edge, &f.angle, &f.rate, &f.rest, &f.since} {
		c.FloatIn(x, -physics.MaxPlausible, physics.MaxPlausible)
	}
}
