//go:build cgo

package omnipitch_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

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
