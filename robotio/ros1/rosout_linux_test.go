package ros1

import (
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/internal/rosout"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1/graph"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// rosoutReader prints the log that rospy receives, and sets and reads levels with the module behind rosconsole and
// rqt_logger_level.
const rosoutReader = `
import rospy, sys
from rosgraph_msgs.msg import Log
from rospy.logger_level_service_caller import LoggerLevelServiceCaller
rospy.init_node('reader')
rospy.Subscriber(sys.argv[1], Log, lambda m: m.name == '/ns/n' and print(
    'log', m.level, m.msg, m.file.split('/')[-1], m.function.split('.')[-1], m.line > 0, m.topics,
    m.header.stamp.to_sec() > 1e9))
levels = LoggerLevelServiceCaller()
print('nodes', levels.get_node_names())
print('loggers', sorted(levels.get_loggers('/ns/n')))
levels.send_logger_change_message('/ns/n', 'ros', 'Warn')
levels.get_loggers('/ns/n')
print('now', levels._current_levels)
from roscpp.srv import SetLoggerLevel
for words in (('none', 'warn'), ('ros', 'loud')):
    try: rospy.ServiceProxy('/ns/n/set_logger_level', SetLoggerLevel)(*words)
    except rospy.ServiceException as e: print('refused', e)
print('ready')
rospy.spin()
`

// TestRosoutNode uses rospy as the oracle: it reads our node's log, relayed by either master's /rosout, and sets its
// levels.
func TestRosoutNode(t *testing.T) {
	needROS(t)
	m := must.Get(ListenMaster(MasterConfig{Addr: "127.0.0.1:0", Rosout: true}))(t)
	defer m.Close()
	n := must.Get(NewNode(NodeConfig{Name: "/ns/n", MasterURI: m.URI(), Rosout: true, Log: testLog(t)}))(t)
	defer n.Close()
	must.Get(Advertise[msg.Int32](n, "t", "std_msgs/Int32", PubOptions{}))(t)
	log := n.Logger()
	p := python(t, m.URI(), rosoutReader, "/rosout_agg")
	p.says("ready")
	wantAll(t, "levels", p.output(), "'/ns/n'", "loggers ['ros', 'ros.node']", "'ros': 'warn'",
		`logger = "none": must be one of ros, ros.node`, `level = "loud": must be debug, info`)
	// /rosout_agg does not latch, so the log is written until it is read.
	must.Until(t, "rospy to read the log", func() bool {
		log.Debug("hidden")
		log.Info("hidden", "level", "info")
		log.With("a", 1).WithGroup("g").Warn("low battery", "volt", 10.5)
		log.Error("stuck")
		log.Log(t.Context(), rosout.LevelFatal, "over")
		return strings.Contains(p.output(), "over")
	})
	wantAll(t, "log", p.output(), "log 4 low battery a=1 g.volt=10.5 rosout_linux_test.go func1 True ['/ns/t', "+
		"'/rosout'] True",
		"log 8 stuck ", "log 16 over ")
	if strings.Contains(p.output(), "hidden") {
		t.Error("info was published at level warn")
	}
}

// TestRosoutRecord checks the message of a log record, and that the record reaches the caller's own log as well.
func TestRosoutRecord(t *testing.T) {
	var own strings.Builder
	m := newMaster(t)
	n := must.Get(NewNode(NodeConfig{Name: "n", MasterURI: m.URI(), Rosout: true,
		Log: slog.New(slog.NewTextHandler(&own, nil))}))(t)
	defer n.Close()
	reader := newNode(t, m.URI(), "/reader")
	got := received[msg.Log](t, reader, "/rosout", "rosgraph_msgs/Log")
	n.Logger().WithGroup("g").Info("hello", "k", "v w")
	_, file, line, _ := runtime.Caller(0)
	l := recv(t, got) // latched
	want := &msg.Log{Header: l.Header, Level: msg.LogInfo, Name: "/n", Msg: `hello g.k="v w"`, File: file,
		Line:     uint32(line - 1),
		Function: "github.com/omnipitch/omnipitch/robotio/ros1.TestRosoutRecord", Topics: []string{"/rosout"}}
	must.Equal(t, l, want, "l")
	if filepath.Base(l.File) != "rosout_linux_test.go" || l.Header.Stamp.Sec == 0 {
		t.Errorf("%+v", l)
	}
	if !strings.Contains(own.String(), `msg=hello g.k="v w"`) {
		t.Errorf("the caller's own log: %s", own.String())
	}
	for name, level := range map[string]slog.Level{"debug": -4, "info": 0, "warn": 7, "error": 8, "fatal": 100} {
		if got, _ := rosout.Level(level); got != name {
			t.Errorf("level %v is %s, want %s", level, got, name)
		}
	}
	// The messages of this package are published, too.
	must.Get(Call[msg.SetLoggerLevelRequest, msg.SetLoggerLevelResponse](t.Context(), reader, "/n/set_logger_level",
		"roscpp/SetLoggerLevel",
		&msg.SetLoggerLevelRequest{Logger: "ros.node", Level: "DEBUG"}))(t)
	must.Get(Subscribe(reader, "/t", "std_msgs/Int32", func(*msg.Int32) {}))(t)
	must.Get(Advertise[msg.Int32](n, "/t", "std_msgs/Int32", PubOptions{}))(t)
	for !strings.Contains(recv(t, got).Msg, "subscriber connected node=/n topic=/t peer=/reader") {
		continue
	}
}

// TestEmbeddedRoscore checks that the embedded master with rosout has the nodes and topics of roscore, and that rosnode
// and rospy work with it.
func TestEmbeddedRoscore(t *testing.T) {
	needROS(t)
	m := must.Get(ListenMaster(MasterConfig{Addr: "127.0.0.1:0", Rosout: true}))(t)
	defer m.Close()
	if out := run(t, m.URI(), "rosnode", "list"); strings.TrimSpace(out) != "/rosout" {
		t.Errorf("rosnode list: %s", out)
	}
	wantAll(t, "rostopic", run(t, m.URI(), "rostopic", "list", "-v"), "* /rosout_agg [rosgraph_msgs/Log] 1 publisher",
		"* /rosout [rosgraph_msgs/Log] 1 subscriber")
	n := newNode(t, m.URI(), "/reader")
	got := make(chan string, 1000)
	must.Get(Subscribe(n, "/rosout_agg", "rosgraph_msgs/Log", func(m *msg.Log) { got <- m.Name + " " + m.Msg }))(t)
	python(t, m.URI(), `
import rospy
rospy.init_node('talker')
r = rospy.Rate(50)
while not rospy.is_shutdown(): rospy.logwarn('hello'); r.sleep()
`)
	for recv(t, got) != "/talker hello" { // others log, too
		continue
	}
}

// TestBus checks the counters of a service and a subscriber, and that rosnode prints our connections.
func TestBus(t *testing.T) {
	needROS(t)
	m := newMaster(t)
	a, b := newNode(t, m.URI(), "/a"), newNode(t, m.URI(), "/b")
	serveEcho(t, a, "/s")
	pub := must.Get(Advertise[msg.Int32](a, "/t", "std_msgs/Int32", PubOptions{}))(t)
	got := receivedNumbers(t, b, "/t")
	must.Until(t, "the subscriber", func() bool { return pub.NumSubscribers() == 1 })
	for range 3 {
		must.Do(t, callBallHandle(t, b, "/s"))
		pub.Publish(&msg.Int32{})
		recv(t, got)
	}
	stats := must.Get(graph.Call(t.Context(), a.URI(), "getBusStats", "/t"))(t).([]any)
	pubs := stats[0].([]any)[0].([]any)
	conn := pubs[2].([]any)[0].([]any)
	// A BallHandle takes 8 bytes in each direction. Its length takes 4 more, and the status 1.
	must.Equal(t, stats[2].([]any), []any{3, 3 * 12, 3 * 13}, "services")
	if pubs[0] != "/t" || pubs[1] != 3*8 || conn[1] != 3*8 || conn[2] != 3 || conn[3] != true {
		t.Errorf("publishers = %v", stats[0])
	}
	wantAll(t, "rosnode info", run(t, m.URI(), "rosnode", "info", "/a"), "* topic: /t", "* to: /b",
		"* direction: outbound", "* transport: TCPROS")
	wantAll(t, "rosnode info", run(t, m.URI(), "rosnode", "info", "/b"), "* topic: /t", "* to: /a ("+a.URI()+")",
		"* direction: inbound", "* transport: TCPROS")
}
