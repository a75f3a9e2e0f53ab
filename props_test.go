//go:build cgo

package omnipitch_test

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/models"
	"github.com/omnipitch/omnipitch/render/shapes"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// doorWorld returns a world with a door 1.8 m in front of a robot with all sensors for distances, and a ball behind it.
func doorWorld(t *testing.T, keys string) *worlds.World {
	t.Helper()
	var s render.Scene
	s.Add("door", &render.Group{Meshes: []render.Mesh{shapes.Box(0.04, 1.6, 2)}, Materials: []render.Material{{}},
		Parts: []render.Part{{PoseBP: spatial.Identity()}}})
	data := must.Get(models.Write(&s, []spatial.Pose{spatial.Identity()}))(t)
	folder := must.Dir(t, map[string]string{"door.glb": string(data), "world.toml": `name = "door"
[ball]
x_m = 3
y_m = 0.6
[[robot]]
name = "cyan1"
model = "nubot"
pose = { x_m = 0, y_m = 0 }
  [[robot.sensor]]
  name = "depth"
  kind = "kinect"
  level = "ideal"
  mount = { x_m = 0, z_m = 0.85, pitch_deg = 0 }
  [[robot.sensor]]
  name = "laser"
  kind = "laser"
  level = "ideal"
  mount = { z_m = 0.28 }
  [[robot.sensor]]
  name = "sonar"
  kind = "sonar"
  level = "truth"
  mount = { x_m = 0.2, z_m = 0.3 }
  [[robot.sensor]]
  name = "bumper"
  kind = "bumper"
  level = "truth"
[[prop]]
name = "door"
file = "door.glb"
hang = { x_m = 1.82, z_m = 1 }
` + keys})
	return must.Get(worlds.Load(filepath.Join(folder, "world.toml")))(t)
}

// A door stops the robot that drives at it, and all its sensors measure the same distance to it. Without collides, only
// the camera sees it.
func TestAllSensorsMeetADoor(t *testing.T) {
	for name, c := range map[string]struct {
		keys     string
		collides bool
	}{"collides": {"", true}, "does not collide": {"collides = false", false}} {
		for _, engine := range []string{"ode", "planar"} {
			t.Run(engine+", "+name, func(t *testing.T) {
				w := doorWorld(t, c.keys)
				w.Physics.Engine = engine
				s := simtest.New(t, w, omnipitch.Options{})
				depth := s.Capture("cyan1", "depth", abstraction.Ideal).Depth
				must.Near(t, "depth image", float64(depth.Z[depth.Height/2*depth.Width+depth.Width/2]), 1.8, 1e-3)
				var laser, sonar float64
				bumped := false
				s.On("cyan1", "laser", func(o *sensors.Observation) {
					scan := o.Reading.(*sensors.LaserScan)
					laser = scan.Ranges[len(scan.Ranges)/2]
				})
				s.On("cyan1", "sonar", func(o *sensors.Observation) { sonar = o.Reading.(*sensors.SonarReading).Range })
				s.On("cyan1", "bumper", func(o *sensors.Observation) {
					bumped = bumped || o.Reading.(*sensors.BumperReading).Touched
				})
				s.Steps(20)
				objects := s.Capture("cyan1", "omni", abstraction.Objects).Objects
				ball, door := false, false
				for _, d := range objects.Detections {
					ball, door = ball || d.Kind == abstraction.BallKind, door || d.Name == "door"
				}
				if ball == c.collides || door != c.collides {
					t.Errorf("objects: ball %v, door %v, want %v, %v", ball, door, !c.collides, c.collides)
				}
				if c.collides {
					must.Near(t, "laser", laser, 1.8, 1e-3)
					must.Near(t, "sonar", sonar, 1.6, 1e-3)
				} else if !(laser > 5) || !math.IsInf(sonar, 1) {
					t.Errorf("laser %v m, sonar %v m, want the boards and nothing", laser, sonar)
				}
				s.Must(&action.Drive{Robot: "cyan1", VX: 1})
				s.Until(4 * time.Second)
				x := s.Truth().Robots[0].PoseWB.Pos[0]
				if c.collides {
					must.Near(t, "x of the robot", x, 1.8-w.Robots[0].Body.Radius, 0.01)
				} else if !(x > 2.5) {
					t.Errorf("x = %v m, want the robot behind the door", x)
				}
				must.Equal(t, bumped, c.collides, "the bumper was pressed")
			})
		}
	}
}

// A prop around a robot's place is an error, and it names the remedy.
func TestRobotsDoNotStartInProps(t *testing.T) {
	w := doorWorld(t, "")
	w.Robots[0].Pose.X = 1.9
	must.Fail(t, w.Validate(), "robot[0].pose: must not overlap with prop[0], unless that has collides = false")
}
