package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// awaitTruth waits until a run has recorded something.
func awaitTruth(t *testing.T, dir string) {
	t.Helper()
	until(t, "some truth", func() bool {
		i, err := os.Stat(filepath.Join(dir, "truth.jsonl"))
		return err == nil && i.Size() > 0
	})
}

// wantWholeTruth checks that the recording of a run was closed: no line is cut off.
func wantWholeTruth(t *testing.T, dir string) {
	t.Helper()
	lines, err := os.ReadFile(filepath.Join(dir, "truth.jsonl"))
	if err != nil || len(lines) == 0 || !bytes.HasSuffix(lines, []byte("}\n")) {
		t.Errorf("the truth ends within a line, or %v", err)
	}
}

// TestToldToShutDown checks that rosnode kill, or any call of shutdown on a node of the simulator, ends the run like
// Ctrl-C. The run must print a sentence that names the caller.
func TestToldToShutDown(t *testing.T) {
	_, port := freeMaster(t)
	world := ownMasterWorld(t, port)
	own := "http://127.0.0.1:" + port + "/"
	for _, c := range []struct{ where, name string }{{"", "/omnipitch"}, {"", "/rosbridge_websocket"},
		{own, "/omnipitch"}} {
		uri, _ := freeMaster(t)
		dir := filepath.Join(t.TempDir(), "out")
		sim := simulateWorld(t, uri, world, "--level", "*=truth", "--out", dir, "--rosbridge", "0")
		sim.says("rosbridge at")
		awaitTruth(t, dir)
		if c.where == "" {
			c.where = uri
		}
		shutDown(t, c.where, c.name)
		if sum := sim.summary(); sum.World != "own" { // summary fails the test unless the exit code is 0
			t.Errorf("%+v", sum)
		}
		wantWholeTruth(t, dir)
		want := `own: ros node ` + c.name + `: "/rosnode" told it to shut down: "user request": the run ends`
		if text := sim.stderr(); strings.Count(text, want) != 1 {
			t.Errorf("stderr lacks %q:\n%s", want, text)
		}
	}
}

// ownMasterWorld writes a world in which a robot has a master of its own at a port.
func ownMasterWorld(t *testing.T, port string) string {
	return aWorld(t, `include = ["planar"]
name = "own"
[[robot]]
name = "cyan2"
ros1 = { profiles = ["nubot"], namespace = "/", master_port = `+port+` }
`)
}

// shutDown does the same as rosnode kill.
func shutDown(t testing.TB, uri, name string) {
	t.Helper()
	node := rosNode(t, uri, "/killer")
	defer node.Close()
	at := must.Get(node.CallMaster(t.Context(), "lookupNode", name))(t)
	// The node may end before its answer is sent. rosnode accepts that too.
	if resp, err := http.Post(at.(string), "text/xml",
		strings.NewReader(rpc("shutdown", "/rosnode", "user request"))); err == nil {
		resp.Body.Close()
	}
}

func pid(p *process) string { return strconv.Itoa(p.cmd.Process.Pid) }

// TestRosnodeKill does the same with ROS's own tool and ROS's own master.
func TestRosnodeKill(t *testing.T) {
	needROS(t)
	uri := masterOf(t, "external")
	sim := simulateWorld(t, uri, "planar", "--level", "*=truth", "--ros1", "external")
	start(t, uri, "/usr/bin/rosnode", "kill", "/omnipitch").end()
	sim.summary()
	wantLines(t, sim.stderr(), `"/rosnode" told it to shut down: "user request"`)
}

// TestNameTaken registers a node under the simulator's name, which replaces the simulator. The run must say so and
// fail, and its recording must be closed.
func TestNameTaken(t *testing.T) {
	uri, _ := freeMaster(t)
	dir := filepath.Join(t.TempDir(), "out")
	sim := simulateWorld(t, uri, "planar", "--level", "*=truth", "--out", dir)
	awaitTruth(t, dir)
	node := rosNode(t, uri, "/omnipitch")
	must.Get(ros1.Advertise[msg.Int32](node, "/x", "std_msgs/Int32", ros1.PubOptions{}))(t)
	sim.wantExit(console.ExitFailed, "omnipitch: ros node /omnipitch: another node took its name: "+node.URI()+
		": the run ends")
	wantWholeTruth(t, dir)
}

// TestSecondRun starts a second run at a master where another run publishes the clock. It must be refused with the name
// of the first, which must not notice. After the first is gone, the second joins, even if the first could not
// unregister.
func TestSecondRun(t *testing.T) {
	uri, port := freeMaster(t)
	core := startMaster(t, uri, port)
	first := simulate(t, uri, "--level", "*=truth", "--ros1", "external")
	t.Setenv("ROS_MASTER_URI", uri)
	run := func(master string) []string {
		return []string{"run", "nubot-attack", "--level", "*=truth", "--for", "100ms", "--speed", "max", "--ros1",
			master}
	}
	who := `/omnipitch \(process ` + pid(first) + ` at http://127\.0\.0\.1:\d+/\) publishes /clock`
	there := `ROS master ` + uri + `: runs already, `
	refuses(t, console.ExitBadInput, `ROS master `+uri+`: `+who+`: end it, or have ROS_MASTER_URI name another master`,
		run("external")...)
	refuses(t, console.ExitBadInput, there+`and `+who+` there: end it, or choose another port`, run("embedded")...)
	refuses(t, console.ExitUnavailable, there+`as process `+pid(core)+`: choose another port: --port PORT names it, `+
		`--port 0 takes a free one`, "master")
	if first.ended() {
		t.Fatal("the first run has ended")
	}
	first.signal(syscall.SIGSTOP) // a run that does not answer counts as present
	refuses(t, console.ExitBadInput,
		`/omnipitch \(at http://127\.0\.0\.1:\d+/, which does not answer\) publishes /clock`,
		run("external")...)
	first.signal(syscall.SIGKILL)
	until(t, "the first run to end", first.ended)
	prints(t, console.ExitDone, "", run("external")...)
	refuses(t, console.ExitUnavailable,
		there+`as process `+pid(core)+`: choose another port: --ros1 embedded:PORT names `+
			`it, embedded:0 takes a free one; --ros1 external joins it`, run("embedded")...)
}

