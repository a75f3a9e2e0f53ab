package omnipitch_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// A joint moves its link with the camera on it. The wheels turn as far as the robot drives.
func TestJointsMoveWhatTheyCarry(t *testing.T) {
	w := must.Get(worlds.Load("scouts"))(t)
	w.Events = nil
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	angle := 0.7
	for sim.Truth().Time.Seconds() < 2 {
		must.Do(t, sim.Step())
		if sim.Truth().Step == 1 {
			must.Do(t, sim.Do(&action.MoveJoint{Robot: "scout1", Joint: "camera_joint", Position: &angle}))
		}
	}
	model := w.Model()
	robot, now := &model.Robots[0], sim.Truth()
	states := model.JointsOf(0, now)
	at := robot.Joint("camera_joint")
	if got := states[at].Position; !(math.Abs(got-angle) <= 1e-3) {
		t.Fatalf("the joint is at %v rad: must be at %v", got, angle)
	}
	scene := sim.Sensors().Scenery()
	poses := scene.Poses(now, nil)
	poseWB := now.Robots[0].PoseWB
	find := func(name string) spatial.Pose {
		for i := range scene.Scene.Bodies {
			if scene.Scene.Bodies[i].Name == name {
				return poseWB.Inverse().Mul(poses[i])
			}
		}
		t.Fatalf("the scene has no body %s", name)
		return spatial.Pose{}
	}
	if got := find("scout1.camera_joint").Heading(); !(math.Abs(got-states[at].Position) <= 1e-9) {
		t.Errorf("the camera's box is turned by %v rad: must be turned by %v", got, states[at].Position)
	}
	camera, ok := sim.Sensors().Camera("scout1", "camera")
	if !ok {
		t.Fatal("scout1 has no camera")
	}
	poseBS := camera.PoseBC().Mul(spatial.BodyToOptical().Inverse())
	if got := poseBS.Heading(); !(math.Abs(got-states[at].Position) <= 1e-9) {
		t.Errorf("the camera looks to %v rad: must look to %v", got, states[at].Position)
	}
	// the wheel's lowest point of the start has turned forwards by the way over the radius
	wheel := robot.Joint("left_wheel_joint")
	turn := find("scout1.left_wheel_joint")
	if got := turn.Rotate([3]float64{0, 0, -1}); !(math.Abs(math.Atan2(-got[0], -got[2])-
		spatial.WrapAngle(now.Robots[0].WheelRad[0])) <= 1e-9) || now.Robots[0].WheelRad[0] < 5 {
		t.Errorf("the wheel's lowest point is now at %v after %v rad: must turn backwards below the axle", got,
			states[wheel].Position)
	}
}

// Humanoids of the shipped world stay upright by the motors of their joints, while one bends its knees, is pushed, and
// stands again.
func TestHumanoidsStand(t *testing.T) {
	w := must.Get(worlds.Load("humanoids-stand"))(t)
	sim, err := omnipitch.New(w, omnipitch.Options{})
	if errors.Is(err, physics.ErrNoMuJoCo) {
		t.Skip(err)
	}
	must.Do(t, err)
	defer sim.Close()
	model := w.Model()
	knee := model.Robots[0].Joint("left_knee")
	bent := 0.0
	for sim.Truth().Time.Seconds() < 6.5 {
		must.Do(t, sim.Step())
		now := sim.Truth()
		bent = max(bent, model.JointsOf(0, now)[knee].Position)
		for i := range now.Robots {
			if up := now.Robots[i].PoseWB.Rotate([3]float64{0, 0, 1})[2]; !(up > math.Cos(0.12)) {
				t.Fatalf("%v: %s is tilted by %v rad", now.Time, w.Robots[i].Name, math.Acos(up))
			}
		}
	}
	now := sim.Truth()
	if end := model.JointsOf(0, now)[knee].Position; !(bent > 1.1 && end < 0.2) {
		t.Errorf("the knee bends to %v rad and ends at %v: must reach 1.1 and come back below 0.2", bent, end)
	}
	must.Near(t, "x of the pushed robot", now.Robots[0].PoseWB.Pos[0], w.Robots[0].Pose.X, 0.05)
}

