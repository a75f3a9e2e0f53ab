package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

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
		if sum.Steps != 400 {
			t.Errorf("%d steps, want 400", sum.Steps)
		}
		if round > 0 && sum.StateHash != hash {
			t.Errorf("state %s, want %s as before", sum.StateHash, hash)
		}
		hash = sum.StateHash
	}
}

// answerInGo drives magenta1 by the reports of its omni vision.
func answerInGo(t *testing.T, uri string) {
	node := rosNode(t, uri, "/magenta1_program")
	commands := must(ros1.Advertise[msg.Twist](node, "/magenta1/cmd_vel", "geometry_msgs/Twist", ros1.PubOptions{}))(t)
	until(t, "the simulation to subscribe", func() bool { return commands.NumSubscribers() == 1 })
	must(ros1.Subscribe(node, "/magenta1/omnivision/OmniVisionInfo", "nubot_common/OminiVisionInfo",
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
	must(ros1.Subscribe(listener, "/clock", "rosgraph_msgs/Clock",
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
	for _, factor := range []string{"0.5", "1", "4"} {
		t.Run(factor, func(t *testing.T) {
			t.Parallel() // waits for real time
			uri, _ := freeMaster(t)
			sim := simulateWorld(t, uri, "planar", "--speed", factor)
			p := start(t, uri, debianPython, "../../testdata/rospy/timers.py", "5")
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
