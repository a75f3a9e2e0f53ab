package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestROSListAndInfo checks that the commands show the topics of a running simulation, their levels, and their
// subscribers.
func TestROSListAndInfo(t *testing.T) {
	uri, _ := freeMaster(t)
	simulateWorld(t, uri, "planar", "--speed", "4")
	node := rosNode(t, uri, "/listener")
	heard := make(chan struct{}, 1000)
	must.Get(ros1.Subscribe(node, "/cyan2/omnivision/OmniVisionInfo", "nubot_common/OminiVisionInfo",
		func(*msg.OminiVisionInfo) { heard <- struct{}{} }))(t)
	until(t, "some reports", func() bool { return len(heard) > 30 })

	var answer topicsAnswer
	must.Do(t, json.Unmarshal([]byte(launch(t, uri, "ros", "info", "cyan2", "--json").end()), &answer))
	found := false
	for _, topic := range answer.Topics {
		switch topic.Topic {
		case "/cyan2/omnivision/OmniVisionInfo":
			found = topic.Fed && topic.Level == "objects" && topic.Rate > 25 && topic.Rate < 35 && topic.Delay > 1 &&
				len(topic.Subscribers) == 1 && topic.Subscribers[0] == "/listener"
			if !found {
				t.Errorf("%+v", topic)
			}
		case "/cyan2/camera/image_raw":
			if topic.Fed || topic.Messages > 0 {
				t.Errorf("pictures at objects: %+v", topic)
			}
		}
	}
	if !found {
		t.Errorf("%d topics, without what is heard", len(answer.Topics))
	}
	if out := launch(t, uri, "ros", "list").end(); strings.Count(out, "\n") < 100 ||
		!strings.Contains(out, "/magenta5/odom ") {
		t.Errorf("ros list says %q", out)
	}
	wantLines(t, launch(t, uri, "ros", "info", "/cyan2/odom").end(),
		"from cyan2.odometry at raw; fed at all levels: yes", "listeners: -")
	wantLines(t, launch(t, uri, "ros", "info", "/simulation/speed").end(), "/simulation/speed [omnipitch_msgs/Speed]")
	robotTakes(t, uri, node)
	objects(t, `profile = "nubo": must be one of`, "ros", "profiles", "nubo")
}

// robotTakes checks that ros list and ros info show what a robot subscribes to, the publishers, and publishers of a
// wrong type.
func robotTakes(t *testing.T, uri string, node *ros1.Node) {
	const topic = "/cyan2/nubotcontrol/velcmd"
	info := func() string { return launch(t, uri, "ros", "info", topic).end() }
	must.Equal(t, info(), topic+" [nubot_common/VelCmd]\n  taken by cyan2: 0 messages, - Hz\n  publishers: -\n",
		"ros info says")
	pub := must.Get(ros1.Advertise[msg.VelCmd](node, topic, "nubot_common/VelCmd", ros1.PubOptions{}))(t)
	stranger := rosNode(t, uri, "/stranger")
	must.Get(ros1.Advertise[msg.String](stranger, topic, "std_msgs/String", ros1.PubOptions{}))(t)
	until(t, "the robot's subscription", func() bool { return pub.NumSubscribers() == 1 })
	for range 3 {
		pub.Publish(&msg.VelCmd{})
	}
	until(t, "three commands", func() bool { return strings.Contains(info(), "taken by cyan2: 3 messages") })
	until(t, "the publishers", func() bool {
		return strings.HasSuffix(info(), "  publishers: /listener\n  not taken, as they publish another type: "+
			"/stranger\n")
	})
	wantLines(t, launch(t, uri, "ros", "info", "cyan2").end(), "taken by cyan2: 3 messages",
		"/cyan2/cmd_vel [geometry_msgs/Twist]\n  taken by cyan2: 0")
	list := launch(t, uri, "ros", "list").end()
	_, taken, ok := strings.Cut(list, "\n\nTAKES COMMANDS FROM ")
	if row := strings.Fields(taken[max(strings.Index(taken, topic), 0):]); !ok || len(row) < 6 || row[0] != topic ||
		row[2] != "cyan2" || row[4] != "3" || row[5] != "1" {
		t.Errorf("ros list says %q", taken)
	}
}

