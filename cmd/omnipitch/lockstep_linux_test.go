package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Flags that `make verify-lockstep` sets to larger values.
var (
	starts = flag.Int("lockstep.starts", 3, "how often TestLockstepBegins starts three robots, beside a "+
		"busy loop a core if more than three times")
	pairs = flag.Int("lockstep.pairs", 1, "how many pairs of runs TestLockstepOrdersAllMessages compares")
)

// robots starts rospy programs quickly. Without it, each takes half a second of processor time to import rospy.
type robots struct {
	t      testing.TB
	orders io.Writer
	says   *bufio.Reader
}

func newRobots(t testing.TB) *robots {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(debianPython, "-B", "../../testdata/rospy/starts.py")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Env = environment("ROS_IP=127.0.0.1", "ROS_HOME="+home, "ROS_LOG_DIR="+home)
	errs := must.Get(os.Create(filepath.Join(home, "stderr")))(t)
	cmd.Stderr = errs
	orders := must.Get(cmd.StdinPipe())(t)
	says := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		errs.Close()
		if text, err := os.ReadFile(errs.Name()); err == nil && t.Failed() {
			t.Logf("the robots said:\n%s", text)
		}
	})
	return &robots{t, orders, bufio.NewReader(says)}
}

// start starts a program after a delay.
func (r *robots) start(uri string, after time.Duration, program ...string) {
	r.t.Helper()
	must.Get(fmt.Fprintf(r.orders, "start %s %g %s\n", uri, after.Seconds(), strings.Join(program, " ")))(r.t)
}

// end kills all programs.
func (r *robots) end() {
	r.t.Helper()
	must.Get(fmt.Fprintln(r.orders, "end"))(r.t)
	if said, err := r.says.ReadString('\n'); err != nil || said != "ended\n" {
		r.t.Fatalf("%q, %v", said, err)
	}
}

// load shares each processor with another process until the test ends.
func load(t testing.TB) {
	t.Helper()
	for range runtime.NumCPU() {
		cmd := exec.Command("timeout", "1h", "sh", "-c", "while :; do :; done")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		must.Do(t, cmd.Start())
		t.Cleanup(func() {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		})
	}
}

// aWorld writes a world file and returns its name.
func aWorld(t testing.TB, text string) string { t.Helper(); return must.File(t, "world.toml", text) }

const startsWorld = `
name = "starts"
field = "msl-18x12"
time = { speed = "lockstep", wait_for = [
	{ robot = "cyan1", rate_hz = 50, timeout_ms = 20000 },
	{ robot = "cyan2", rate_hz = 50, timeout_ms = 20000 },
	{ robot = "cyan3", after = "odometry", timeout_ms = 20000 } ] }
physics = { engine = "planar" }
robot = [
	{ name = "cyan1", model = "nubot", team = "cyan", number = 1, pose = { x_m = -3, y_m = 1 }, drive = { level = "kinematic" }, sensor = [ { name = "omni", level = "truth" }, { name = "front", level = "truth" } ] },
	{ name = "cyan2", model = "nubot", team = "cyan", number = 2, pose = { x_m = -3, y_m = -1 }, drive = { level = "kinematic" }, sensor = [ { name = "omni", level = "truth" }, { name = "front", level = "truth" } ] },
	{ name = "cyan3", model = "nubot", team = "cyan", number = 3, pose = { x_m = -5 }, drive = { level = "kinematic" }, sensor = [ { name = "omni", level = "truth" }, { name = "front", level = "truth" } ] } ]
`

