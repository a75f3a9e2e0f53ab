//go:build cgo

package pipeline_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// withHead makes a Sim of nubot-attack with a head under cyan1's front camera, which is at a given level.
func withHead(t *testing.T, level abstraction.Level, changes ...func(*worlds.World)) (simtest.Sim, *sensors.Camera) {
	t.Helper()
	w := simtest.World(t, "nubot-attack", simtest.AtLevel(abstraction.Objects))
	w.Obstacles = nil
	front := simtest.Sensor(t, w, "cyan1", "front")
	vision := abstraction.DefaultVision()
	vision.MaxRange, vision.MissRate = 20, 0
	front.Mount, front.Level, front.Vision = sensors.Mount{X: 0.1, Z: 0.7}, level, &vision
	front.Head = &sensors.HeadConfig{PanLimit: 2.6, TiltLimit: 1, Speed: 4, X: 0.04, Z: 0.03}
	for _, change := range changes {
		change(w)
	}
	sim := simtest.New(t, w, omnipitch.Options{})
	return sim, sim.Camera("cyan1", "front")
}

// pixelOf returns the pixel of a point in W, relative to the middle of the camera's image.
func pixelOf(sim simtest.Sim, camera *sensors.Camera, p mgl64.Vec3) (du, dv float64) {
	u, v, _ := camera.Model().Project(sim.Truth().Robots[0].PoseWB.Mul(camera.PoseBC()).Inverse().Apply(p))
	w, h := camera.Model().Size()
	return u - float64(w-1)/2, v - float64(h-1)/2
}

// A head that is aimed at the ball turns at its speed. The ball is then in the middle of the image, where the camera
// model predicts it.
func TestHeadTurnsToTheBall(t *testing.T) {
	sim, camera := withHead(t, abstraction.Objects, func(w *worlds.World) {
		w.Robots[0].Pose = worlds.Pose{X: 1, Y: 1, Heading: 2}
	})
	head := camera.Config().Head
	// The ball relative to the intersection of the axes. The camera is a little in front of it and above.
	ball := sim.Truth().Robots[0].PoseWB.Mul(camera.Config().Mount.Pose()).Inverse().Apply(sim.Truth().Ball.PosW)
	pan := math.Atan2(ball[1], ball[0])
	tilt := math.Atan2(-ball[2], math.Hypot(ball[0], ball[1])) + math.Asin(head.Z/ball.Len())
	sim.Must(&action.AimHead{Robot: "cyan1", Sensor: "front", Pan: pan, Tilt: tilt})
	half := time.Duration(math.Abs(pan) / head.Speed / 2 * float64(time.Second)).Round(5 * time.Millisecond)
	sim.Until(half)
	got, _ := camera.Head().Angles()
	must.Near(t, "pan after half of the time, rad", math.Abs(got), head.Speed*half.Seconds(), 1e-9)
	sim.Until(2*half + 200*time.Millisecond)
	gotPan, gotTilt := camera.Head().Angles()
	must.Near(t, "pan, rad", gotPan, pan, 1e-9)
	must.Near(t, "tilt, rad", gotTilt, tilt, 1e-9)
	// The ball is the only yellow thing.
	sumU, sumV, n := 0.0, 0.0, 0.0
	pix := sim.Capture("cyan1", "front", abstraction.Ideal).Color.Pix
	for i := 0; i < len(pix); i += 3 {
		if p := pix[i : i+3]; p[0] > 110 && p[1] > 70 && p[2] < 60 && p[0] > p[1] {
			sumU, sumV, n = sumU+float64(i/3%640), sumV+float64(i/3/640), n+1
		}
	}
	du, dv := pixelOf(sim, camera, sim.Truth().Ball.PosW)
	if !(math.Hypot(du, dv) <= 1) {
		t.Errorf("the ball is (%.1f, %.1f) pixels off the middle of the image", du, dv)
	}
	// the ball's pattern and shading are not uniform
	if u, v := sumU/n-319.5, sumV/n-239.5; !(n >= 20) || !scalar.EqualWithinAbs(u, du, 3) ||
		!scalar.EqualWithinAbs(v, dv, 6) {
		t.Errorf("%v yellow pixels around (%.1f, %.1f) of the middle, want around (%.1f, %.1f)", n, u, v, du, dv)
	}
}