// TestROSListWithoutAMaster checks that ros list fails to reach a simulation with the same words as run.
func TestROSListWithoutAMaster(t *testing.T) {
	free, _ := freeMaster(t)
	for _, c := range []struct {
		uri, want string
		code      int
	}{
		{free, `^omnipitch: no ROS master answers at ` + free + `: start omnipitch run WORLD, or set ROS_MASTER_URI\n$`,
			console.ExitUnavailable},
		{"foo", `ROS_MASTER_URI = "foo": must be like http://`, console.ExitBadInput},
		{"http://127.0.0.1", `ROS_MASTER_URI = "http://127.0.0.1": must be like http://`, console.ExitBadInput},
	} {
		t.Setenv("ROS_MASTER_URI", c.uri)
		refuses(t, c.code, c.want, "ros", "list")
	}
}

// TestMasterAlone checks that the master without a simulation serves nodes, relays their logs like roscore, and ends
// with Ctrl-C.
func TestMasterAlone(t *testing.T) {
	uri, port := freeMaster(t)
	master := startMaster(t, uri, port)
	launch(t, uri, "ros", "list").wantExit(console.ExitUnavailable, "no simulation runs at this master")
	node := must.Get(ros1.NewNode(ros1.NodeConfig{Name: "/n", MasterURI: uri, Rosout: true}))(t)
	logs := make(chan string, 10)
	must.Get(ros1.Subscribe(node, "/rosout_agg", "rosgraph_msgs/Log", func(m *msg.Log) {
		select {
		case logs <- m.Msg:
		default:
		}
	}))(t)
	until(t, "the log to come back", func() bool {
		node.Logger().Info("hello") // messages before all connections exist are lost
		select {
		case got := <-logs:
			return got == "hello"
		default:
			return false
		}
	})
	node.Close()
	master.stop()
}

// TestOwnMaster checks that a robot whose software uses absolute names finds them on a separate master.
func TestOwnMaster(t *testing.T) {
	uri, _ := freeMaster(t)
	own, port := freeMaster(t)
	world := ownMasterWorld(t, port)
	simulateWorld(t, uri, world)
	names := func(uri string) string {
		node := rosNode(t, uri, "/asker")
		defer node.Close()
		graph := must.Get(node.Graph(t.Context()))(t)
		return strings.Join(slices.Sorted(maps.Keys(graph.Publishers)), " ")
	}
	if got := names(own); !strings.Contains(got, "/omnivision/OmniVisionInfo") || !strings.Contains(got, "/clock") ||
		strings.Contains(got, "cyan2") || strings.Contains(got, "cyan3") {
		t.Errorf("the robot's own master knows %s", got)
	}
	if got := names(uri); strings.Contains(got, "cyan2") || !strings.Contains(got, "/cyan3/omnivision/OmniVisionInfo") {
		t.Errorf("the common master knows %s", got)
	}
}

// TestEmbeddedPort checks that --ros1 embedded:PORT listens at that port, or at a free port for 0, whatever
// ROS_MASTER_URI says.
func TestEmbeddedPort(t *testing.T) {
	elsewhere, _ := freeMaster(t)
	_, port := freeMaster(t)
	t.Setenv("ROS_MASTER_URI", elsewhere)
	for _, c := range []struct{ flag, want string }{
		{"embedded", "ROS 1 master at " + elsewhere},
		{"embedded:" + port, "ROS 1 master at http://127.0.0.1:" + port + "/"},
		{"embedded:0", "ROS 1 master at http://127.0.0.1:"},
	} {
		code, _, stderr := command(t, "run", "planar", "--for", "50ms", "--ros1", c.flag)
		if code != console.ExitDone || !strings.Contains(stderr, c.want) || strings.Contains(stderr, ":0/") {
			t.Errorf("--ros1 %s: exit code %d: %s", c.flag, code, stderr)
		}
	}
	for _, bad := range []string{"embedded:", "embedded:x", "embedded:65536", "embedded:-1", "external:11311",
		"off:1"} {
		refuses(t, console.ExitBadInput,
			`--ros1: (port = .*: must lie in \[0, 65535\], 0 for a free one|master = .*: must be embedded, embedded:PORT, external or off)`, "run", "planar", "--ros1", bad)
	}
	t.Setenv("ROS_MASTER_URI", "nonsense")
	prints(t, console.ExitDone, "", "run", "planar", "--for", "50ms", "--ros1", "embedded:0")
}

