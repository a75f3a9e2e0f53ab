package engine_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var onMuJoCo = kit{[]physics.DriveLevel{physics.ChassisDrive}, "mujoco"}

// humanoids returns a model of n robots with legs, in rows 1 m apart.
func humanoids(n int) *physics.Model {
	model := enginetest.Model()
	model.Config.Engine = "mujoco"
	for i := range n {
		model.Robots = append(model.Robots, enginetest.Humanoid(float64(i/4)-1, float64(i%4)-1.5, 0.4*float64(i)))
	}
	return model
}

// A robot with legs stands on its feet. Each motor acts with what its joint has to bear.
func TestHumanoidStands(t *testing.T) {
	seconds := 60.0
	if testing.Short() {
		seconds = 5
	}
	model := humanoids(1)
	r := onMuJoCo.start(t, model)
	start := r.S.Robots[0].PoseWB
	r.Run(seconds)
	now := &r.S.Robots[0]
	must.Near(t, "tilt", r.Tilt(0), 0, 0.02)
	must.Near(t, "way", now.PoseWB.Pos.Sub(start.Pos).Len(), 0, 0.003)
	must.Near(t, "speed", now.TwistWBInW.Lin.Len(), 0, 1e-4)
	must.Equal(t, len(r.S.Touches)+len(r.S.Events), 0, "touches and events")
	for _, side := range []string{"left", "right"} {
		// Above each knee is half of trunk, head and arms, and a thigh, at the knee's distance from their centre.
		k := model.Robots[0].Joint(side + " knee")
		knee := model.Robots[0].Moved(k, r.S.Joints).Apply(model.Robots[0].Joints[k].PointB)[0]
		must.Near(t, side+" knee, N m", r.S.Joints[k].Effort, -(2.1/2+0.35/2)*9.81*knee, 0.05)
	}
}

// A push throws a robot with legs down. It does not rise again, nor sink into the floor.
func TestHumanoidFalls(t *testing.T) {
	r := onMuJoCo.start(t, humanoids(2))
	r.Push(0, mgl64.Vec3{6, 0, 0}, mgl64.Vec3{})
	r.Run(3)
	if tilt := r.Tilt(0); !(tilt > 1) {
		t.Errorf("the robot leans by %v rad after a push: must lie", tilt)
	}
	must.Near(t, "tilt of the other", r.Tilt(1), 0, 0.02)
	model := humanoids(2)
	trunk := r.S.Robots[0].PoseWB.Apply(model.Robots[0].Trunk.CoMB)
	if !(trunk[2] > 0.04 && trunk[2] < 0.15) {
		t.Errorf("the trunk lies at %v: must lie on the floor", trunk)
	}
}

// The ball rebounds from feet, and pushes them. A leg that swings shoots it.
func TestLegsMeetTheBall(t *testing.T) {
	model := humanoids(1)
	model.Robots[0].Pose = spatial.Identity()
	r := onMuJoCo.start(t, model)
	r.Run(0.5)
	r.Put(mgl64.Vec3{0.5, 0.05, model.Ball.Radius}, spatial.Twist{Lin: mgl64.Vec3{-1, 0, 0}})
	var touch physics.Touch
	r.Run(1, func() {
		for _, c := range r.S.Touches {
			if c.Impulse > touch.Impulse {
				touch = c
			}
		}
		if x := r.S.Ball.PosW[0]; !(x > 0.08) {
			t.Fatalf("the ball is at x = %v: must not pass the toes", x)
		}
	})
	if touch.A != 0 || touch.B != r.S.BallID() || !(touch.Impulse > 0.1) || !(touch.PosW[1] > 0) {
		t.Errorf("the largest touch is %+v: must be one of the ball with the left leg", touch)
	}
	r = onMuJoCo.start(t, model)
	r.Put(mgl64.Vec3{0.25, 0.05, model.Ball.Radius}, spatial.Twist{})
	hip := model.Robots[0].Joint("left hip pitch")
	must.Do(t, r.MoveJoints(0, []int{hip}, []physics.JointTarget{{Mode: physics.JointPosition, Value: -1.5}}))
	fastest := 0.0
	r.Run(1, func() { fastest = math.Max(fastest, r.S.Ball.TwistInW.Lin[0]) })
	if !(fastest > 0.8) {
		t.Errorf("the ball is shot at %v m/s only", fastest)
	}
}

