package robotio

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// The topics robot_description and joint_states agree about the names of joints, as robot_state_publisher needs them.
// joint_states has the readings of a sensor of kind joints, at its level, or else the true state.
func TestJointsOfURDF(t *testing.T) {
	for name, level := range map[string]abstraction.Level{"raw": abstraction.Raw, "ideal": abstraction.Ideal,
		"no": ""} {
		t.Run(name+" sensor", func(t *testing.T) {
			r := rigOf(t, "scouts", func(w *worlds.World) {
				all := w.Robots[1].Sensors
				i := slices.IndexFunc(all, func(c sensors.Config) bool { return c.Kind == "joints" })
				if level == "" {
					w.Robots[1].Sensors = slices.Delete(all, i, i+1)
				} else {
					all[i].Level = level
				}
			})
			joints := subscribe[msg.JointState](r, "/scout2/joint_states", "sensor_msgs/JointState")
			position := 0.5
			r.do(&action.MoveJoint{Robot: "scout2", Joint: "camera_joint", Position: &position})
			var m *msg.JointState
			camera := 0
			r.until("the camera to turn", func() bool {
				m = joints.newest()
				if m == nil {
					return false
				}
				camera = slices.Index(m.Name, "camera_joint")
				return camera >= 0 && math.Abs(m.Position[camera]-position) < 0.01 && math.Abs(m.Velocity[camera]) < 0.2
			})
			text := receive[msg.String](r, "/scout2/robot_description", "std_msgs/String").Data
			for _, name := range m.Name {
				if !strings.Contains(text, `<joint name="`+name+`"`) {
					t.Errorf("joint %q is not in the description", name)
				}
			}
			efforts := 3
			if level == "" {
				efforts = 0
			}
			if len(m.Name) != 3 || len(m.Position) != 3 || len(m.Velocity) != 3 || len(m.Effort) != efforts {
				t.Errorf("got %+v, want two wheels and a camera, with %d efforts", m, efforts)
			}
			ticks := m.Position[camera] * 4096 / (2 * math.Pi)
			if whole := math.Abs(ticks-math.Round(ticks)) < 1e-6; whole != (level == abstraction.Raw) {
				t.Errorf("the camera is at %v ticks: must be whole at raw only", ticks)
			}
		})
	}
}