// TestMasterFollowsTheEnvironment checks that omnipitch master listens at the port of ROS_MASTER_URI unless a flag sets
// another.
func TestMasterFollowsTheEnvironment(t *testing.T) {
	uri, port := freeMaster(t)
	_, other := freeMaster(t)
	for _, c := range []struct {
		args []string
		want string
	}{{nil, port}, {[]string{"--port", other}, other}} {
		p := launch(t, uri, append([]string{"master"}, c.args...)...)
		p.says("ROS 1 master at http://127.0.0.1:" + c.want + "/")
	}
	t.Setenv("ROS_MASTER_URI", "http://localhost:x/")
	refuses(t, console.ExitBadInput, `ROS_MASTER_URI = "http://localhost:x/": must be like http://`, "master")
	refuses(t, console.ExitBadInput, `--listen = "": must be an address of this machine`, "master", "--listen", "")
	foreign := httptest.NewServer(http.NotFoundHandler())
	defer foreign.Close()
	t.Setenv("ROS_MASTER_URI", foreign.URL)
	refuses(t, console.ExitUnavailable,
		foreign.URL+`/: address already in use by a program that does not answer as a ROS master: choose another port: --port PORT names it, --port 0`, "master")
}

// TestWireFlags checks that wrong flags are bad input, and that nothing is opened before that.
func TestWireFlags(t *testing.T) {
	const needROS1 = `--allow-host and --origin: need ROS 1 or --web: not with --ros1 off`
	for _, c := range []struct {
		want, args string
	}{
		{`--origin = "page": must be http://host`, "--rosbridge 0 --origin page"},
		{`--rosbridge = "127\.0\.0\.1:99999": must be on, off, a port, or host:port`, "--rosbridge 127.0.0.1:99999"},
		{`--foxglove = "192\.0\.2\.1:0": .*cannot assign requested address`, "--foxglove 192.0.2.1:0"},
		{`--listen = "192\.0\.2\.1": must be an address of this machine`, "--listen 192.0.2.1"},
		{`--listen = "": must be an address of this machine`, "--listen="},
		{`--listen: needs ROS, --web, --player or --rcsssmj: not with --ros1 off`, "--ros1 off --listen 9.9.9.9"},
		{`--player = "192\.0\.2\.1:0": .*cannot assign requested address`, "--ros1 off --player 192.0.2.1:0"},
		{`--player = "127\.0\.0\.1:65535": the last of 10 robots would have the port 65544: must be at most 65535`,
			"--ros1 off --player 127.0.0.1:65535"},
		{`--player = "yes": must be on, off, a port, or host:port`, "--player yes"},
		{needROS1, "--ros1 off --allow-host sim"},
		{needROS1, "--ros1 off --origin *"},
		{`--rosbridge and --foxglove: need ROS 1: not with --ros1 off`, "--ros1 off --rosbridge on"},
	} {
		code, stdout, stderr := command(t, append([]string{"run", "planar", "--for", "50ms", "--ros1",
			"embedded:0"}, strings.Fields(c.args)...)...)
		lines := strings.SplitAfter(stderr, "\n")
		for len(lines) > 2 && !strings.HasPrefix(lines[0], "omnipitch: ") { // removes the address of the master
			lines = lines[1:]
		}
		wantSentence(t, code, console.ExitBadInput, stdout, strings.Join(lines, ""), c.want)
	}
	own := must.File(t, "own.toml", "name = \"own\"\ninclude = [\"planar\"]\n[[robot]]\nname = "+
		"\"cyan1\"\nros1.master_port = 11399\n")
	refuses(t, console.ExitBadInput,
		`robot cyan1: ros1\.master_port = 11399: is the port of the simulation's own master`, "run", own, "--ros1",
		"embedded:11399")
}

// TestRosserviceStep checks that rosservice pauses a simulation and takes single steps. It needs no message package of
// ours.
func TestRosserviceStep(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts ROS programs")
	}
	if _, err := os.Stat("/usr/bin/rosservice"); err != nil || findROS() != nil {
		t.Skip("no rosservice: apt-get install python3-rosservice")
	}
	uri, _ := freeMaster(t)
	sim := simulateWorld(t, uri, "plain-light")
	call := func(args ...string) string {
		t.Helper()
		return start(t, uri, append([]string{debianPython, "/usr/bin/rosservice", "call"}, args...)...).end()
	}
	if answer := call("/simulation/step"); !strings.Contains(answer, "success: False") ||
		!strings.Contains(answer, "is not paused") {
		t.Errorf("step of a running simulation: got %q, want that it is not paused", answer)
	}
	call("/simulation/pause", "true")
	var at [2]float64
	for i := range at {
		answer := call("/simulation/step")
		_, rest, found := strings.Cut(answer, "sim time ")
		if _, err := fmt.Sscanf(rest, "%f s", &at[i]); !found || err != nil || !strings.Contains(answer, "success: True") {
			t.Fatalf("step of a paused simulation: got %q, want success and the sim time", answer)
		}
	}
	must.Near(t, "sim time of the second step", at[1], at[0]+simStep.Seconds(), 1e-9)
	sim.stop()
}
