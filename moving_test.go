//go:build cgo

package omnipitch_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
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

// A laser scanner and a depth image meet a robot with a look as images show it: here a pole in the middle of its hull.
func TestSensorsMeetARobotsLook(t *testing.T) {
	const distance, radius = 2.0, 0.06
	w := must.Get(worlds.Parse("w.toml", fmt.Appendf(nil, `name = "w"
field = "msl-18x12"
look = "plain"
[[robot]]
name = "r"
model = "nubot"
  [[robot.sensor]]
  name = "laser"
  kind = "laser"
  level = "ideal"
  profile = "sick-ld"
  mount = { z_m = 0.5 }
  [[robot.sensor]]
  name = "depth"
  kind = "kinect"
  level = "ideal"
  image = { width_px = 160, height_px = 120 }
  mount = { x_m = 0.3, z_m = 0.5 }
[[robot]]
name = "pole"
model = "nubot"
pose = { x_m = %v }
skin = { look = { prism = [{ sides = 32, size_m = [%v, %v], z_m = [0, 0.8] }] } }
`, distance, 2*radius, 2*radius)))(t)
	s := simtest.New(t, w, omnipitch.Options{})
	var scan *sensors.LaserScan
	s.On("r", "laser", func(o *sensors.Observation) { scan = o.Reading.(*sensors.LaserScan) })
	for s.Steps(1); scan == nil; s.Steps(1) {
	}
	nearest, hits := math.Inf(1), 0
	for _, r := range scan.Ranges {
		if r < distance {
			nearest, hits = min(nearest, r), hits+1
		}
	}
	must.Near(t, "laser", nearest, distance-radius, 0.003)
	if width := 2 * math.Asin(radius/distance); !(math.Abs(float64(hits)-width/scan.Step) <= 2) {
		t.Errorf("%d beams meet the pole, want %.1f", hits, width/scan.Step)
	}
	depth := s.Capture("r", "depth", abstraction.Ideal).Depth
	middle := depth.Z[depth.Height/2*depth.Width:][:depth.Width]
	must.Near(t, "depth", float64(slices.Min(middle)), distance-0.3-radius, 0.003)
}

// A person walks ahead of the robot in world warehouse. The laser, the depth image, and levels features and objects
// agree about the person's place within 2 cm. Across the line of sight, the test compares the middle of what each of
// them sees. Along it, the test compares each laser beam on a leg with the depth in that direction. The position at
// level objects is the point on the floor under the hip. The back of the hip is 0.115 m behind it.
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
	seen, compared := map[string]int{}, 0
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
		camera, depth := s.Camera("carrier", "depth"), s.Capture("carrier", "depth", abstraction.Ideal).Depth
		for i, r := range scan.Ranges {
			sin, cos := math.Sincos(scan.First + float64(i)*scan.Step)
			posB := mgl64.Vec3{0.15 + r*cos, r * sin, 0.38}
			across(posB)
			if math.Abs(posB[0]-want[0]) < 0.4 && math.Abs(posB[1]-want[1]) < 0.5 {
				compared += alike(t, fmt.Sprintf("%v: beam %d", truth.Time, i), camera, depth, posB)
			}
		}
		judge("laser")
		hip := math.Inf(1) // of what the depth image shows at its height, the nearest between the hands
		for i, z := range depth.Z {
			d, ok := camera.Model().Unproject(float64(i%depth.Width), float64(i/depth.Width))
			if ok && z > 0 && !math.IsInf(float64(z), 0) {
				posB := camera.PoseBC().Apply(d.Mul(float64(z) / d[2]))
				across(posB)
				if math.Abs(posB[2]-0.89) < 0.02 && math.Abs(posB[1]-want[1]) < 0.15 {
					hip = min(hip, posB[0])
				}
			}
		}
		judge("depth image")
		must.Near(t, fmt.Sprintf("%v: back of the hip", truth.Time), hip, want[0]-0.115, 0.02)
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
	if compared < 20 {
		t.Errorf("%d beams are compared with the depth image, want at least 20", compared)
	}
	if now := s.Truth().Obstacles[worker].PoseWO.Pos[0]; !(walked-now > 2) {
		t.Errorf("the person has walked from x = %v to %v, want at least 2 m", walked, now)
	}
}