// TestLockstepBegins starts the simulation and three rospy programs, which do not wait for connections. Every run must
// begin, end, and end in the same state. make verify-lockstep does so on an overloaded machine.
func TestLockstepBegins(t *testing.T) {
	needROS(t)
	world := aWorld(t, startsWorld)
	program(t) // built before the machine is busy
	programs := newRobots(t)
	if *starts > 3 {
		load(t)
	}
	hashes := map[string]int{}
	begun := time.Now()
	for i := range *starts {
		t.Run(strconv.Itoa(i), func(t *testing.T) { // ends its processes, and reports separately
			uri, _ := freeMaster(t)
			sim := launch(t, uri, "run", world, "--json", "--for", "200ms")
			defer programs.end()
			for _, p := range [][]string{{"drive", "cyan1", "clock", "20"}, {"drive", "cyan2", "clock", "20"},
				{"drive", "cyan3", "odom"}} {
				programs.start(uri, rand.N(400*time.Millisecond), p...)
			}
			sum := sim.summary()
			must.Equal(t, sum.Steps, 40, "steps")
			hashes[sum.StateHash]++
		})
	}
	t.Logf("%d starts in %.0f s, states %v", *starts, time.Since(begun).Seconds(), hashes)
	if len(hashes) != 1 {
		t.Errorf("the runs ended in %d states: %v", len(hashes), hashes)
	}
}

// TestLockstepBeginsWithRoscpp does the same with a roscpp program that answers each clock message.
func TestLockstepBeginsWithRoscpp(t *testing.T) {
	needROS(t)
	world := aWorld(t, `
name = "roscpp"
field = "msl-18x12"
time = { speed = "lockstep", wait_for = [ { robot = "cyan1", timeout_ms = 20000 } ] }
physics = { engine = "planar" }
robot = [ { name = "cyan1", model = "nubot", team = "cyan", number = 1, drive = { level = "kinematic" }, sensor = [ { name = "omni", level = "truth" }, { name = "front", level = "truth" } ] } ]
`)
	hashes := map[string]bool{}
	for range 2 {
		uri, _ := freeMaster(t)
		sim := launch(t, uri, "run", world, "--json", "--for", "200ms")
		robot := roscpp(t, uri, "answer", "cyan1")
		sum := sim.summary()
		must.Equal(t, sum.Steps, 40, "steps")
		hashes[sum.StateHash] = true
		robot.signal(syscall.SIGKILL)
	}
	if len(hashes) != 1 {
		t.Errorf("the runs ended in states %v", hashes)
	}
}

// TestLockstepOrdersAllMessages runs two rospy programs that drive by a checksum of all messages from four topics, in
// the order of rospy's callbacks. With order = "all" two runs must end in the same state.
func TestLockstepOrdersAllMessages(t *testing.T) {
	needROS(t)
	programs := newRobots(t)
	run := func() string {
		uri, _ := freeMaster(t)
		sim := launch(t, uri, "run", "in-turn", "--json", "--for", "1s")
		for _, robot := range []string{"cyan1", "magenta1"} {
			programs.start(uri, rand.N(400*time.Millisecond), "inturn", robot, "/clock", "/"+robot+"/odom",
				"/"+robot+"/omnivision/OmniVisionInfo", "/"+robot+"/front_vision/FrontBallInfo")
		}
		sum := sim.summary()
		programs.end()
		must.Equal(t, sum.Steps, 200, "steps")
		return sum.StateHash
	}
	equal := 0
	for range *pairs {
		first, second := run(), run()
		if first == second {
			equal++
		} else {
			t.Errorf("states %s and %s", first, second)
		}
	}
	t.Logf("%d of %d pairs ended in the same state", equal, *pairs)
}

// TestLockstepRepeats runs two rospy programs and a node of this module, which answer at their own rates after random
// delays. The states of the runs must be bit-identical.
func TestLockstepRepeats(t *testing.T) {
	needROS(t)
	hash := ""
	for round := range 3 {
		uri, _ := freeMaster(t)
		sim := simulateWorld(t, uri, "lockstep", "--for", "2s")
		programs := []func(){
			func() { start(t, uri, debianPython, "../../testdata/rospy/lockstep.py", "cyan1", "odom") },
			func() { start(t, uri, debianPython, "../../testdata/rospy/lockstep.py", "cyan2", "clock", "20") },
			func() { answerInGo(t, uri) },
		}
		for i := range programs { // in a different order each time
			programs[(i+round)%len(programs)]()
		}
		sum := sim.summary()
		t.Logf("round %d: %d steps in %.1f s, state %s", round, sum.Steps, sum.Wall, sum.StateHash)
		must.Equal(t, sum.Steps, 400, "steps")
		if round > 0 && sum.StateHash != hash {
			t.Errorf("state %s, want %s as before", sum.StateHash, hash)
		}
		hash = sum.StateHash
	}
}

