//go:build cgo

package omnipitch

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// withHead makes a Sim of nubot-attack with a head under cyan1's front camera, which is at a given level.
func withHead(t *testing.T, level abstraction.Level) (*Sim, *sensors.Camera) {
	t.Helper()
	w, err := worlds.Load("nubot-attack")
	if err != nil {
		t.Fatal(err)
	}
	w.Obstacles = nil
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[j]; abstraction.Objects.In(c.Kind.Levels()) {
				c.Level = abstraction.Objects
			}
		}
	}
	front, _ := w.Sensor("cyan1", "front")
	head := sensors.HeadConfig{PanLimit: 2.6, TiltLimit: 1, Speed: 4, X: 0.04, Z: 0.03}
	front.Mount, front.Head, front.Level = sensors.Mount{X: 0.1, Z: 0.7}, &head, level
	vision := abstraction.DefaultVision()
	vision.MaxRange, vision.MissRate = 20, 0
	front.Vision = &vision
	sim, err := New(w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Close)
	camera, _ := sim.Sensors().Camera("cyan1", "front")
	return sim, camera
}

func stepUntil(t *testing.T, sim *Sim, until time.Duration, each func()) {
	t.Helper()
	for sim.Truth().Time < until {
		if err := sim.Step(); err != nil {
			t.Fatal(err)
		}
		if each != nil {
			each()
		}
	}
}

// pixelOf returns the pixel of a point in W, relative to the middle of the camera's image.
func pixelOf(sim *Sim, camera *sensors.Camera, p mgl64.Vec3) (du, dv float64) {
	u, v, _ := camera.Model().Project(sim.Truth().Robots[0].PoseWB.Mul(camera.PoseBC()).Inverse().Apply(p))
	w, h := camera.Model().Size()
	return u - float64(w)/2, v - float64(h)/2
}

func TestHeadLooksAtAPointOfTheRobot(t *testing.T) {
	sim, camera := withHead(t, abstraction.Objects)
	if err := sim.Do(&action.LookAt{Robot: "cyan1", Sensor: "front", X: 1, Y: 2, Z: 0}); err != nil {
		t.Fatal(err)
	}
	stepUntil(t, sim, time.Second, nil)
	if du, dv := pixelOf(sim, camera, sim.Truth().Robots[0].PoseWB.Apply(mgl64.Vec3{1, 2, 0})); !(math.Hypot(du,
		dv) <= 2) {
		t.Errorf("the point is (%.1f, %.1f) pixels off the middle", du, dv)
	}
}

// The ball rolls around the robot. The head's controller finds and follows it with the camera's delayed reports.
func TestHeadTracksTheBall(t *testing.T) {
	for _, level := range []abstraction.Level{abstraction.Objects, abstraction.Features} {
		sim, camera := withHead(t, level)
		if err := sim.Do(&action.SetHeadMode{Robot: "cyan1", Sensor: "front", Mode: sensors.HeadTrack}); err != nil {
			t.Fatal(err)
		}
		robot := sim.Truth().Robots[0].PoseWB
		at := func(angle float64) mgl64.Vec3 {
			return robot.Apply(mgl64.Vec3{2 * math.Cos(angle), 2 * math.Sin(angle), 0.11})
		}
		put := func(angle float64) {
			if err := sim.engine.PlaceBall(at(angle), spatial.Twist{}); err != nil {
				t.Fatal(err)
			}
		}
		put(1.5)
		// A sweep of ±2.6 rad at 4 rad/s passes the ball within 2 s.
		stepUntil(t, sim, 3*time.Second, func() { put(1.5) })
		if du, dv := pixelOf(sim, camera, at(1.5)); !(math.Hypot(du, dv) <= 15) {
			t.Errorf("%s: the ball was not found: it is (%.0f, %.0f) pixels off the middle", level, du, dv)
		}
		// The ball moves at 1 rad/s, and the delay is less than 0.15 s: the error stays within 0.15 rad.
		worst := 0.0
		stepUntil(t, sim, 5*time.Second, func() {
			angle := 1.5 - (sim.Truth().Time - 3*time.Second).Seconds()
			put(angle)
			du, _ := pixelOf(sim, camera, at(angle))
			worst = max(worst, math.Abs(du))
		})
		if !(worst <= 150) {
			t.Errorf("%s: the ball was %.0f pixels off the middle", level, worst)
		}
	}
}

func TestHeadCommandStandsInForTheRobotsOwnOnly(t *testing.T) {
	sim, _ := withHead(t, abstraction.Objects)
	for what, err := range map[string]error{
		"has no head to turn": sim.Do(&action.SetHeadMode{Robot: "cyan1", Sensor: "omni", Mode: sensors.HeadTrack}),
		"x_m = nan":           sim.Do(&action.LookAt{Robot: "cyan1", Sensor: "front", X: math.NaN()}),
		`mode = "stare"`:      sim.Do(&action.SetHeadMode{Robot: "cyan1", Sensor: "front", Mode: "stare"}),
	} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want %s", err, what)
		}
	}
	if err := sim.Do(&action.SetLevel{Robot: "cyan1", Sensor: "front", Level: abstraction.Raw}); err != nil {
		t.Fatal(err)
	}
	if err := sim.Do(&action.SetHeadMode{Robot: "cyan1", Sensor: "front", Mode: sensors.HeadTrack}); err == nil ||
		!strings.Contains(err.Error(), "must be one of features, objects, truth") {
		t.Errorf("at raw: %v", err)
	}
}

// A switch to a level with images ends the controller's command. From then on the robot's program aims the head.
func TestHeadCommandEndsAtPictures(t *testing.T) {
	for _, command := range []action.Action{
		&action.LookAt{Robot: "cyan1", Sensor: "front", X: -2, Y: 2}, &action.SetHeadMode{Robot: "cyan1",
			Sensor: "front", Mode: sensors.HeadSearch},
	} {
		sim, camera := withHead(t, abstraction.Objects)
		if err := sim.Do(&action.Place{Name: "ball", X: -8}); err != nil { // behind the robot
			t.Fatal(err)
		}
		if err := sim.Do(command); err != nil {
			t.Fatal(err)
		}
		stepUntil(t, sim, 100*time.Millisecond, nil)
		if err := sim.Do(&action.SetLevel{Robot: "cyan1", Sensor: "front", Level: abstraction.Ideal}); err != nil {
			t.Fatal(err)
		}
		stepUntil(t, sim, 200*time.Millisecond, nil)
		pan, tilt := camera.Head().Angles()
		stepUntil(t, sim, 400*time.Millisecond, nil)
		if p, q := camera.Head().Angles(); p != pan || q != tilt || pan == 0 {
			t.Errorf("%T: went on from (%v, %v) to (%v, %v)", command, pan, tilt, p, q)
		}
	}
}
