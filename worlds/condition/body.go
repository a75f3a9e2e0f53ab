package condition

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// body is the ball, a robot or an obstacle. Its pointers lead to the body's pose and motion in the present state.
type body struct {
	id   physics.BodyID
	name string
	posW *mgl64.Vec3 // the ball's centre, or the point on the floor below a robot or an obstacle
	velW *mgl64.Vec3 // velocity of that point, m/s
	angW *mgl64.Vec3 // angular velocity, rad/s
	rotW *mgl64.Quat
}

func findBody(s State, name string) (body, error) {
	m := s.Model()
	for id := range m.BallID() + 1 {
		if m.BodyName(id) == name {
			return bodyOf(s, id), nil
		}
	}
	return body{}, fmt.Errorf("name = %q: is neither ball, robot nor obstacle", name)
}

func bodyOf(s State, id physics.BodyID) body {
	truth, b := s.Truth(), body{id: id, name: s.Model().BodyName(id)}
	switch n := len(truth.Robots); {
	case int(id) < n:
		r := &truth.Robots[id]
		b.posW, b.rotW, b.velW, b.angW = &r.PoseWB.Pos, &r.PoseWB.Rot, &r.TwistWBInW.Lin, &r.TwistWBInW.Ang
	case id == truth.BallID():
		b.posW, b.rotW, b.velW, b.angW = &truth.Ball.PosW, &truth.Ball.RotW, &truth.Ball.TwistInW.Lin,
			&truth.Ball.TwistInW.Ang
	default:
		o := &truth.Obstacles[int(id)-n]
		b.posW, b.rotW, b.velW, b.angW = &o.PoseWO.Pos, &o.PoseWO.Rot, &o.TwistWOInW.Lin, &o.TwistWOInW.Ang
	}
	return b
}

// poseW returns the pose of the body's frame, which is on the floor for robots and obstacles, and at the centre for the
// ball.
func (b *body) poseW() spatial.Pose { return spatial.Pose{Pos: *b.posW, Rot: *b.rotW} }

// up returns the point at a given height above the body's origin, along the body's own z axis.
func (b *body) up(height float64) mgl64.Vec3 {
	if height == 0 {
		return *b.posW
	}
	q := b.rotW // the body's z axis, in W
	return b.posW.Add(mgl64.Vec3{2 * (q.V[0]*q.V[2] + q.W*q.V[1]), 2 * (q.V[1]*q.V[2] - q.W*q.V[0]),
		1 - 2*(q.V[0]*q.V[0]+q.V[1]*q.V[1])}.Mul(height))
}

// describe returns a text that says where the body is.
func (b *body) describe() string {
	p := b.posW
	return fmt.Sprintf("%s at (%.2f, %.2f, %.2f) m", b.name, p[0], p[1], p[2])
}
