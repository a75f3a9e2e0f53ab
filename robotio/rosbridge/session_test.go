package rosbridge

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// client is a client that sends and receives JSON.
type client struct{ webtest.Client }

func dial(t testing.TB, s *Server) client {
	t.Helper()
	return client{webtest.Dial(t, s.URL())}
}

// receive waits for a message that contains text and checks that it is JSON.
func (k client) receive(text string) string {
	k.T.Helper()
	b := k.ReceiveText(text)
	if !json.Valid(b) {
		k.T.Errorf("not JSON: %s", b)
	}
	return string(b)
}

// A client's registrations end when it disconnects.
func TestLeave(t *testing.T) {
	uri := webtest.Master(t)
	sim := webtest.Sim(t, uri)
	k := dial(t, newServer(t, uri, web.Config{}))
	k.Send(`{"op":"advertise","topic":"/web/a","type":"std_msgs/msg/Int32"}`)
	k.Send(`{"op":"subscribe","topic":"/odo"}`)
	k.Send(`{"op":"advertise_service","service":"/web/s","type":"std_srvs/Empty"}`)
	k.receive(`"topic":"/odo"`)
	graph := func() *graph.State { return must.Get(sim.Graph(t.Context()))(t) }
	webtest.Until(t, "the client's registrations", func() bool {
		g := graph()
		return len(g.Publishers["/web/a"]) == 1 && len(g.Subscribers["/odo"]) == 1 && len(g.Services["/web/s"]) == 1
	})
	if typ := graph().Types["/web/a"]; typ != "std_msgs/Int32" {
		t.Errorf("type = %s", typ)
	}
	called := make(chan error, 1)
	go func() { _, err := ros1.CallRaw(t.Context(), sim, "/web/s", nil, nil); called <- err }()
	k.receive(`"op":"call_service"`)
	k.Conn.CloseNow()
	must.Fail(t, <-called, "the client has disconnected", "a call that the client left unanswered")
	webtest.Until(t, "them to go", func() bool {
		g := graph()
		return len(g.Publishers["/web/a"])+len(g.Subscribers["/odo"])+len(g.Services["/web/s"]) == 0
	})
}

// A second client receives latched messages, except those of publishers that no longer exist.
func TestLatched(t *testing.T) {
	uri := webtest.Master(t)
	sim := webtest.Sim(t, uri)
	s := newServer(t, uri, web.Config{})
	latch := func(text string) *ros1.Publisher[msg.String] {
		p := must.Get(ros1.Advertise[msg.String](sim, "/state", "std_msgs/String", ros1.PubOptions{Latch: true}))(t)
		p.Publish(&msg.String{Data: text})
		return p
	}
	old := latch("old")
	first, second, third := dial(t, s), dial(t, s), dial(t, s)
	first.Send(`{"op":"subscribe","topic":"/state"}`)
	first.receive(`"old"`)
	second.Send(`{"op":"subscribe","topic":"/state"}`)
	second.receive(`"old"`)
	must.Do(t, old.Close())
	third.Send(`{"op":"subscribe","topic":"/state"}`)
	third.Send(`{"op":"subscribe","topic":"/odo"}`)
	third.receive(`"/odo"`)
	latch("new")
	if m := third.receive(`"/state"`); !strings.Contains(m, `"new"`) {
		t.Errorf("got %s of a publisher that has gone", m)
	}
}

// A message has the name that the client subscribed to, and relative and absolute names mean the same topic.
func TestRelativeNames(t *testing.T) {
	uri := webtest.Master(t)
	webtest.Sim(t, uri)
	s := newServer(t, uri, web.Config{})
	k, other := dial(t, s), dial(t, s)
	k.Send(`{"op":"subscribe","topic":"odo","type":"nubot_common/OdoInfo"}`)
	k.receive(`"topic":"odo"`)
	k.Send(`{"op":"subscribe","topic":"odo/","id":"x","type":"std_msgs/String"}`)
	k.receive(`must be nubot_common/OdoInfo, the type of its publisher`)
	k.Send(`{"op":"advertise","topic":"cmd","type":"nubot_common/OdoInfo"}`)
	k.Send(`{"op":"subscribe","topic":"/echo"}`)
	other.Send(`{"op":"publish","topic":"/cmd","msg":{"Vx":4.25}}`)
	k.receive(`"Vx":4.25`)
}