// answerInGo drives magenta1 by the reports of its omni vision.
func answerInGo(t *testing.T, uri string) {
	node := rosNode(t, uri, "/magenta1_program")
	commands := must.Get(ros1.Advertise[msg.Twist](node, "/magenta1/cmd_vel", "geometry_msgs/Twist",
		ros1.PubOptions{}))(t)
	until(t, "the simulation to subscribe", func() bool { return commands.NumSubscribers() == 1 })
	must.Get(ros1.Subscribe(node, "/magenta1/omnivision/OmniVisionInfo", "nubot_common/OminiVisionInfo",
		func(m *msg.OminiVisionInfo) {
			// Random thinking time, on which the run must not depend.
			time.Sleep(time.Duration(rand.Int64N(int64(5 * time.Millisecond))))
			turn := float64(m.BallInfo.RealPos.Angle)
			commands.Publish(&msg.Twist{Linear: msg.Vector3{X: 0.7}, Angular: msg.Vector3{Z: turn}})
		}))(t)
}

// TestLockstepEndsWhenARobotDies checks that with on_timeout = "fail" a killed program ends the run with a sentence.
func TestLockstepEndsWhenARobotDies(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	sim := simulateWorld(t, uri, "lockstep")
	victim := start(t, uri, debianPython, "../../testdata/rospy/lockstep.py", "cyan1", "odom")
	start(t, uri, debianPython, "../../testdata/rospy/lockstep.py", "cyan2", "clock", "20")
	start(t, uri, debianPython, "../../testdata/rospy/lockstep.py", "magenta1", "omni")
	var now atomic.Int64
	listener := rosNode(t, uri, "/listener")
	must.Get(ros1.Subscribe(listener, "/clock", "rosgraph_msgs/Clock",
		func(m *msg.Clock) { now.Store(int64(m.Clock.Since())) }))(t)
	until(t, "the run to go on", func() bool { return now.Load() > int64(time.Second) })
	victim.signal(syscall.SIGKILL)
	until(t, "the run to end", sim.ended)
	if text := sim.stderr(); !regexp.MustCompile(
		`robot cyan1 has not answered what it got at [0-9.]+s, for 1s \(timeout_ms = 1000, on_timeout = "fail"\)`).MatchString(text) || sim.exitCode() != 1 {
		t.Errorf("exit code %d: %s", sim.exitCode(), text)
	}
}

// TestRospyTimers checks that rospy's Rate, Timer and sleep follow sim time at every speed. None may fire more than a
// step early. Their lateness depends on other load on the machine and is only logged.
func TestRospyTimers(t *testing.T) {
	needROS(t)
	const step = 0.005 // s, resolution of the clock
	factors, seconds := []string{"0.5", "4"}, "2"
	if *long {
		factors, seconds = []string{"0.5", "1", "4"}, "5"
	}
	for _, factor := range factors {
		t.Run(factor, func(t *testing.T) {
			t.Parallel() // waits for real time
			uri, _ := freeMaster(t)
			sim := simulateWorld(t, uri, "planar", "--speed", factor)
			p := start(t, uri, debianPython, "../../testdata/rospy/timers.py", seconds)
			out := p.end()
			sim.interrupt()
			for _, what := range []string{"rate", "timer", "sleep"} {
				var mean, least float64
				n := 0
				for line := range strings.Lines(out) {
					if _, err := fmt.Sscanf(line, "error "+what+" %g %g %d", &mean, &least, &n); err == nil {
						break
					}
				}
				t.Logf("%s: mean error %.2f ms of %d", what, 1e3*mean, n)
				if n == 0 || !(least >= -step-1e-6) {
					t.Errorf("%s: %d fired, the earliest %.2f ms too early, want at most a step of 5 ms", what, n,
						-1e3*least)
				}
			}
		})
	}
}