// TestSecondProvider checks that a run is refused if a live node serves a service of one of its robots. A dead node
// does not count.
func TestSecondProvider(t *testing.T) {
	uri, port := freeMaster(t)
	startMaster(t, uri, port)
	robot := rosNode(t, uri, "/hwcontroller")
	must.Get(ros1.Serve(robot, "/cyan1/Shoot", "nubot_common/Shoot",
		func(context.Context, *msg.ShootRequest) (*msg.ShootResponse, error) { return nil, nil }))(t)
	t.Setenv("ROS_MASTER_URI", uri)
	run := []string{"run", "nubot-attack", "--level", "*=truth", "--for", "100ms", "--speed", "max", "--ros1",
		"external"}
	refuses(t, console.ExitBadInput,
		`/hwcontroller \(process `+strconv.Itoa(os.Getpid())+` at `+robot.URI()+`\) serves /cyan1/Shoot: end it`,
		run...)
	must.Do(t, robot.Close())
	// A registered but dead node.
	resp, err := http.Post(uri, "text/xml", strings.NewReader(rpc("registerService", "/dead", "/cyan1/Shoot",
		"rosrpc://127.0.0.1:1", "http://127.0.0.1:1/")))
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	prints(t, console.ExitDone, "", run...)
}

// TestNameOfItsOwn checks that a node with the simulator's name but without a clock may stay, and so may an existing
// rosbridge. The run must take other names, and omnipitch ros must find it under them.
func TestNameOfItsOwn(t *testing.T) {
	uri, port := freeMaster(t)
	startMaster(t, uri, port)
	var others []*ros1.Node
	for _, name := range []string{"/omnipitch", "/rosbridge_websocket"} {
		n := must.Get(ros1.NewNode(ros1.NodeConfig{Name: name, MasterURI: uri, Rosout: true}))(t)
		t.Cleanup(func() { n.Close() })
		others = append(others, n)
	}
	sim := simulateWorld(t, uri, "planar", "--level", "*=truth", "--ros1", "external", "--rosbridge", "0")
	sim.says("rosbridge at")
	graph := must.Get(others[0].Graph(t.Context()))(t)
	if got := strings.Join(graph.Publishers["/clock"], " "); got != "/omnipitch_"+pid(sim) {
		t.Errorf("%q publishes /clock", got)
	}
	wantLines(t, launch(t, uri, "ros", "list").end(), "/cyan2/odom")
	if sum := sim.interrupt(); sum.World != "planar" {
		t.Errorf("%+v", sum)
	}
	for _, n := range others {
		select {
		case <-n.Done():
			t.Errorf("%s was ended: %v", n.Name(), n.Cause())
		default:
		}
	}
}

// TestMasterComesAgain checks that a run survives the end of its master, and reports that the master is gone and that
// it is back. The run must register everything again: topics, services, and the parameters for simulated time and the
// field size.
func TestMasterComesAgain(t *testing.T) {
	uri, port := freeMaster(t)
	core := startMaster(t, uri, port)
	sim := simulateWorld(t, uri, "planar", "--level", "*=truth", "--ros1", "external")
	state := func() string {
		n := rosNode(t, uri, "/asker")
		defer n.Close()
		var lines []string
		g := must.Get(n.Graph(t.Context()))(t)
		for _, m := range []map[string][]string{g.Publishers, g.Subscribers, g.Services} {
			lines = append(lines, slices.Sorted(maps.Keys(m))...)
		}
		names := must.Get(n.CallMaster(t.Context(), "getParamNames"))(t)
		for _, name := range names.([]any) {
			if name != "/run_id" {
				v := must.Get(n.GetParam(name.(string)))(t)
				lines = append(lines, name.(string), fmt.Sprint(v))
			}
		}
		return strings.Join(lines, "\n")
	}
	before := state()
	if !strings.Contains(before, "/use_sim_time\ntrue") || !strings.Contains(before, "/clock") ||
		!strings.Contains(before, "/cyan2/Shoot") {
		t.Fatalf("the graph:\n%s", before)
	}
	for _, gone := range []bool{true, false} { // long enough to be noticed, or not
		core.signal(syscall.SIGKILL)
		until(t, "the master to end", core.ended)
		told := strings.Count(sim.stderr(), "joined the ROS master")
		if gone {
			sim.says("the ROS master at " + uri + " does not answer")
		}
		core = startMaster(t, uri, port)
		begin := time.Now()
		until(t, "the run to join it", func() bool {
			return strings.Count(sim.stderr(), "joined the ROS master at "+uri+" again") == told+1
		})
		if after := state(); after != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
		t.Logf("joined again after %v", time.Since(begin))
	}
	if sum := sim.interrupt(); sum.World != "planar" {
		t.Errorf("%+v", sum)
	}
}