// alike checks that a depth image has the depth of a point in the robot's frame within 2 cm, and returns 1. It returns
// 0 if the pixel is out of the image or at an edge.
func alike(t *testing.T, what string, camera *sensors.Camera, depth *render.Depth, posB mgl64.Vec3) int {
	posC := camera.PoseBC().Inverse().Apply(posB)
	u, v, ok := camera.Model().Project(posC)
	x, y := int(math.Round(u)), int(math.Round(v))
	if !ok || x < 2 || y < 2 || x >= depth.Width-2 || y >= depth.Height-2 {
		return 0
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for dy := -2; dy <= 2; dy++ {
		for dx := -2; dx <= 2; dx++ {
			z := float64(depth.Z[(y+dy)*depth.Width+x+dx])
			lo, hi = min(lo, z), max(hi, z)
		}
	}
	if !(hi-lo < 0.05) {
		return 0
	}
	must.Near(t, what+": depth", float64(depth.Z[y*depth.Width+x]), posC[2], 0.02)
	return 1
}

// swing is a robot whose bar, at a height of 0.3 m and 0.8 m long, turns about the middle of the robot.
const swing = `<robot name="swing">
<link name="base"><inertial><mass value="20"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.4 0.2"/></geometry></visual>
<collision><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="bar"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="3" effort="100"/></joint>
<link name="bar"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0.4 0 0"/><geometry><box size="0.8 0.1 0.1"/></geometry></visual></link>
</robot>`

// Laser and depth image measure the bar of a robot where its joint has moved it, above the robot's hull. So does the
// sonar, whose cone also meets the base at 2.5 m.
func TestRaysMeetWhatJointsMove(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "swing.urdf"), []byte(swing), 0o666))
	must.Do(t, os.WriteFile(filepath.Join(dir, "w.toml"), []byte(`name = "w"
field = false
ball = false
physics.engine = "planar"
[[robot]]
name = "swing"
model = "swing.urdf"
drive = { level = "chassis", max_wheel_speed_m_s = 1, max_speed_m_s = 1,
  max_omega_deg_s = 90, max_accel_m_s2 = 1, max_alpha_deg_s2 = 90, wheel_radius_m = 0.05,
  wheel = [{ kind = "standard", y_m = 0.2 }, { kind = "standard", y_m = -0.2 }] }
[[robot]]
name = "watcher"
model = "nubot"
pose = { x_m = 3, heading_deg = 180 }
sensor = [
  { name = "laser", kind = "laser", level = "ideal", mount = { x_m = 0.3, z_m = 0.3 } },
  { name = "sonar", kind = "sonar", level = "truth", mount = { x_m = 0.3, z_m = 0.3 } },
  { name = "depth", kind = "kinect", level = "ideal", mount = { x_m = 0.3, z_m = 0.3, pitch_deg = 0 } },
]
`), 0o666))
	s := simtest.New(t, must.Get(worlds.Load(filepath.Join(dir, "w.toml")))(t), omnipitch.Options{})
	laser, sonar := math.NaN(), math.NaN()
	s.On("watcher", "laser", func(o *sensors.Observation) {
		scan := o.Reading.(*sensors.LaserScan)
		laser = scan.Ranges[len(scan.Ranges)/2]
	})
	s.On("watcher", "sonar", func(o *sensors.Observation) { sonar = o.Reading.(*sensors.SonarReading).Range })
	for _, c := range [][3]float64{{0, 1.9, 1.9}, {math.Pi / 2, 2.65, 2.5}} { // angle, distances of bar and echo
		s.Must(&action.MoveJoint{Robot: "swing", Joint: "turn", Position: &c[0]})
		s.RunFor(2 * time.Second)
		depth := s.Capture("watcher", "depth", abstraction.Ideal).Depth
		must.Near(t, "laser", laser, c[1], 1e-3)
		must.Near(t, "sonar", sonar, c[2], 0.01)
		must.Near(t, "depth", float64(depth.Z[depth.Height/2*depth.Width+depth.Width/2]), c[1], 0.01)
	}
}
