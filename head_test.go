//go:build cgo

package omnipitch

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// A head that is aimed at the ball turns at its speed. The ball is then in the middle of the image, where the camera
// model predicts it.
func TestHeadTurnsToTheBall(t *testing.T) {
	w, err := worlds.Load("nubot-attack")
	if err != nil {
		t.Fatal(err)
	}
	front, _ := w.Sensor("cyan1", "front")
	head := sensors.HeadConfig{PanLimit: math.Pi, TiltLimit: 1, Speed: 2, X: 0.04, Z: 0.03}
	front.Mount = sensors.Mount{X: 0.1, Z: 0.7}
	front.Head = &head
	w.Robots[0].Pose = worlds.Pose{X: 1, Y: 1, Heading: 2}
	sim, err := New(w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	camera, _ := sim.Sensors().Camera("cyan1", "front")
	// The ball relative to the intersection of the axes. The camera is a little in front of it and above.
	ball := sim.Truth().Robots[0].PoseWB.Mul(front.Mount.Pose()).Inverse().Apply(sim.Truth().Ball.PosW)
	pan := math.Atan2(ball[1], ball[0])
	side := math.Hypot(ball[0], ball[1])
	tilt := math.Atan2(-ball[2], side) + math.Asin(head.Z/ball.Len())
	if err := sim.Do(&action.AimHead{Robot: "cyan1", Sensor: "front", Pan: pan, Tilt: tilt}); err != nil {
		t.Fatal(err)
	}
	half := time.Duration(math.Abs(pan) / head.Speed / 2 * float64(time.Second)).Round(5 * time.Millisecond)
	run := func(until time.Duration) {
		for sim.Truth().Time < until {
			if err := sim.Step(); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(half)
	if got, _ := camera.Head().Angles(); !scalar.EqualWithinAbs(math.Abs(got), head.Speed*half.Seconds(), 1e-9) {
		t.Errorf("turned by %v rad in %v, want %v", got, half, head.Speed*half.Seconds())
	}
	run(2*half + 200*time.Millisecond)
	if p, q := camera.Head().Angles(); !scalar.EqualWithinAbs(p, pan, 1e-9) || !scalar.EqualWithinAbs(q, tilt, 1e-9) {
		t.Fatalf("looks at (%v, %v), want (%v, %v)", p, q, pan, tilt)
	}
	o, err := sim.Sensors().Capture("cyan1", "front", abstraction.Ideal)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release()
	// The ball is the only yellow thing.
	sumU, sumV, n := 0.0, 0.0, 0.0
	for i := 0; i < len(o.Color.Pix); i += 3 {
		if p := o.Color.Pix[i : i+3]; p[0] > 110 && p[1] > 70 && p[2] < 60 && p[0] > p[1] {
			sumU, sumV, n = sumU+float64(i/3%640), sumV+float64(i/3/640), n+1
		}
	}
	truth := camera.PoseBC().Inverse().Apply(sim.Truth().Robots[0].PoseWB.Inverse().Apply(sim.Truth().Ball.PosW))
	u, v, _ := camera.Model().Project(truth)
	if !(math.Hypot(u-319.5, v-239.5) <= 1) {
		t.Errorf("the ball is at (%.1f, %.1f) of the picture, want its middle", u, v)
	}
	// the ball's pattern and shading are not uniform
	if !(n >= 20) || !scalar.EqualWithinAbs(sumU/n, u, 3) || !scalar.EqualWithinAbs(sumV/n, v, 6) {
		t.Errorf("%v yellow pixels around (%.1f, %.1f), want them around (%.1f, %.1f)", n, sumU/n, sumV/n, u, v)
	}
	if err := sim.Do(&action.AimHead{Robot: "cyan1", Sensor: "omni", Pan: 0, Tilt: 0}); err == nil {
		t.Error("a camera without a head was turned")
	}
}

func TestAimEvents(t *testing.T) {
	w, err := worlds.Parse("head.toml", []byte(`name = "head"
include = ["nubot-attack"]
[[robot]]
name = "cyan1"
[[robot.sensor]]
name = "front"
level = "truth"
head = { speed_deg_s = 1000, pan_limit_deg = 90 }
[[robot.sensor]]
name = "omni"
level = "truth"
[[robot]]
name = "magenta1"
[[robot.sensor]]
name = "kinect_left"
level = "truth"
[[robot.sensor]]
name = "kinect_right"
level = "truth"
[[event]]
at_s = 0.1
aim_head = { robot = "cyan1", sensor = "front", pan_deg = 120, tilt_deg = -20 }
`))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := New(w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	for sim.Truth().Time < 400*time.Millisecond {
		if err := sim.Step(); err != nil {
			t.Fatal(err)
		}
	}
	camera, _ := sim.Sensors().Camera("cyan1", "front")
	if pan, tilt := camera.Head().Angles(); !scalar.EqualWithinAbs(pan, math.Pi/2, 1e-9) ||
		!(math.Abs(tilt+math.Pi/9) <= 1e-9) {
		t.Errorf("looks at (%v, %v), want its limit of 90° and −20°", pan, tilt)
	}
}