// A robot with legs follows the commanded velocity by steps, and stands when it is 0. A command to a joint of a leg
// takes the legs from the gait, until the commanded velocity has been 0.
func TestHumanoidWalks(t *testing.T) {
	w := must.Get(worlds.Load("humanoids-stand"))(t)
	w.Events, w.Robots = nil, w.Robots[:1]
	sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
	defer sim.Close()
	now := sim.Truth()
	run := func(vx, seconds float64) (way float64) {
		must.Do(t, sim.Do(&action.Drive{Robot: "kid1", VX: vx}))
		from := now.Robots[0].PoseWB.Pos
		for end := now.Time.Seconds() + seconds; now.Time.Seconds() < end; {
			must.Do(t, sim.Step())
			if now.Robots[0].Stuck {
				t.Fatalf("at %v the robot is stuck: must not be, since nothing is in its way", now.Time)
			}
		}
		return now.Robots[0].PoseWB.Pos.Sub(from).Len()
	}
	must.Near(t, "way without a command, m", run(0, 1), 0, 0.01)
	must.Near(t, "way, m", run(0.25, 8), 1.65, 0.3)
	run(0, 4)
	if up := now.Robots[0].PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2]; !(up > 0.99) {
		t.Errorf("after the walk the body's axis z has the vertical part %v: must stand", up)
	}
	must.Near(t, "way in 1 s after the walk, m", run(0, 1), 0, 0.005)
	model := w.Model()
	knee := model.Robots[0].Joint("left_knee")
	bent := now.Joints[knee].Position + 0.1
	run(0.15, 0.1)
	must.Do(t, sim.Do(&action.MoveJoint{Robot: "kid1", Joint: "left_knee", Position: &bent}))
	must.Near(t, "way with a commanded knee, m", run(0.15, 2), 0, 0.05)
	run(0, 0.1)
	must.Near(t, "way after a halt, m", run(0.15, 6), 0.7, 0.2)
	must.Do(t, sim.Do(&action.Push{Name: "kid1", FX: 300, For: 100 * time.Millisecond}))
	run(0.25, 3)
	if up := now.Robots[0].PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2]; !(up < 0.5) {
		t.Errorf("after a push of 30 N s the body's axis z has the vertical part %v: must lie", up)
	}
}

var kickPlaces = flag.Int("kick.places", 1, "number of places of the ball for each kick of humanoids")

// Humanoids kick a ball that lies at random places before either foot, and stay on their feet. Their headings are not
// 0, since MuJoCo's friction depends on them.
func TestHumanoidKicks(t *testing.T) {
	for _, kick := range []struct {
		robot        string
		radius, mass float64 // of the ball, m, kg
		x, y         float64 // middle of the places before the left foot, m
		dx, dy       float64 // largest distance from there, m
		least        float64 // way of the ball, m
	}{
		{"humanoid-kid", 0.07, 0.2, 0.18, 0.055, 0.04, 0.02, 1},
		{"humanoid-adult", 0.07, 0.2, 0.26, 0.1, 0.04, 0.03, 2},
		{"humanoid-adult", 0.11, 0.45, 0.3, 0.1, 0.04, 0.03, 2},
	} {
		for _, side := range []float64{-1, 1} {
			good := 0
			for seed := range *kickPlaces {
				rng := rand.New(rand.NewPCG(uint64(seed), 7))
				x := kick.x + kick.dx*(2*rng.Float64()-1)
				y := side*kick.y + kick.dy*(2*rng.Float64()-1)
				turn := spatial.WrapAngle(float64(seed + 1))
				stand := spatial.Planar(0, 0, turn)
				ball, heading := stand.Apply(mgl64.Vec3{x, y, 0}), turn/spatial.Degree
				w := must.Get(worlds.Load(must.File(t, "kick.toml", fmt.Sprintf("name = \"kick\"\nseed = %d\n"+
					"field = \"hsl-9x6\"\nphysics = { engine = \"mujoco\" }\n"+
					"ball = { radius_m = %g, mass_kg = %g, x_m = %g, y_m = %g }\n"+
					"[[robot]]\nname = \"a\"\nmodel = %q\npose = { heading_deg = %g }\ndrive = { level = \"joints\" }\n"+
					"motion = { kick_left = \"kick_left\", kick_right = \"kick_right\", handle_falls = false }\n",
					seed+1, kick.radius, kick.mass, ball[0], ball[1], kick.robot, heading))))(t)
				sim := must.Get(omnipitch.New(w, omnipitch.Options{}))(t)
				for sim.Truth().Time.Seconds() < 1 {
					must.Do(t, sim.Step())
				}
				must.Do(t, sim.Do(&action.Kick{Robot: "a", Way: "flat", Speed: 2, Limit: 9, Now: true}))
				for sim.Truth().Time.Seconds() < 7.5 {
					must.Do(t, sim.Step())
				}
				now := sim.Truth()
				up, at := now.Robots[0].PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2], stand.Inverse().Apply(now.Ball.PosW)
				way := at[0] - x
				t.Logf("%s, foot %+g, ball of %g kg at %.3f, %.3f: goes %.2f m, %.2f m aside, upright axis at %.3f",
					kick.robot, side, kick.mass, x, y, way, at[1]-y, up)
				if way > kick.least && up > 0.98 && now.Robots[0].Kicks == 1 {
					good++
				}
				sim.Close()
			}
			if good < *kickPlaces-*kickPlaces/10 {
				t.Errorf("%s kicks a ball of %g kg by more than %g m, and stays on its feet, from %d of %d places",
					kick.robot, kick.mass, kick.least, good, *kickPlaces)
			}
		}
	}
}
