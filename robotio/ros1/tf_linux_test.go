package ros1

import (
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// tfFrame returns a transform, turned by yaw about z, in radians.
func tfFrame(parent, child string, x, y, z, yaw float64) msg.TransformStamped {
	now := time.Now()
	return msg.TransformStamped{Header: msg.Header{FrameID: parent, Stamp: msg.Time{Sec: uint32(now.Unix()),
		Nsec: uint32(now.Nanosecond())}},
		ChildFrameID: child, Transform: msg.Transform{Translation: msg.Vector3{X: x, Y: y, Z: z},
			Rotation: msg.Quaternion{Z: math.Sin(yaw / 2), W: math.Cos(yaw / 2)}}}
}

// tfNode publishes moving frames map → base_link, and the static frame base_link → camera.
func tfNode(t testing.TB, uri string) *Node {
	t.Helper()
	n := newNode(t, uri, "/omnipitch")
	moving := must.Get(Advertise[msg.TFMessage](n, "/tf", "tf2_msgs/TFMessage", PubOptions{}))(t)
	static := must.Get(Advertise[msg.TFMessage](n, "/tf_static", "tf2_msgs/TFMessage", PubOptions{Latch: true}))(t)
	static.Publish(&msg.TFMessage{Transforms: []msg.TransformStamped{tfFrame("base_link", "camera", 0, 0, 0.5, 0)}})
	repeat(t, func() {
		moving.Publish(&msg.TFMessage{Transforms: []msg.TransformStamped{tfFrame("map", "odom", 1, 2, 0, math.Pi/2),
			tfFrame("odom", "base_link", 3, 0, 0, 0)}})
	})
	return n
}

// TestTFEcho uses tf2's buffer as the oracle: it chains our transforms.
func TestTFEcho(t *testing.T) {
	program := needProgram(t, "/usr/lib/tf2_tools/echo.py", "tf2-tools")
	uri := embedded(t)
	tfNode(t, uri)
	// Three metres along odom's x are three metres along the map's y: (1, 2) + (0, 3).
	p := start(t, uri, debianPython, "-u", program, "map", "camera")
	p.says("Translation: [1.000, 5.000, 0.500]")
	p.says("Rotation: in Quaternion [0.000, 0.000, 0.707, 0.707]")
	p.says("90.000")
}

// TestStaticTransformPublisher uses tf2_ros, written with roscpp, as the oracle: we receive its latched transforms, and
// tf2 chains them with ours.
func TestStaticTransformPublisher(t *testing.T) {
	program := needProgram(t, "/usr/lib/tf2_ros/static_transform_publisher", "tf2-tools")
	needModule(t, "tf2_ros", "python3-tf2-ros")
	uri := embedded(t)
	n := tfNode(t, uri)
	start(t, uri, program, "0.1", "0.2", "0.3", "0", "0", "0", "1", "camera", "lens", "__name:=static")
	got := received[msg.TFMessage](t, n, "/tf_static", "tf2_msgs/TFMessage")
	for {
		m := recv(t, got)
		if len(m.Transforms) == 1 && m.Transforms[0].ChildFrameID == "lens" {
			if f := m.Transforms[0]; f.Header.FrameID != "camera" ||
				f.Transform.Translation != (msg.Vector3{X: 0.1, Y: 0.2, Z: 0.3}) || f.Transform.Rotation.W != 1 {
				t.Errorf("got %+v", f)
			}
			break
		}
	}
	p := python(t, uri, `
import rospy, tf2_ros
rospy.init_node('listener')
buffer = tf2_ros.Buffer()
listener = tf2_ros.TransformListener(buffer)
f = buffer.lookup_transform('map', 'lens', rospy.Time(0), rospy.Duration(20)).transform.translation
print('at %.3f %.3f %.3f' % (f.x, f.y, f.z))
`)
	p.says("at 0.800 5.100 0.800")
}