// An event aims a head; its limit holds.
func TestAimEvents(t *testing.T) {
	sim, camera := withHead(t, abstraction.Truth, func(w *worlds.World) {
		w.Events = []worlds.Event{{At: 100 * time.Millisecond, Choice: action.Choice{
			AimHead: &action.AimHead{Robot: "cyan1", Sensor: "front", Pan: 3, Tilt: -0.3}}}}
	})
	sim.Until(time.Second)
	pan, tilt := camera.Head().Angles()
	must.Near(t, "pan, rad", pan, 2.6, 1e-9)
	must.Near(t, "tilt, rad", tilt, -0.3, 1e-9)
}

func TestHeadLooksAtAPointOfTheRobot(t *testing.T) {
	sim, camera := withHead(t, abstraction.Objects)
	sim.Must(&action.LookAt{Robot: "cyan1", Sensor: "front", X: 1, Y: 2, Z: 0})
	sim.Until(time.Second)
	if du, dv := pixelOf(sim, camera,
		sim.Truth().Robots[0].PoseWB.Apply(mgl64.Vec3{1, 2, 0})); !(math.Hypot(du, dv) <= 2) {
		t.Errorf("the point is (%.1f, %.1f) pixels off the middle", du, dv)
	}
}

// The ball rolls around the robot. The head's controller finds and follows it with the camera's delayed reports.
func TestHeadTracksTheBall(t *testing.T) {
	for _, level := range []abstraction.Level{abstraction.Objects, abstraction.Features} {
		sim, camera := withHead(t, level)
		sim.Must(&action.SetHeadMode{Robot: "cyan1", Sensor: "front", Mode: sensors.HeadTrack})
		robot := sim.Truth().Robots[0].PoseWB
		put := func(angle float64) (du, dv float64) {
			p := robot.Apply(mgl64.Vec3{2 * math.Cos(angle), 2 * math.Sin(angle), 0})
			sim.Must(&action.Place{Name: "ball", X: p[0], Y: p[1]})
			return pixelOf(sim, camera, sim.Truth().Ball.PosW)
		}
		put(1.5)
		// A sweep of ±2.6 rad at 4 rad/s passes the ball within 2 s.
		sim.Until(3 * time.Second)
		if du, dv := put(1.5); !(math.Hypot(du, dv) <= 15) {
			t.Errorf("%s: the ball was not found: it is (%.0f, %.0f) pixels off the middle", level, du, dv)
		}
		// The ball moves at 1 rad/s, and the delay is less than 0.15 s: the error stays within 0.15 rad.
		worst := 0.0
		sim.Until(5*time.Second, func() {
			du, _ := put(1.5 - (sim.Truth().Time - 3*time.Second).Seconds())
			worst = max(worst, math.Abs(du))
		})
		if !(worst <= 150) {
			t.Errorf("%s: the ball was %.0f pixels off the middle", level, worst)
		}
	}
}

func TestHeadCommandsAreChecked(t *testing.T) {
	sim, _ := withHead(t, abstraction.Objects)
	track := func(sensor string, mode sensors.HeadMode) error {
		return sim.Do(&action.SetHeadMode{Robot: "cyan1", Sensor: sensor, Mode: mode})
	}
	must.Fail(t, sim.Do(&action.AimHead{Robot: "cyan1", Sensor: "omni"}), "has no head to turn")
	must.Fail(t, track("omni", sensors.HeadTrack), "has no head to turn")
	must.Fail(t, sim.Do(&action.LookAt{Robot: "cyan1", Sensor: "front", X: math.NaN()}), "x_m = nan")
	must.Fail(t, track("front", "stare"), `mode = "stare"`)
	sim.Must(&action.SetLevel{Robot: "cyan1", Sensor: "front", Level: abstraction.Raw})
	must.Fail(t, track("front", sensors.HeadTrack), "must be one of features, objects, truth")
}

