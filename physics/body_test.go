package physics

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// placed is an Engine that notes what is placed where.
type placed struct {
	Engine
	robot, obstacle int
	posW            mgl64.Vec3
}

func (p *placed) PlaceRobot(i int, pose spatial.Pose, _ spatial.Twist) error {
	p.robot, p.posW = i, pose.Pos
	return nil
}

func (p *placed) PlaceObstacle(i int, pose spatial.Pose, _ spatial.Twist) error {
	p.obstacle, p.posW = i, pose.Pos
	return nil
}

func (p *placed) PlaceBall(posW mgl64.Vec3, _ spatial.Twist) error {
	p.posW = posW
	return nil
}

// Each body is found by its name, placed in the engine, and has its own pose.
func TestBodiesByName(t *testing.T) {
	m := &Model{Robots: []Robot{{Name: "a"}, {Name: "b"}}, Obstacles: []Obstacle{{Name: "box"}}}
	m.Ball.Radius = 0.1
	s := &Snapshot{Robots: make([]RobotState, 2), Obstacles: make([]ObstacleState, 1)}
	s.Robots[1].PoseWB.Pos, s.Obstacles[0].PoseWO.Pos = mgl64.Vec3{1}, mgl64.Vec3{2}
	s.Ball.PosW = mgl64.Vec3{3}
	for name, want := range map[string]struct {
		id BodyID
		x  float64 // of its pose
		at placed
	}{
		"b":    {1, 1, placed{robot: 1, obstacle: -1, posW: mgl64.Vec3{5, 6, 0}}},
		"box":  {2, 2, placed{robot: -1, obstacle: 0, posW: mgl64.Vec3{5, 6, 0}}},
		"ball": {3, 3, placed{robot: -1, obstacle: -1, posW: mgl64.Vec3{5, 6, 0.1}}}, // above the floor
	} {
		id, err := m.FindBody(name)
		must.Do(t, err)
		e := placed{robot: -1, obstacle: -1}
		must.Do(t, m.PlaceBody(&e, id, spatial.Pose{Pos: mgl64.Vec3{5, 6, 0}}, spatial.Twist{}))
		if x := s.Pose(id).Pos[0]; id != want.id || x != want.x || e != want.at || m.BodyName(id) != name {
			t.Errorf("%s: body %d at x = %v, placed %+v; want %+v", name, id, x, e, want)
		}
	}
	must.Refuse(m.FindBody("c"))(t, `name = "c": there is no such robot or obstacle`)
	must.Refuse(m.FindRobot("box"))(t, `robot = "box": there is no such robot`)
	m.Ball.Absent = true
	must.Refuse(m.FindBody("ball"))(t, "the world has no ball")
}
