package ode

import (
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Snapshot copies the present state into s, reusing its slices.
func (e *Engine) Snapshot(s *physics.Snapshot) {
	robots, obstacles := s.Robots, s.Obstacles
	*s = e.now
	s.Robots = append(slices.Grow(robots[:0], len(e.now.Robots)), e.now.Robots...)
	s.Obstacles = append(slices.Grow(obstacles[:0], len(e.now.Obstacles)), e.now.Obstacles...)
}

// PlaceRobot puts a robot somewhere. A ball that it holds stays where it is. Its wheels turn as the velocity says.
func (e *Engine) PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist) {
	if e.world == nil {
		return
	}
	r := &e.now.Robots[robot]
	r.PoseWB, r.TwistWBInW, r.AccelWBInW = poseWB, twistWBInW, mgl64.Vec3{}
	r.WheelRadS = e.wheels[robot].Speeds(r.TwistWBInB())
	e.stuck[robot] = physics.StuckTimer{}
	e.world.robot(robot).put(poseWB, twistWBInW)
	if e.possession.Holder() == robot {
		e.drop()
	}
}

// PlaceObstacle puts an obstacle somewhere, at rest.
func (e *Engine) PlaceObstacle(obstacle int, poseWO spatial.Pose) {
	if e.world == nil {
		return
	}
	e.now.Obstacles[obstacle] = physics.ObstacleState{PoseWO: poseWO}
	e.world.obstacle(obstacle).put(poseWO, spatial.Twist{})
}

// PlaceBall puts the ball somewhere; whoever holds it loses it.
func (e *Engine) PlaceBall(posW mgl64.Vec3, twistInW spatial.Twist) {
	if e.world == nil {
		return
	}
	e.drop()
	ball := &e.now.Ball
	ball.PosW, ball.RotW, ball.TwistInW = posW, mgl64.QuatIdent(), twistInW
	e.world.ball().put(spatial.Pose{Pos: posW, Rot: ball.RotW}, twistInW)
}

func (e *Engine) drop() {
	e.possession.Drop()
	e.now.Ball.HeldBy = -1
}
