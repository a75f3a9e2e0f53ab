package condition

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
)

// body is the ball, a robot or an obstacle.
type body struct {
	truth *physics.Snapshot
	id    physics.BodyID
}

func findBody(s State, name string) (body, error) {
	m := s.Model()
	for id := range m.BallID() + 1 {
		if m.BodyName(id) == name {
			return body{s.Truth(), id}, nil
		}
	}
	return body{}, fmt.Errorf("name = %q: is neither ball, robot nor obstacle", name)
}

func (b body) isBall() bool { return b.id == b.truth.BallID() }

// posW is the ball's centre, or where a robot or an obstacle stands on the floor.
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

// where says where a body is.
func where(s State, name string) string {
	b, err := findBody(s, name)
	if err != nil {
		return err.Error()
	}
	p := b.posW()
	return fmt.Sprintf("%s at (%.2f, %.2f, %.2f) m", name, p[0], p[1], p[2])
}
