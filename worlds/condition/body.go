package condition

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// body is the ball, a robot or an obstacle.
type body struct {
	truth *physics.Snapshot
	id    physics.BodyID
	name  string
}

func findBody(s State, name string) (body, error) {
	m := s.Model()
	for id := range m.BallID() + 1 {
		if m.BodyName(id) == name {
			return body{s.Truth(), id, name}, nil
		}
	}
	return body{}, fmt.Errorf("name = %q: is neither ball, robot nor obstacle", name)
}

func (b body) isBall() bool { return b.id == b.truth.BallID() }

// poseW is the body's frame: of robots and obstacles on the floor, of the ball at its centre.
func (b body) poseW() spatial.Pose {
	switch n := len(b.truth.Robots); {
	case int(b.id) < n:
		return b.truth.Robots[b.id].PoseWB
	case b.isBall():
		return spatial.Pose{Pos: b.truth.Ball.PosW, Rot: b.truth.Ball.RotW}
	default:
		return b.truth.Obstacles[int(b.id)-n].PoseWO
	}
}

// posW is where that frame begins.
func (b body) posW() mgl64.Vec3 {
	switch n := len(b.truth.Robots); {
	case int(b.id) < n:
		return b.truth.Robots[b.id].PoseWB.Pos
	case b.isBall():
		return b.truth.Ball.PosW
	default:
		return b.truth.Obstacles[int(b.id)-n].PoseWO.Pos
	}
}

// velW is how fast that moves, m/s.
func (b body) velW() mgl64.Vec3 {
	switch n := len(b.truth.Robots); {
	case int(b.id) < n:
		return b.truth.Robots[b.id].TwistWBInW.Lin
	case b.isBall():
		return b.truth.Ball.TwistInW.Lin
	default:
		return b.truth.Obstacles[int(b.id)-n].TwistWOInW.Lin
	}
}

// where says where a body is.
func (b body) where() string {
	p := b.posW()
	return fmt.Sprintf("%s at (%.2f, %.2f, %.2f) m", b.name, p[0], p[1], p[2])
}
