//go:build cgo

package omnipitch_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// A robot pushes a box or a cylinder against another one, and laser, sonar, depth image and level objects all see where
// they are, at rest and after the push.
func TestPushedPiecesAreSeenAndTouched(t *testing.T) {
	const box = "[[box]]\nname = %q\nsize_m = [0.5, 0.5, 1]\nmass_kg = 6\n"
	const cylinder = "[[cylinder]]\nname = %q\nradius_m = 0.25\nheight_m = 1\nmass_kg = 6\n"
	for name, kinds := range map[string][2]string{"box, box": {box, box}, "box, cylinder": {box, cylinder},
		"cylinder, box": {cylinder, box}, "cylinder, cylinder": {cylinder, cylinder}} {
		for _, engine := range []string{"ode", "planar"} {
			t.Run(engine+", "+name, func(t *testing.T) {
				w := must.Get(worlds.Parse("w.toml", []byte(fmt.Sprintf(`name = "w"
field = false
ball = false
physics = { engine = %q }
[[robot]]
name = "r"
model = "nubot"
pose = { x_m = -1.5 }
sensor = [
  { name = "depth", kind = "kinect", level = "ideal", mount = { x_m = 0.3, z_m = 0.85, pitch_deg = 0 } },
  { name = "laser", kind = "laser", level = "ideal", mount = { z_m = 0.28 } },
  { name = "sonar", kind = "sonar", level = "truth", mount = { z_m = 0.3 } },
  { name = "bumper", kind = "bumper", level = "truth" },
  { name = "omni", kind = "omni", level = "objects", mount = { z_m = 1 } },
]
`+kinds[0]+kinds[1]+"pose = { x_m = 0.8 }\n", engine, "a", "b"))))(t)
				s := simtest.New(t, w, omnipitch.Options{})
				var laser, sonar float64
				bumped := false
				s.On("r", "laser", func(o *sensors.Observation) {
					scan := o.Reading.(*sensors.LaserScan)
					laser = scan.Ranges[len(scan.Ranges)/2]
				})
				s.On("r", "sonar", func(o *sensors.Observation) { sonar = o.Reading.(*sensors.SonarReading).Range })
				s.On("r", "bumper", func(o *sensors.Observation) {
					bumped = bumped || o.Reading.(*sensors.BumperReading).Touched
				})
				first := slices.IndexFunc(s.World().Model().Obstacles,
					func(o physics.Obstacle) bool { return o.Name == "a" })
				agree := func(when string) {
					s.Steps(100)
					truth := s.Truth()
					gap := truth.Obstacles[first].PoseWO.Pos[0] - truth.Robots[0].PoseWB.Pos[0] - 0.25
					depth := s.Capture("r", "depth", abstraction.Ideal).Depth
					middle := depth.Height/2*depth.Width + depth.Width/2
					must.Near(t, when+": depth image", float64(depth.Z[middle]), gap-0.3, 0.02)
					must.Near(t, when+": laser", laser, gap, 0.02)
					must.Near(t, when+": sonar", sonar, gap, 0.02)
					seen := 0
					for _, d := range s.Capture("r", "omni", abstraction.Truth).Objects.Detections {
						if d.Name == "a" {
							seen++
							must.Near(t, when+": level truth", d.PosB[0], gap+0.25, 0.02)
						}
					}
					if seen != 1 {
						t.Errorf("%s: level truth has %q %d times, want once", when, "a", seen)
					}
				}
				agree("at rest")
				s.Must(&action.Drive{Robot: "r", VX: 0.8})
				s.Until(3 * time.Second)
				s.Must(&action.Drive{Robot: "r", Stop: true})
				s.Until(4 * time.Second)
				s.Must(&action.Drive{Robot: "r", VX: -0.5})
				s.Until(5500 * time.Millisecond)
				s.Must(&action.Drive{Robot: "r", Stop: true})
				s.Until(6 * time.Second)
				a, b := s.Truth().Obstacles[first].PoseWO.Pos, s.Truth().Obstacles[1-first].PoseWO.Pos
				if !(a[0] > 0.4) || !(b[0]-a[0] > 0.49) || !(b[0] < 2) || !bumped {
					t.Errorf("the pieces are at %.3f and %.3f after the push, bumped %v, want the second pushed on by the first",
						a, b, bumped)
				}
				agree("after the push")
			})
		}
	}
}

