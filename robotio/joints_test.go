package robotio

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// The topics robot_description and joint_states agree about the names of joints, as robot_state_publisher needs them.
func TestJointsOfURDF(t *testing.T) {
	r := rigOf(t, "scouts", nil)
	joints := subscribe[msg.JointState](r, "/scout2/joint_states", "sensor_msgs/JointState")
	position := 0.5
	r.do(&action.MoveJoint{Robot: "scout2", Joint: "camera_joint", Position: &position})
	var m *msg.JointState
	r.until("the camera to turn", func() bool {
		m = joints.newest()
		if m == nil {
			return false
		}
		i := slices.Index(m.Name, "camera_joint")
		return i >= 0 && math.Abs(m.Position[i]-position) < 0.01
	})
	text := receive[msg.String](r, "/scout2/robot_description", "std_msgs/String").Data
	for _, name := range m.Name {
		if !strings.Contains(text, `<joint name="`+name+`"`) {
			t.Errorf("joint %q is not in the description", name)
		}
	}
	if len(m.Name) != 3 || len(m.Position) != 3 || len(m.Velocity) != 3 {
		t.Errorf("got %+v, want two wheels and a camera", m)
	}
}
