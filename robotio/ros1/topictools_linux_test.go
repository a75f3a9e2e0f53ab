package ros1

import (
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestMux trusts topic_tools' mux: it forwards the chosen one of two topics of ours, of a type that it does not know.
func TestMux(t *testing.T) {
	program := needProgram(t, "/usr/lib/topic_tools/mux", "topic-tools")
	needModule(t, "topic_tools.srv", "python3-topic-tools")
	uri := embedded(t)
	n := newNode(t, uri, "/omnipitch")
	for i, topic := range []string{"/a", "/b"} {
		pub := must.Get(Advertise[msg.VelCmd](n, topic, "nubot_common/VelCmd", PubOptions{}))(t)
		repeat(t, func() { pub.Publish(&msg.VelCmd{Vx: float32(i + 1)}) })
	}
	start(t, uri, program, "/out", "/a", "/b", "__name:=mux")
	got := make(chan float32, 10000)
	must.Get(Subscribe(n, "/out", "nubot_common/VelCmd", func(m *msg.VelCmd) { got <- m.Vx }))(t)
	for recv(t, got) != 1 {
		continue
	}
	run(t, uri, "/usr/lib/topic_tools/mux_select", "mux", "/b")
	must.Until(t, "the other topic", func() bool { return recv(t, got) == 2 })
	wantAll(t, "mux_list", run(t, uri, "/usr/lib/topic_tools/mux_list", "mux"), "/a", "/b")
}

// TestTransform trusts topic_tools' transform, rospy: it reads one field of ours into a message of another type.
func TestTransform(t *testing.T) {
	program := needProgram(t, "/usr/lib/topic_tools/transform", "topic-tools")
	uri := embedded(t)
	n := newNode(t, uri, "/omnipitch")
	pub := must.Get(Advertise[msg.Twist](n, "/twist", "geometry_msgs/Twist", PubOptions{}))(t)
	repeat(t, func() { pub.Publish(&msg.Twist{Linear: msg.Vector3{X: 3, Y: 4}}) })
	start(t, uri, program, "/twist/linear", "/speed", "std_msgs/Float64", "(m.x**2 + m.y**2)**0.5")
	got := make(chan float64, 1000)
	must.Get(Subscribe(n, "/speed", "std_msgs/Float64", func(m *msg.Float64) { got <- m.Data }))(t)
	must.Equal(t, recv(t, got), 5, "received")
}

// TestRostopicMeasures trusts rostopic bw and delay on topics of ours.
func TestRostopicMeasures(t *testing.T) {
	uri := embedded(t)
	n := newNode(t, uri, "/omnipitch")
	pub := must.Get(Advertise[msg.PoseStamped](n, "/pose", "geometry_msgs/PoseStamped", PubOptions{}))(t)
	repeat(t, func() {
		// A quarter of a second ago, by the clock of the machine, which rostopic compares with.
		then := time.Now().Add(-250 * time.Millisecond)
		pub.Publish(&msg.PoseStamped{Header: msg.Header{Stamp: msg.Time{Sec: uint32(then.Unix()),
			Nsec: uint32(then.Nanosecond())}}})
	})
	bw := start(t, uri, "rostopic", "bw", "/pose")
	delay := start(t, uri, "rostopic", "delay", "/pose")
	bw.says("mean: 0.07KB") // 16 bytes of header and 7 float64
	delay.says("average delay: 0.2")
}

// TestRosTools trusts the rest of ROS's command line tools, as far as they look at nodes, topics, services and
// parameters of ours.
func TestRosTools(t *testing.T) {
	uri := embedded(t)
	n := newPeerNode(t, uri, "/omnipitch")
	must.Get(Advertise[msg.Int32](n, "/t", "std_msgs/Int32", PubOptions{}))(t)
	must.Get(Serve(n, "/set", "roscpp/SetLoggerLevel", setNothing))(t)
	must.Do(t, n.SetParam("/a/b", []any{1, 2.5, "x", true}))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"rostopic", "type", "/t"}, []string{"std_msgs/Int32"}},
		{[]string{"rostopic", "find", "std_msgs/Int32"}, []string{"/t"}},
		{[]string{"rosservice", "args", "/set"}, []string{"logger level"}},
		{[]string{"rosservice", "node", "/set"}, []string{"/omnipitch"}},
		{[]string{"rosservice", "find", "roscpp/SetLoggerLevel"}, []string{"/set"}},
		{[]string{"rosservice", "uri", "/set"}, []string{n.serviceURI()}},
		{[]string{"rosnode", "machine", "127.0.0.1"}, []string{"/omnipitch"}},
		{[]string{"rosparam", "dump"}, []string{"a:", "- 2.5", "- x", "- true"}},
		{[]string{"rosparam", "get", "-p", "/a"}, []string{"2.5"}},
	} {
		wantAll(t, strings.Join(c.args, " "), run(t, uri, c.args...), c.want...)
	}
}