// A switch to a level with images ends the controller's command. From then on the robot's program aims the head.
func TestHeadCommandEndsAtImages(t *testing.T) {
	for _, command := range []action.Action{&action.LookAt{Robot: "cyan1", Sensor: "front", X: -2, Y: 2},
		&action.SetHeadMode{Robot: "cyan1", Sensor: "front", Mode: sensors.HeadSearch}} {
		sim, camera := withHead(t, abstraction.Objects)
		sim.Must(&action.Place{Name: "ball", X: -8}, command) // behind the robot
		sim.Until(100 * time.Millisecond)
		sim.Must(&action.SetLevel{Robot: "cyan1", Sensor: "front", Level: abstraction.Ideal})
		sim.Until(200 * time.Millisecond)
		pan, tilt := camera.Head().Angles()
		sim.Until(400 * time.Millisecond)
		if p, q := camera.Head().Angles(); p != pan || q != tilt || pan == 0 {
			t.Errorf("%T: went on from (%v, %v) to (%v, %v)", command, pan, tilt, p, q)
		}
	}
}

// headWorld returns a Sim with a head under cyan1's front camera, at a distance from a teammate, two opponents and an
// obstacle, and the places of all objects.
func headWorld(t *testing.T, level abstraction.Level) (simtest.Sim, *sensors.Camera, map[string]mgl64.Vec3) {
	sim, camera := withHead(t, level, func(w *worlds.World) {
		w.Robots = w.Robots[:1]
		for _, r := range []struct {
			name   string
			team   physics.Team
			number int
			pose   worlds.Pose
		}{{"cyan2", physics.Cyan, 2, worlds.Pose{X: -1, Y: -2.5}}, {"magenta1", physics.Magenta, 1, worlds.Pose{X: 3, Y: -2}},
			{"magenta2", physics.Magenta, 2, worlds.Pose{X: 2, Y: 4}}} {
			robot := w.Robots[0]
			robot.Name, robot.Team, robot.Number, robot.Pose, robot.Sensors = r.name, r.team, r.number, r.pose, nil
			w.Robots = append(w.Robots, robot)
		}
		w.Obstacles = simtest.World(t, "nubot-attack").Obstacles[:1]
		w.Obstacles[0].Pose = worlds.Pose{X: -1, Y: 2}
		w.Boxes = []worlds.Box{{Name: "rack", Kind: "shelf", Pose: worlds.Pose{X: -3, Y: -4.5},
			Size: [3]float64{0.5, 0.5, 1}}}
		w.Boxes[0].Material.SetDefaults()
	})
	field := &sim.World().Field
	right := field.GoalPosts(field.Goals()[1])[1]
	places := map[string]mgl64.Vec3{"ball": sim.Truth().Ball.PosW, "obstacle1": {-1, 2, 0},
		"rack":            {-3, -4.5, 0},
		"post_plus_right": {(right.Min[0] + right.Max[0]) / 2, (right.Min[1] + right.Max[1]) / 2}}
	for i, r := range sim.World().Robots {
		places[r.Name] = sim.Truth().Robots[i].PoseWB.Pos
	}
	return sim, camera, places
}

