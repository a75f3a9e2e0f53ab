package window

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
)

// shapes are the names and shapes of a world's robots, obstacles and ball, in the order of physics.BodyID.
type shapes struct {
	of    *worlds.World
	names []string
	all   []abstraction.Shape
}

// update sets x to the bodies of w, unless x already describes that world.
func (x *shapes) update(w *worlds.World) {
	if x.of == w {
		return
	}
	model := w.Model()
	*x = shapes{of: w}
	for i := range model.Robots {
		x.names, x.all = append(x.names, model.Robots[i].Name), append(x.all, sensors.RobotShape(&model.Robots[i]))
	}
	for i := range model.Obstacles {
		x.names, x.all = append(x.names, model.Obstacles[i].Name),
			append(x.all, sensors.ObstacleShape(&model.Obstacles[i]))
	}
	x.names, x.all = append(x.names, "ball"), append(x.all, abstraction.Shape{Kind: abstraction.Sphere,
		Radius: model.Ball.Radius})
}

// poseOf returns the pose of a body in a snapshot.
func poseOf(now *physics.Snapshot, body int) spatial.Pose {
	switch n := len(now.Robots); {
	case body < n:
		return now.Robots[body].PoseWB
	case body < n+len(now.Obstacles):
		return now.Obstacles[body-n].PoseWO
	}
	return spatial.Pose{Pos: now.Ball.PosW, Rot: now.Ball.RotW}
}