// The state of an absent robot with legs is restored, too: it comes back as it was, and nothing else moves otherwise.
func TestAbsentLegsAreRestored(t *testing.T) {
	model := humanoids(2)
	r := onMuJoCo.start(t, model)
	knee := model.Robots[0].Joint("left knee")
	must.Do(t, r.MoveJoints(0, []int{knee}, []physics.JointTarget{{Mode: physics.JointPosition, Value: 1}}))
	r.Run(0.1)
	r.Place(0, spatial.Absent(0))
	r.Run(0.1)
	state := save(t, r)
	comeBack := func(r *enginetest.Rig) (hashes []uint64) {
		r.Run(0.1, func() { hashes = append(hashes, r.S.Hash()) })
		r.Place(0, spatial.Identity())
		r.Run(0.5, func() { hashes = append(hashes, r.S.Hash()) })
		return hashes
	}
	want := comeBack(r)
	other := onMuJoCo.start(t, model)
	must.Do(t, restore(other, state))
	if !slices.Equal(comeBack(other), want) {
		t.Error("a restored state continues otherwise")
	}
}

// Engines that run at the same time, on several threads, do not change each other's states.
func TestEnginesOnThreads(t *testing.T) {
	run := func() (hashes []uint64) {
		r := onMuJoCo.start(t, humanoids(2))
		r.Push(0, mgl64.Vec3{5, 1, 0}, mgl64.Vec3{})
		for range 200 {
			if err := r.Engine.Step(r.Commands); err != nil {
				t.Error(err)
				break
			}
			r.Snapshot(&r.S)
			hashes = append(hashes, r.S.Hash())
		}
		return hashes
	}
	want := run()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if !slices.Equal(run(), want) {
				t.Error("another state while other engines run")
			}
		})
	}
	all.Wait()
}

// What MuJoCo refuses gives one sentence that names the robot and the joint. A motion beyond all limits is an error of
// Step.
func TestMuJoCoErrors(t *testing.T) {
	model := humanoids(2)
	j := &model.Robots[1].Joints[model.Robots[1].Joint("left knee")]
	j.InertiaB = mgl64.Diag3(mgl64.Vec3{1, 1, 5})
	must.Fail(t, start(model), `mujoco: refuses the model`, `"left knee" of robot[1] humanoid`)

	model = humanoids(1)
	model.Config.Engine = "ode"
	must.Fail(t, start(model), `Robots[0].Drive.Level = "joints": needs Config.Engine = "mujoco"`)
	model = enginetest.Alone(physics.WheelsDrive, 0, 0, 0)
	model.Config.Engine = "mujoco"
	must.Fail(t, start(model), `Robots[0].Drive.Level = "wheels": must be chassis, walk or joints on the engine mujoco`)
	model = humanoids(1)
	model.Robots[0].Trunk = nil
	must.Fail(t, start(model), `Robots[0].Drive.Level = "joints": needs a robot with legs`)

	model = humanoids(1)
	model.Robots[0].Dribbler = enginetest.Robot(physics.ChassisDrive, 0, 0, 0).Dribbler
	must.Fail(t, start(model), `Robots[0].Drive.Level = "joints": needs a robot without Dribbler and Extension`)

	r := onMuJoCo.start(t, humanoids(1))
	must.Do(t, r.PlaceRobot(0, spatial.Identity(), spatial.Twist{Ang: mgl64.Vec3{1e4, -1e4, 1e4}}))
	must.Fail(t, r.Engine.Step(r.Commands), "step 0: mujoco: ", "unstable")
	must.Fail(t, r.Engine.Step(r.Commands), "step 0: mujoco: ")
}

// start returns the error of making the engine of a model.
func start(model *physics.Model) error {
	e, err := engine.New(model)
	if err == nil {
		e.Close()
	}
	return err
}

// A robot whose motors have no gains of their own walks with the default numbers, and then stands.
func TestHumanoidWalksByDefaults(t *testing.T) {
	model := humanoids(1)
	d := &model.Robots[0].Drive
	d.Walk = &physics.Walk{}
	d.Walk.SetDefaults()
	d.Walk.Crouch = 0.01 // so that the legs are not stretched
	d.MaxSpeed, d.MaxOmega, d.MaxAccel, d.MaxAlpha = 0.3, 1, 0.5, 2
	model.Robots[0].Pose = spatial.Identity()
	r := onMuJoCo.start(t, model)
	r.Commands[0].TwistB = physics.PlanarTwist{VX: 0.1, Omega: 0.2}
	r.Run(8)
	must.Near(t, "turn, rad", r.S.Robots[0].PoseWB.Heading(), 0.2*6.5, 0.3)
	if way := r.S.Robots[0].PoseWB.Pos.Len(); !(way > 0.5) {
		t.Errorf("the robot is %.2f m from its start: must be farther than 0.5 m", way)
	}
	r.Commands[0].TwistB = physics.PlanarTwist{}
	r.Run(4)
	must.Near(t, "tilt after the walk, rad", r.Tilt(0), 0, 0.05)
	must.Near(t, "speed after the walk, m/s", r.S.Robots[0].TwistWBInW.Lin.Len(), 0, 0.005)
}