// A client cannot exceed its limits.
func TestLimits(t *testing.T) {
	uri := webtest.Master(t)
	sim := webtest.Sim(t, uri)
	release := make(chan struct{})
	must.Get(ros1.Serve(sim, "/slow", "nubot_common/Shoot", func(ctx context.Context,
		_ *msg.ShootRequest) (*msg.ShootResponse, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return &msg.ShootResponse{}, nil
	}))(t)
	k := dial(t, newServer(t, uri, web.Config{Limits: web.Limits{Subscriptions: 2, Calls: 2}}))
	k.Send(`{"op":"subscribe","topic":"/a"}`)
	k.Send(`{"op":"subscribe","topic":"/b"}`)
	k.Send(`{"op":"subscribe","topic":"/c","id":"three"}`)
	if s := k.receive(`"id":"three"`); !strings.Contains(s, "the client subscribes to 2 topics: must be at most 2") {
		t.Error(s)
	}
	for range 2 {
		k.Send(`{"op":"call_service","service":"/slow","id":"slow"}`)
	}
	k.Send(`{"op":"call_service","service":"/Shoot","id":"third"}`)
	if s := k.receive(`"id":"third"`); !strings.Contains(s, "2 calls are in progress: must be at most 2") {
		t.Error(s)
	}
	k.Send(`{"op":"subscribe","topic":"/b","id":"again"}`) // slow calls keep nothing else waiting
	k.Send(`{"op":"unsubscribe","topic":"/a"}`)
	close(release)
	k.receive(`"id":"slow"`)
	k.receive(`"id":"slow"`)
}

// Several subscriptions of a topic combine to the most demanding options, as in rosbridge_suite.
func TestMerge(t *testing.T) {
	uri := webtest.Master(t)
	webtest.Sim(t, uri)
	k := dial(t, newServer(t, uri, web.Config{}))
	k.Send(`{"op":"subscribe","topic":"/fast","id":"slow","throttle_rate":3600000}`)
	k.receive(`"topic":"/fast"`)
	k.Send(`{"op":"subscribe","topic":"/fast","id":"fast","compression":"png"}`)
	for range 3 {
		k.receive(`"op":"png"`)
	}
	k.Send(`{"op":"unsubscribe","topic":"/fast","id":"none"}`)
	k.receive(`no such subscription`)
	k.Send(`{"op":"unsubscribe","topic":"/fast"}`)
	k.Send(`{"op":"unsubscribe","topic":"/fast"}`)
	k.receive(`is not subscribed to`)
}

// A type that only a rospy program knows is converted to JSON with the definition from that program.
func TestForeignTypes(t *testing.T) {
	const python = "/usr/bin/python3"
	if testing.Short() || exec.Command(python, "-c", "import rospy").Run() != nil {
		t.Skip("no rospy: apt-get install ros-base python3-rospy")
	}
	uri := webtest.Master(t)
	s := newServer(t, uri, web.Config{})
	if _, err := s.Node.MessageType("rosgraph_msgs/TopicStatistics"); err == nil {
		t.Fatal("the library knows the type")
	}
	cmd := exec.Command(python, "-c", `
import rospy
from rosgraph_msgs.msg import TopicStatistics
rospy.init_node('talker', disable_signals=True)
rospy.Subscriber('/back', TopicStatistics, lambda m: print('got', m.topic, m.traffic, m.window_stop.to_nsec(), flush=True))
pub = rospy.Publisher('/stats', TopicStatistics, latch=True, queue_size=1)
pub.publish(TopicStatistics(topic='x', traffic=-3, window_start=rospy.Time(1, 2), period_mean=rospy.Duration(-1, 5), stamp_age_mean=rospy.Duration(0.5)))
rospy.spin()
`)
	cmd.Env = append(cmd.Environ(), "ROS_MASTER_URI="+uri, "ROS_IP=127.0.0.1", "ROS_LOG_DIR="+t.TempDir(),
		"PYTHONWARNINGS=ignore")
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	k := dial(t, s)
	k.Send(`{"op":"subscribe","topic":"/stats","type":"rosgraph_msgs/TopicStatistics"}`)
	m := k.receive(`"topic":"/stats"`)
	for _, want := range []string{`"topic":"x"`, `"traffic":-3`, `"window_start":{"secs":1,"nsecs":2}`,
		`"period_mean":{"secs":-1,"nsecs":5}`} {
		if !strings.Contains(m, want) {
			t.Errorf("%s lacks %s", m, want)
		}
	}
	k.Send(`{"op":"call_service","id":"details","service":"/rosapi/message_details","args":{"type":"rosgraph_msgs/TopicStatistics"}}`)
	if d := k.receive(`"id":"details"`); !strings.Contains(d, `"window_start"`) {
		t.Error(d)
	}
	k.Send(`{"op":"publish","topic":"/back","type":"rosgraph_msgs/TopicStatistics","msg":{"topic":"y","traffic":7,"window_stop":{"secs":3}}}`)
	line := must.Get(bufio.NewReader(out).ReadString('\n'))(t)
	if line != "got y 7 3000000000\n" {
		t.Errorf("rospy says %q", line)
	}
}

