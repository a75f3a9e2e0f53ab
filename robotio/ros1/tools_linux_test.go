package ros1

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// repeat calls f every few milliseconds until the test ends.
func repeat(t testing.TB, f func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				f()
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
}

// These are the request and response of roscpp/SetLoggerLevel, a service with fields that Debian's Python knows.
type setLevelRequest struct{ Logger, Level string }
type setLevelResponse struct{}

func setNothing(context.Context, *setLevelRequest) (*setLevelResponse, error) { return nil, nil }

func peerTypes(t testing.TB) *msg.Library {
	lib := must.Get(msg.Load("nubot"))(t)
	must.Do(t, lib.AddService("roscpp/SetLoggerLevel", "string logger\nstring level\n---\n"))
	return lib
}

func newPeerNode(t testing.TB, uri, name string) *Node {
	t.Helper()
	n := must.Get(NewNode(NodeConfig{Name: name, MasterURI: uri, Types: peerTypes(t), Log: testLog(t)}))(t)
	t.Cleanup(func() { n.Close() })
	return n
}

// TestTools uses ROS's command line tools as the oracle, with our node and each master.
func TestTools(t *testing.T) {
	withMasters(t, func(t *testing.T, uri string) {
		n := newPeerNode(t, uri, "/omnipitch")
		pub := must.Get(Advertise[msg.Twist](n, "/t", "geometry_msgs/Twist", PubOptions{}))(t)
		repeat(t, func() { pub.Publish(&msg.Twist{Linear: msg.Vector3{X: 1.25}}) })
		got := make(chan string, 100)
		must.Get(Subscribe(n, "/in", "std_msgs/String", func(m *msg.String) { got <- m.Data }))(t)
		levels := make(chan string, 100)
		must.Get(Serve(n, "/set", "roscpp/SetLoggerLevel", func(_ context.Context,
			r *setLevelRequest) (*setLevelResponse,
			error) {
			levels <- r.Logger + "=" + r.Level
			return nil, nil
		}))(t)

		wantAll(t, "rostopic list", run(t, uri, "rostopic", "list", "-v"), "* /t [geometry_msgs/Twist] 1 publisher",
			"* /in [std_msgs/String] 1 subscriber")
		wantAll(t, "rostopic info", run(t, uri, "rostopic", "info", "/t"), "Type: geometry_msgs/Twist",
			"* /omnipitch ("+n.URI()+")")
		if out := run(t, uri, "rostopic", "echo", "-n", "3", "/t"); strings.Count(out, "x: 1.25") != 3 {
			t.Errorf("rostopic echo: %s", out)
		}
		hz := start(t, uri, "rostopic", "hz", "/t")
		hz.says("average rate")
		hz.signal(syscall.SIGINT)
		// With -1 the tool latches for three seconds and ends. The message is received once.
		run(t, uri, "rostopic", "pub", "-1", "/in", "std_msgs/String", "data: grüße <&>")
		must.Equal(t, recv(t, got), "grüße <&>", "rostopic pub")
		wantAll(t, "rosnode list", run(t, uri, "rosnode", "list"), "/omnipitch")
		wantAll(t, "rosnode info", run(t, uri, "rosnode", "info", "/omnipitch"), "* /t [geometry_msgs/Twist]",
			"* /in [", "* /set", "Pid: ")
		wantAll(t, "rosnode ping", run(t, uri, "rosnode", "ping", "-c", "2", "/omnipitch"), "ping average:")
		wantAll(t, "rosservice list", run(t, uri, "rosservice", "list"), "/set")
		wantAll(t, "rosservice type", run(t, uri, "rosservice", "type", "/set"), "roscpp/SetLoggerLevel")
		wantAll(t, "rosservice info", run(t, uri, "rosservice", "info", "/set"), "Node: /omnipitch",
			"Args: logger level")
		run(t, uri, "rosservice", "call", "/set", "{logger: a, level: b}")
		must.Equal(t, recv(t, levels), "a=b", "rosservice call")
		run(t, uri, "rosnode", "kill", "/omnipitch")
		select {
		case <-n.Done():
		case <-time.After(deadline):
			t.Error("rosnode kill: the node lives")
		}
	})
}

func TestParamTools(t *testing.T) {
	uri := embedded(t)
	n := newPeerNode(t, uri, "/omnipitch")
	run(t, uri, "rosparam", "set", "/cyan/prefix", "cyan")
	if v, err := n.GetParam("/cyan/prefix"); v != "cyan" || err != nil {
		t.Errorf("rosparam set: %v, %v", v, err)
	}
	file := filepath.Join(t.TempDir(), "p.yaml")
	must.Do(t, os.WriteFile(file, []byte("field: {length: 1800, width: 1200.5}\nnames: [a, 'b c']\nsim: "+
		"true\ntext: \"x\\ny\"\n"), 0o600))
	run(t, uri, "rosparam", "load", file, "/ns")
	if v, err := n.GetParam("/ns/field/width"); v != 1200.5 || err != nil {
		t.Errorf("rosparam load: %v, %v", v, err)
	}
	must.Do(t, n.SetParam("/use_sim_time", true))
	wantAll(t, "rosparam list", run(t, uri, "rosparam", "list"), "/cyan/prefix", "/ns/field/length", "/ns/names",
		"/use_sim_time")
	wantAll(t, "rosparam get", run(t, uri, "rosparam", "get", "/use_sim_time"), "true")
	wantAll(t, "rosparam get", run(t, uri, "rosparam", "get", "/ns"), "length: 1800", "width: 1200.5", "- b c")
	run(t, uri, "rosparam", "delete", "/ns/field")
	if has, err := n.HasParam("/ns/field/width"); has || err != nil {
		t.Errorf("rosparam delete: %v, %v", has, err)
	}
}

