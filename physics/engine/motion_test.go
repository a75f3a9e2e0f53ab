package engine_test

import (
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/physics/internal/enginetest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// wired returns a model of a humanoid on an engine, with an animation that moves its right arm up and down, and a kick
// with each foot.
func wired(engine string) *physics.Model {
	model := enginetest.Model()
	model.Config.Engine = engine
	r := enginetest.Humanoid(0, 0, 0)
	if engine != "mujoco" {
		r.Drive = enginetest.Robot(physics.ChassisDrive, 0, 0, 0).Drive
		if engine == "planar" {
			r.Drive.Level = physics.KinematicDrive
		}
	}
	frame := func(joint string, at time.Duration, position float64) physics.KeyFrame {
		return physics.KeyFrame{Duration: at, Goals: []physics.JointGoal{{Joint: r.Joint(joint), Position: position}}}
	}
	const roll = "right shoulder roll"
	r.Animations = []physics.Animation{
		{Name: "wave", Frames: []physics.KeyFrame{frame(roll, time.Second, -1), frame(roll, time.Second, 0)}},
		{Name: "kick", Frames: []physics.KeyFrame{frame("left elbow", time.Second, -1)}},
	}
	r.Motion = &physics.MotionControl{KickLeft: "kick", KickRight: "kick"}
	r.Motion.SetDefaults()
	r.Kicker = &physics.Kicker{MaxSpeed: 2, LobAngle: 0.5, Reach: &physics.Reach{Distance: 0.4, Angle: 0.6},
		Delay: 300 * time.Millisecond}
	model.Robots = []physics.Robot{r}
	model.Ball.X, model.Ball.Y = 0.3, 0.03
	return model
}

// A robot plays an animation on every engine. Meanwhile it does not drive, and its other joints obey commands.
func TestAnimations(t *testing.T) {
	for _, name := range []string{"ode", "planar", "mujoco"} {
		t.Run(name, func(t *testing.T) {
			model := wired(name)
			r := enginetest.Start(t, engine.New, model)
			roll, elbow := model.Robots[0].Joint("right shoulder roll"), model.Robots[0].Joint("left elbow")
			must.Do(t, r.PlayAnimation(0, 0))
			r.Commands[0].TwistB.VX = 0.3
			to := []physics.JointTarget{{Mode: physics.JointPosition, Value: 0.7},
				{Mode: physics.JointPosition, Value: -0.5}}
			r.Run(0.1)
			must.Equal(t, r.S.Robots[0].Motion, physics.Animating, "motion state")
			must.Do(t, r.MoveJoints(0, []int{roll, elbow}, to))
			r.Run(0.9)
			must.Near(t, "progress", float64(r.S.Robots[0].Progress), 50, 1)
			must.Near(t, "shoulder in between", r.S.Joints[roll].Position, -1, 0.1)
			must.Near(t, "elbow", r.S.Joints[elbow].Position, -0.5, 0.05)
			must.Near(t, "way", r.S.Robots[0].PoseWB.Pos[0], 0, 0.01)
			data := save(t, r)
			r.Run(1.02)
			want := r.S.Hash()
			must.Near(t, "shoulder at the end", r.S.Joints[roll].Position, 0, 0.1)
			must.Equal(t, r.S.Robots[0].Motion.Free(), true, "free at the end")
			other := enginetest.Start(t, engine.New, wired(name))
			must.Do(t, restore(other, data))
			other.Commands[0].TwistB.VX = 0.3
			other.Run(1.02)
			must.Equal(t, other.S.Hash(), want, "hash after a key frame in the middle of the animation")
			must.Fail(t, r.PlayAnimation(0, 2), "has no animation 2")
		})
	}
}

// Where legs do not move the robot, the ball leaves after the kicker's delay, if it is still there.
func TestKickWithDelay(t *testing.T) {
	for _, name := range []string{"ode", "planar"} {
		for _, stays := range []bool{true, false} {
			r := enginetest.Start(t, engine.New, wired(name))
			r.Commands[0].Kick = physics.Kick{Mode: physics.FlatKick, Speed: 1.5}
			r.Step()
			r.Commands[0].Kick = physics.Kick{}
			r.Run(0.25)
			must.Equal(t, r.S.Robots[0].Motion, physics.Kicking, "motion state")
			must.Near(t, "speed before", r.S.Ball.TwistInW.Lin.Len(), 0, 1e-6)
			if !stays {
				r.Put(mgl64.Vec3{1, 1, r.S.Ball.PosW[2]}, r.S.Ball.TwistInW)
			}
			fastest := 0.0
			r.Run(0.1, func() { fastest = max(fastest, r.S.Ball.TwistInW.Lin.Len()) })
			want := 1.5
			if !stays {
				want = 0
			}
			must.Near(t, name+": speed of the ball", fastest, want, 0.05)
			must.Equal(t, r.S.Robots[0].Kicks == 1, stays, "kicks")
		}
	}
}

// A humanoid that is pushed over goes limp and lies.
func TestHumanoidFallsLimp(t *testing.T) {
	model := wired("mujoco")
	r := onMuJoCo.start(t, model)
	r.Push(0, mgl64.Vec3{6, 0, 0}, mgl64.Vec3{})
	seen := map[physics.MotionState]bool{}
	r.Run(3, func() {
		seen[r.S.Robots[0].Motion] = true
	})
	if !seen[physics.Falling] || r.S.Robots[0].Motion != physics.Fallen {
		t.Errorf("states %v, at last %v", seen, r.S.Robots[0].Motion)
	}
	for k := range r.S.Joints {
		must.Near(t, "effort of "+model.Robots[0].Joints[k].Name, r.S.Joints[k].Effort, 0, 0)
	}
}