// newServer starts a server that allows the origin https://good.example.
func newServer(t testing.TB, uri string, cfg web.Config) *Server {
	t.Helper()
	cfg.Addr, cfg.Access.Origins = "127.0.0.1:0", []string{"https://good.example"}
	s := must.Get(Listen(webtest.Node(t, uri, "/rosbridge"), cfg))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

// Neither disconnected clients nor a closed server leave goroutines behind.
func TestNothingIsLeft(t *testing.T) {
	uri := webtest.Master(t)
	webtest.Sim(t, uri)
	before := runtime.NumGoroutine()
	s := newServer(t, uri, web.Config{})
	for range 30 {
		k := dial(t, s)
		k.Send(`{"op":"subscribe","topic":"/image"}`)
		k.Send(`{"op":"subscribe","topic":"/fast","throttle_rate":60000}`)
		k.Send(`{"op":"advertise","topic":"/cmd","type":"nubot_common/OdoInfo"}`)
		k.Send(`{"op":"advertise_service","service":"/web/s","type":"std_srvs/Empty"}`)
		k.Send(`{"op":"call_service","service":"/Shoot","id":"x"}`)
		k.receive(`"/image"`)
		k.Conn.CloseNow()
	}
	must.Do(t, s.Close())
	must.Do(t, s.Node.Close())
	webtest.Until(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

// Next to clients that flood, send garbage, never read, and request too much, a normal client gets every answer and its
// images, and the graph keeps working.
func TestBadCompany(t *testing.T) {
	uri := webtest.Master(t)
	webtest.Sim(t, uri)
	s := newServer(t, uri, web.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	bad := func(texts ...string) {
		k := dial(t, s)
		wait.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				if k.Conn.Write(ctx, websocket.MessageText, []byte(texts[i%len(texts)])) != nil {
					return // closed, as it deserves
				}
			}
		})
	}
	bad("{", "[]", `{"op":5}`, `{"op":"publish"}`, strings.Repeat("[", 1<<16))
	bad(`{"op":"subscribe","topic":"/image"}`, `{"op":"unsubscribe","topic":"/image"}`)
	bad(`{"op":"subscribe","topic":"/image"}`, `{"op":"call_service","service":"/rosapi/topics"}`)
	bad(`{"op":"call_service","service":"/nobody"}`)
	bad(`{"op":"publish","topic":"/flood","type":"std_msgs/String","msg":{"data":"` + strings.Repeat("x", 1<<16) +
		`"}}`)
	bad(`{"op":"fragment","id":"1","data":"x","num":0,"total":65536}`,
		`{"op":"fragment","id":"2","data":"x","num":0,"total":65536}`)
	deaf := dial(t, s)
	deaf.Send(`{"op":"subscribe","topic":"/image","compression":"png"}`)
	good := dial(t, s)
	good.Send(`{"op":"subscribe","topic":"/image","queue_length":2}`)
	for i := range 10 {
		good.Send(`{"op":"call_service","id":"call %d","service":"/Shoot","args":{"strength":%d}}`, i, i)
		if got := good.receive(fmt.Sprintf(`"id":"call %d"`, i)); !strings.Contains(got, fmt.Sprintf(`"ShootIsDone":%d`,
			i)) {
			t.Error(got)
		}
		good.receive(`"topic":"/image"`)
	}
	cancel()
	wait.Wait()
}

// TestRoslib runs the checks with npm's roslib in testdata/web/rosbridge.mjs.
func TestRoslib(t *testing.T) {
	uri := webtest.Master(t)
	sim := webtest.Sim(t, uri)
	p := webtest.Start(t, "rosbridge.mjs", newServer(t, uri, web.Config{}).URL())
	p.Prints("serving /web/switch")
	answer := must.Get(ros1.CallRaw(t.Context(), sim, "/web/switch", nil, []byte{0}))(t)
	if want := "\x00\x0b\x00\x00\x00it is false"; string(answer) != want {
		t.Errorf("a node of the graph called the page's service: %q, want %q", answer, want)
	}
	served := must.Get(ros1.Advertise[msg.Int32](sim, "/served", "std_msgs/Int32", ros1.PubOptions{Latch: true}))(t)
	served.Publish(&msg.Int32{})
	p.End()
}