// TestRoslaunch uses roslaunch as the oracle: it joins the running master, sets parameters in one multicall, and starts
// nodes.
func TestRoslaunch(t *testing.T) {
	withMasters(t, func(t *testing.T, uri string) {
		n := newPeerNode(t, uri, "/omnipitch")
		file := filepath.Join(t.TempDir(), "x.launch")
		must.Do(t, os.WriteFile(file, []byte(`<launch><param name="/x" value="3"/><group ns="cyan1">
			<node pkg="rosout" type="rosout" name="mine">
			<param name="y" value="z"/></node></group></launch>`), 0o600))
		p := start(t, uri, "roslaunch", file)
		must.Until(t, "the launched node", func() bool {
			select {
			case <-p.done:
				t.Fatalf("roslaunch ended: %v", p.err)
			default:
			}
			_, err := n.callMaster(t.Context(), "lookupNode", "/cyan1/mine")
			return err == nil
		})
		if x, err := n.GetParam("/x"); x != 3 || err != nil {
			t.Errorf("/x = %v, %v", x, err)
		}
		if y, err := n.GetParam("/cyan1/mine/y"); y != "z" || err != nil {
			t.Errorf("~y = %v, %v", y, err)
		}
		p.signal(syscall.SIGINT)
		if _, err := p.end(); err != nil {
			t.Logf("roslaunch: %v", err) // its exit code is not documented
		}
	})
}

// TestRosbagPlay uses rosbag record and play, written with roscpp, as the oracle: our messages come back unchanged,
// including those of a type unknown to Debian and a latched one.
func TestRosbagPlay(t *testing.T) {
	uri := embedded(t)
	n := newPeerNode(t, uri, "/omnipitch")
	odo := must.Get(Advertise[msg.OdoInfo](n, "/odo", "nubot_common/OdoInfo", PubOptions{Queue: 100}))(t)
	text := must.Get(Advertise[msg.String](n, "/text", "std_msgs/String", PubOptions{Latch: true, Queue: 100}))(t)
	text.Publish(&msg.String{Data: "grüße 0"})
	bag := filepath.Join(t.TempDir(), "x.bag")
	const count = 50 // on each topic
	p := start(t, uri, "/usr/bin/rosbag", "record", "--limit=50", "-O", bag, "/odo", "/text")
	must.Until(t, "rosbag to subscribe", func() bool { return odo.NumSubscribers() == 1 && text.NumSubscribers() == 1 })
	for i := range count {
		if i > 0 { // there is the latched one
			text.Publish(&msg.String{Data: fmt.Sprint("grüße ", i)})
		}
		odo.Publish(&msg.OdoInfo{Header: msg.Header{FrameID: "base"}, Vx: float32(i), PowerState: i%2 == 0})
	}
	if out, err := p.end(); err != nil {
		t.Fatalf("rosbag record: %v\n%s", err, out)
	}
	wantAll(t, "rosbag info", run(t, uri, "/usr/bin/rosbag", "info", bag), "nubot_common/OdoInfo",
		"b4f534aa8c080899ef112a410cc2c113", "50 msgs", "std_msgs/String")
	run(t, uri, "/usr/bin/rosbag", "check", bag)

	must.Do(t, errors.Join(odo.Close(), text.Close()))
	got, again := make(chan *msg.OdoInfo, 100), make(chan string, 100)
	must.Get(Subscribe(n, "/odo", "nubot_common/OdoInfo", func(m *msg.OdoInfo) { got <- m }))(t)
	must.Get(Subscribe(n, "/text", "std_msgs/String", func(m *msg.String) { again <- m.Data }))(t)
	// Its own delay before the first message is there for subscribers to find it.
	run(t, uri, "/usr/bin/rosbag", "play", "--quiet", "--delay=0.5", bag)
	for i := range count {
		if s := recv(t, again); s != fmt.Sprint("grüße ", i) {
			t.Fatalf("text %d = %q", i, s)
		}
		if m := recv(t, got); m.Vx != float32(i) || m.Header.FrameID != "base" || m.PowerState != (i%2 == 0) ||
			m.Header.Seq != uint32(i+1) {
			t.Fatalf("message %d = %+v", i, m)
		}
	}
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
