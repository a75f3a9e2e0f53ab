package engine_test

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// A robot drives through the place of an absent obstacle, and of an absent robot that is commanded to drive and pushed.
// Both then come to a place where the robot stops in front of them, and leave again.
func (k kit) absentBodiesAreNotThere(t *testing.T) {
	for _, level := range k.levels {
		model := enginetest.Alone(level, 0, 0, 0)
		model.Robots = append(model.Robots, enginetest.Robot(level, 1, 0, 0))
		model.Robots[1].Absent = true
		model.Obstacles = []physics.Obstacle{{Pose: spatial.Planar(1, 0, 0), Absent: true, SizeX: 0.4, SizeY: 0.4,
			Height: 0.8, Mass: 400}}
		r := k.start(t, model)
		absent := func(what string) {
			t.Helper()
			must.Equal(t, r.S.Robots[1].PoseWB, spatial.Absent(1), "%s: the absent robot", what)
			must.Equal(t, r.S.Robots[1].TwistWBInW, spatial.Twist{}, "%s: the absent robot", what)
			must.Equal(t, r.S.Obstacles[0], physics.ObstacleState{PoseWO: spatial.Absent(2)}, "%s: the obstacle", what)
			must.Equal(t, len(r.S.Touches)+len(r.S.Events), 0, "%s: touches and events", what)
		}
		absent("at the start")
		r.Commands[0].TwistB.VX, r.Commands[1].TwistB.VX = 1, 1
		r.Push(2, mgl64.Vec3{100}, mgl64.Vec3{})
		r.Run(2, func() { absent("while a robot drives") })
		if x := r.S.Robots[0].PoseWB.Pos[0]; !(x > 1.5) {
			t.Errorf("%s: the robot is at %v m, want it to pass 1 m", level, x)
		}

		r.Commands[1].TwistB.VX = 0
		r.Place(0, spatial.Planar(0, 0, 0))
		r.Place(1, spatial.Planar(0, 3, 0))
		must.Do(t, r.PlaceObstacle(0, spatial.Planar(1, 0, 0), spatial.Twist{}))
		touched := false
		r.Run(2, func() { touched = touched || len(r.S.Touches) > 0 })
		if x := r.S.Robots[0].PoseWB.Pos[0]; !(x < 0.9) || !touched {
			t.Errorf("%s: the robot is at %v m and has touched: %v; want it to stop before 1 m", level, x, touched)
		}
		must.Near(t, "the robot that came", r.S.Robots[1].PoseWB.Pos[1], 3, 0.02)

		r.Commands[0] = physics.Command{}
		r.Run(0.5)
		r.Place(1, spatial.Absent(1))
		must.Do(t, r.PlaceObstacle(0, spatial.Absent(2), spatial.Twist{}))
		r.Run(0.5) // after contacts have ended
		r.Run(0.5, func() { absent("after they left") })
	}
}

// An absent body changes nothing in the motion of the others. MuJoCo solves for the forces on all bodies together, and
// ends at the same forces within a tolerance only.
func (k kit) absentBodiesChangeNothing(t *testing.T) {
	run := func(with bool) *enginetest.Rig {
		model := enginetest.Match(2, k.mixed)
		if with {
			gone := model.Obstacles[0]
			gone.Pose, gone.Absent = spatial.Identity(), true
			model.Obstacles = append(model.Obstacles, gone)
		}
		r := k.start(t, model)
		for i := range r.Commands {
			r.Commands[i] = physics.Command{TwistB: physics.PlanarTwist{VX: 1, Omega: 0.3}, Dribble: true}
		}
		r.Run(3)
		return r
	}
	without, with := run(false), run(true)
	if k.engine == "mujoco" {
		must.Near(t, "way of the ball", with.S.Ball.PosW.Sub(without.S.Ball.PosW).Len(), 0, 1e-3)
		for i := range without.S.Robots {
			way := with.S.Robots[i].PoseWB.Pos.Sub(without.S.Robots[i].PoseWB.Pos)
			must.Near(t, "way of a robot", way.Len(), 0, 1e-3)
		}
		return
	}
	must.Equal(t, with.S.Ball, without.S.Ball, "the ball")
	for i := range without.S.Robots {
		must.Equal(t, with.S.Robots[i], without.S.Robots[i], "robot %d", i)
	}
}