// In world warehouse, laser, depth image, the pixels of level features and the positions of level objects put a person
// who walks ahead of the robot at the same place across the line of sight, within 2 cm.
func TestSensorsAgreeAboutAPersonWhoWalks(t *testing.T) {
	plain := func(w *worlds.World) { w.Look = worlds.LookPlain }
	s := simtest.New(t, simtest.World(t, "warehouse", plain), omnipitch.Options{})
	m := s.World().Model()
	worker := slices.IndexFunc(m.Obstacles, func(o physics.Obstacle) bool { return o.Name == "worker" })
	s.Must(&action.Delete{Name: "picker"})
	var scan *sensors.LaserScan
	s.On("carrier", "laser", func(o *sensors.Observation) { scan = o.Reading.(*sensors.LaserScan) })
	s.Must(&action.SetLevel{Robot: "carrier", Sensor: "laser", Level: abstraction.Ideal})
	s.Until(1500 * time.Millisecond) // the person has turned to its way
	walked := s.Truth().Obstacles[worker].PoseWO.Pos[0]
	seen := map[string]int{}
	for range 5 {
		at := s.Truth().Obstacles[worker].PoseWO.Pos
		s.Must(&action.Drive{Robot: "carrier", Stop: true},
			&action.Place{Name: "carrier", X: at[0] + 2.6, Y: at[1] + 0.2, Heading: math.Pi})
		scan = nil
		for s.Steps(1); scan == nil; s.Steps(1) {
		}
		truth := s.Truth()
		poseWB := truth.Robots[0].PoseWB
		want := poseWB.Inverse().Apply(truth.Obstacles[worker].PoseWO.Pos)
		lo, hi := math.Inf(1), math.Inf(-1)
		across := func(posB mgl64.Vec3) { // a point that the sensor sees
			if math.Abs(posB[0]-want[0]) < 0.4 && math.Abs(posB[1]-want[1]) < 0.5 && posB[2] > 0.1 {
				lo, hi = min(lo, posB[1]), max(hi, posB[1])
			}
		}
		judge := func(sensor string) {
			if lo <= hi { // levels without images miss some
				must.Near(t, fmt.Sprintf("%v: %s: middle of the person", truth.Time, sensor), (lo+hi)/2, want[1], 0.02)
				seen[sensor]++
			}
			lo, hi = math.Inf(1), math.Inf(-1)
		}
		for i, r := range scan.Ranges {
			sin, cos := math.Sincos(scan.First + float64(i)*scan.Step)
			across(mgl64.Vec3{0.15 + r*cos, r * sin, 0.38})
		}
		judge("laser")
		camera, depth := s.Camera("carrier", "depth"), s.Capture("carrier", "depth", abstraction.Ideal).Depth
		for i, z := range depth.Z {
			d, ok := camera.Model().Unproject(float64(i%depth.Width), float64(i/depth.Width))
			if ok && z > 0 && !math.IsInf(float64(z), 0) {
				across(camera.PoseBC().Apply(d.Mul(float64(z) / d[2])))
			}
		}
		judge("depth image")
		camera = s.Camera("carrier", "front")
		for _, b := range s.Capture("carrier", "front", abstraction.Features).Features.Obstacles {
			for _, u := range [2]float64{b.MinU, b.MaxU} {
				d, ok := camera.Model().Unproject(u, (b.MinV+b.MaxV)/2)
				if at := camera.PoseBC(); ok && b.Name == "worker" {
					across(at.Apply(d.Mul((want[0] - at.Pos[0]) / d[2])))
				}
			}
		}
		judge("pixels")
		for _, d := range s.Capture("carrier", "front", abstraction.Truth).Objects.Detections {
			if d.Name == "worker" {
				must.Near(t, "distance at level truth", d.PosB[0], want[0], 0.02)
				across(d.PosB.Add(mgl64.Vec3{0, 0, 1}))
			}
		}
		judge("position")
		s.Steps(100)
	}
	for _, sensor := range []string{"laser", "depth image", "pixels", "position"} {
		if seen[sensor] < 3 {
			t.Errorf("%s: sees the person %d times in 5, want at least 3", sensor, seen[sensor])
		}
	}
	if now := s.Truth().Obstacles[worker].PoseWO.Pos[0]; !(walked-now > 2) {
		t.Errorf("the person has walked from x = %v to %v, want at least 2 m", walked, now)
	}
}
