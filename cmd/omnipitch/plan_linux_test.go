package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
)

// idealWall is a wall clock on which work takes no time and nobody wakes late, so that steps at a pace take exactly what they should.
type idealWall struct{ now atomic.Int64 }

func (w *idealWall) Now() time.Duration { return time.Duration(w.now.Load()) }

func (w *idealWall) Wait(_ context.Context, until time.Duration) {
	time.Sleep(time.Millisecond) // for the programs
	w.now.Store(max(w.now.Load(), int64(until)))
}

// plan is a line of testdata/rospy/plan.py and testdata/roscpp/plan.cpp.
type plan struct {
	speed                       string
	paused                      int
	target, next, measured      float64
	wall, upper, sim, least     float64
	ready40, ready60            int
	known                       int
	wallA, upperA, simA, leastA float64
}

// plans returns the lines of a program, oldest first.
func plans(t *testing.T, p *process) (all []plan) {
	for line := range strings.Lines(p.text(&p.out)) {
		var l plan
		if _, err := fmt.Sscan(strings.TrimPrefix(line, "plan "), &l.speed, &l.paused, &l.target, &l.next, &l.measured, &l.wall, &l.upper, &l.sim, &l.least,
			&l.ready40, &l.ready60, &l.known, &l.wallA, &l.upperA, &l.simA, &l.leastA); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, l)
	}
	return all
}

// TestProgramsPlanAhead: programs with rospy and roscpp learn from the topic and the service how fast sim time goes, and how much wall time it will
// take, exactly; and they learn of changes of the speed, and of a pause.
func TestProgramsPlanAhead(t *testing.T) {
	needROS(t)
	headers, path := filepath.Join(built, "include"), filepath.Join(t.TempDir(), "plan")
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "roscpp").Output()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-std=c++17", "-O0", "-Wall", "-I" + headers, "-I../../docs/omnipitch_msgs/include", "../../testdata/roscpp/plan.cpp", "-o", path}, strings.Fields(string(flags))...)
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%s", err, out)
	}

	uri, sim := idealSim(t)
	programs := map[string]*process{
		"rospy":  start(t, uri, debianPython, "../../testdata/rospy/plan.py", definitions+"/std", "../../docs/omnipitch_msgs"),
		"roscpp": start(t, uri, path),
	}
	speed := func(s timesync.Speed) {
		if err := sim.SetSpeed(s); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		change           func()
		speed            string
		paused           bool
		factor           float64
		ready40, ready60 int // 100 ms of sim time are ahead
	}{
		{func() {}, "2", false, 2, 1, 0},
		{func() { speed(timesync.Factor(0.5)) }, "0.5", false, 0.5, 1, 1},
		{func() { speed(timesync.Factor(4)) }, "4", false, 4, 0, 0},
		{sim.Clock().Pause, "4", true, 4, 1, 1},
		{sim.Clock().Resume, "4", false, 4, 0, 0},
	} {
		before := map[string]int{}
		for name, p := range programs {
			before[name] = len(plans(t, p))
		}
		c.change()
		want := plan{speed: c.speed, target: c.factor, known: 1, ready40: c.ready40, ready60: c.ready60}
		want.wall, want.sim = 0.1/c.factor, 0.04*c.factor
		if c.paused {
			want.paused, want.known, want.wall, want.sim = 1, 0, math.Inf(1), 0
		}
		want.wallA, want.simA = want.wall, want.sim
		if c.paused {
			want.wallA = 0
		}
		for name, p := range programs {
			var got plan
			settled := func() bool {
				all := plans(t, p)
				if p.ended() || len(all) < before[name]+3 {
					return p.ended()
				}
				got = all[len(all)-1]
				return got.is(&want)
			}
			until(t, fmt.Sprintf("%s to plan at speed %s, paused %v: %+v", name, c.speed, c.paused, want), settled)
			if p.ended() {
				t.Fatalf("%s ended: %v", name, p.err)
			}
		}
	}
}

// is reports whether a program got what is wanted: forecasts are exact, and upper bounds are no less than what is likely.
func (p *plan) is(want *plan) bool {
	same := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-6 }
	return p.speed == want.speed && p.paused == want.paused && p.target == want.target && p.next == 0 && p.known == want.known &&
		p.ready40 == want.ready40 && p.ready60 == want.ready60 &&
		same(p.wall, want.wall) && same(p.sim, want.sim) && same(p.wallA, want.wallA) && same(p.simA, want.simA) &&
		p.upper >= p.wall && p.least <= p.sim && p.upperA >= p.wallA && p.leastA <= p.simA
}

// idealSim runs a world at twice real time, on an ideal wall clock, until the test ends, and serves ROS 1 at a master of its own.
func idealSim(t *testing.T) (uri string, sim *omnipitch.Sim) {
	t.Helper()
	w, err := worlds.Load("planar")
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			w.Robots[i].Sensors[k].Level = abstraction.Truth
		}
	}
	if sim, err = omnipitch.New(w, omnipitch.Options{Wall: &idealWall{}}); err != nil {
		t.Fatal(err)
	}
	master, err := ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	node, err := ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: master.URI()})
	if err != nil {
		t.Fatal(err)
	}
	bridge, err := robotio.NewBridge(sim, node, robotio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error)
	go func() {
		_, err := sim.Run(ctx, omnipitch.Pace{Speed: timesync.Factor(2)})
		ran <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
		sim.Close()
		bridge.Close()
		node.Close()
		master.Close()
	})
	return master.URI(), sim
}

// TestShippedPackageIsWhatIsSpoken: the definitions in the package for robots' workspaces are those that the simulation speaks.
func TestShippedPackageIsWhatIsSpoken(t *testing.T) {
	for _, file := range []string{"msg/Speed.msg", "srv/Predict.srv"} {
		ours, err := os.ReadFile(filepath.Join(definitions, "std/omnipitch_msgs", filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		shipped, err := os.ReadFile(filepath.Join("../../docs/omnipitch_msgs", file))
		if err != nil || string(shipped) != string(ours) {
			t.Errorf("docs/omnipitch_msgs/%s: %v; is not what the simulation speaks", file, err)
		}
	}
}