// A head searches for an object of any kind, team, number or name, and keeps it in the middle of the image. Of several
// it chooses the nearest, at a level that reports distances.
func TestHeadTracksAnyObject(t *testing.T) {
	for i, c := range []struct {
		object string
		number int
		want   string
	}{{"magenta2", 0, "magenta2"}, {"shelf", 0, "rack"}, {"rack", 0, "rack"}, {"goal_plus", 0, "post_plus_right"},
		{"magenta1", 0, "magenta1"}, {"opponent", 2, "magenta2"}, {"magenta", 1, "magenta1"},
		{"teammate", 0, "cyan2"}, {"cyan", 0, "cyan2"}, {"obstacle", 0, "obstacle1"}, {"obstacle1", 0, "obstacle1"},
		{"ball", 0, "ball"}, {"", 0, "ball"}} {
		for _, level := range []abstraction.Level{abstraction.Objects, abstraction.Features, abstraction.Truth} {
			if level == abstraction.Features && i != 1 && i != 3 {
				continue // these images take long
			}
			sim, camera, places := headWorld(t, level)
			sim.Must(&action.SetHeadMode{Robot: "cyan1", Sensor: "front", Mode: sensors.HeadTrack, Object: c.object,
				Number: c.number})
			sim.Until(2 * time.Second)
			du, _ := pixelOf(sim, camera, places[c.want])
			if left := places["post_plus_right"]; c.want == "post_plus_right" {
				left[1] = -left[1]
				other, _ := pixelOf(sim, camera, left)
				du = math.Copysign(min(math.Abs(du), math.Abs(other)), du)
			}
			if !(math.Abs(du) <= 20) {
				t.Errorf("%s, %q %d: %s is %.0f pixels off the middle", level, c.object, c.number, c.want, du)
			}
		}
	}
}

// A head that follows two objects looks at each for a part of the time.
func TestHeadTracksTwoObjectsByTurns(t *testing.T) {
	sim, camera, places := headWorld(t, abstraction.Objects)
	sim.Must(&action.SetHeadMode{Robot: "cyan1", Sensor: "front", Mode: sensors.HeadTrack, Object: "cyan2",
		Other: "ball"})
	share := map[string]float64{}
	sim.Until(5 * time.Second)
	sim.Until(25*time.Second, func() {
		for _, name := range []string{"cyan2", "ball"} {
			p := sim.Truth().Robots[0].PoseWB.Mul(camera.PoseBC()).Inverse().Apply(places[name])
			if p[2] > 0 && math.Abs(math.Atan2(p[0], p[2])) < 0.05 {
				share[name] += 0.005 / 20
			}
		}
	})
	for _, name := range []string{"cyan2", "ball"} {
		if !(share[name] >= 0.3) {
			t.Errorf("the head looks at %s for %.2f of the time, want 0.3 at least", name, share[name])
		}
	}
}

// Modes without an object turn the head without observations.
func TestHeadModesWithoutObject(t *testing.T) {
	for _, c := range []struct {
		mode                           sensors.HeadMode
		leastPan, mostPan, least, most float64 // of pan and tilt after the first second, rad
	}{{sensors.HeadScan, -2.6, 2.6, 6 * math.Pi / 180, 25 * math.Pi / 180},
		{sensors.HeadScanHigh, -2.6, 2.6, -30 * math.Pi / 180, -5 * math.Pi / 180},
		{sensors.HeadDown, 0, 0, 1, 1}, {sensors.HeadForward, 0, 0, 0, 0}, {sensors.HeadUp, 0, 0, -1, -1}} {
		sim, camera, _ := headWorld(t, abstraction.Objects)
		sim.Must(&action.AimHead{Robot: "cyan1", Sensor: "front", Pan: 0.5, Tilt: 0.5})
		sim.Until(500 * time.Millisecond)
		sim.Must(&action.SetHeadMode{Robot: "cyan1", Sensor: "front", Mode: c.mode})
		sim.Until(time.Second)
		pans, tilts := []float64{}, []float64{}
		sim.Until(8*time.Second, func() {
			pan, tilt := camera.Head().Angles()
			pans, tilts = append(pans, pan), append(tilts, tilt)
		})
		must.Near(t, string(c.mode)+": least pan, rad", slices.Min(pans), c.leastPan, 1e-9)
		must.Near(t, string(c.mode)+": most pan, rad", slices.Max(pans), c.mostPan, 1e-9)
		must.Near(t, string(c.mode)+": least tilt, rad", slices.Min(tilts), c.least, 1e-9)
		must.Near(t, string(c.mode)+": most tilt, rad", slices.Max(tilts), c.most, 1e-9)
	}
}
