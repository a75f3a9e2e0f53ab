package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// idealWall is a wall clock on which work takes no time and no wake-up is late. Steps at a pace so take exactly their
// nominal time.
type idealWall struct{ now atomic.Int64 }

func (w *idealWall) Now() time.Duration { return time.Duration(w.now.Load()) }

func (w *idealWall) Wait(_ context.Context, until time.Duration) {
	time.Sleep(time.Millisecond) // gives the programs time
	w.now.Store(max(w.now.Load(), int64(until)))
}

// plan is a line of output of testdata/rospy/plan.py and testdata/roscpp/plan.cpp.
type plan struct {
	speed                       string
	paused                      int
	target, next, measured      float64
	wall, upper, sim, least     float64
	ready40, ready60            int
	known                       int
	wallA, upperA, simA, leastA float64
}

// plans returns the output lines of a program, oldest first.
func plans(t *testing.T, p *process) (all []plan) {
	for line := range strings.Lines(p.stdout()) {
		var l plan
		if _, err := fmt.Sscan(strings.TrimPrefix(line, "plan "), &l.speed, &l.paused, &l.target, &l.next, &l.measured,
			&l.wall, &l.upper, &l.sim, &l.least,
			&l.ready40, &l.ready60, &l.known, &l.wallA, &l.upperA, &l.simA, &l.leastA); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, l)
	}
	return all
}

// startPlanners starts the programs and returns them by the names of their libraries.
func startPlanners(t *testing.T, uri string) map[string]*process {
	t.Helper()
	planner := must.Get(buildPlanner())(t)
	return map[string]*process{
		"rospy": start(t, uri, debianPython, "../../testdata/rospy/plan.py", definitions+"/std",
			"../../docs/omnipitch_msgs"),
		"roscpp": start(t, uri, planner),
	}
}

// buildPlanner compiles testdata/roscpp/plan.cpp. needROS has generated the messages.
var buildPlanner = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "plan")
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "roscpp").Output()
	if err != nil {
		return "", fmt.Errorf("pkg-config roscpp: %w", err)
	}
	args := append([]string{"-std=c++17", "-O0", "-Wall", "-I" + filepath.Join(built, "include"),
		"-I../../docs/omnipitch_msgs/include",
		"../../testdata/roscpp/plan.cpp", "-o", path}, strings.Fields(string(flags))...)
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("g++: %w\n%s", err, out)
	}
	return path, nil
})

// TestProgramsPlanAhead checks what rospy and roscpp programs learn from the topic and the service. They must get the
// exact speed of sim time and the exact wall time that it will take. They must also get changes of the speed, and a
// pause.
func TestProgramsPlanAhead(t *testing.T) {
	needROS(t)
	uri, sim := idealSim(t)
	programs := startPlanners(t, uri)
	speed := func(s timesync.Speed) {
		must.Do(t, sim.Do(&action.SetSpeed{Speed: s.String()}))
	}
	for _, c := range []struct {
		change           func()
		speed            string
		paused           bool
		factor           float64
		ready40, ready60 int // 100 ms of sim time are available
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

// TestHelpersForecastAsTheServiceDoes compares the helper libraries with timesync.Outlook for a piecewise linear
// forecast. It asks between the points, at a later time than the forecast's, and beyond its end.
func TestHelpersForecastAsTheServiceDoes(t *testing.T) {
	needROS(t)
	master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	t.Cleanup(func() { master.Close() })
	node := rosNode(t, master.URI(), "/omnipitch")
	must.Do(t, node.KeepParam("/use_sim_time", true))
	const ms = time.Millisecond
	o := timesync.Outlook{From: time.Second, Ahead: []time.Duration{10 * ms, 20 * ms, 50 * ms, 200 * ms},
		Forecasts: []timesync.Forecast{
			{Likely: 2 * ms, Upper: 3 * ms}, {Likely: 22 * ms, Upper: 30 * ms}, {Likely: 32 * ms, Upper: 60 * ms},
			{Likely: 332 * ms, Upper: 400 * ms}}}
	var now atomic.Int64
	must.Get(ros1.Serve(node, "/simulation/predict", "omnipitch_msgs/Predict",
		func(_ context.Context, q *msg.PredictRequest) (*msg.PredictResponse, error) {
			now := time.Duration(now.Load())
			f := o.Wall(now, time.Duration(q.Sim*1e9))
			likely, least := o.Sim(now, time.Duration(q.Wall*1e9))
			return &msg.PredictResponse{Known: true, WallLikely: f.Likely.Seconds(), WallUpper: f.Upper.Seconds(),
				SimLikely: likely.Seconds(), SimLeast: least.Seconds()}, nil
		}))(t)
	clock := must.Get(ros1.Advertise[msg.Clock](node, "/clock", "rosgraph_msgs/Clock", ros1.PubOptions{Latch: true}))(t)
	speed := must.Get(ros1.Advertise[msg.Speed](node, "/simulation/speed", "omnipitch_msgs/Speed",
		ros1.PubOptions{Latch: true}))(t)
	programs := startPlanners(t, master.URI())
	for _, at := range []time.Duration{time.Second, time.Second + 15*ms, time.Second + 120*ms, time.Second + 300*ms} {
		now.Store(int64(at))
		m := msg.Speed{Speed: at.String(), Header: msg.Header{Stamp: msg.TimeFrom(o.From)}}
		for i, d := range o.Ahead {
			m.Ahead, m.Likely, m.Upper = append(m.Ahead, d.Seconds()),
				append(m.Likely, o.Forecasts[i].Likely.Seconds()), append(m.Upper, o.Forecasts[i].Upper.Seconds())
		}
		clock.Publish(&msg.Clock{Clock: msg.TimeFrom(at)})
		speed.Publish(&m)
		for name, p := range programs {
			until(t, fmt.Sprintf("%s to forecast at %v what the service does", name, at), func() bool {
				all := plans(t, p)
				if len(all) == 0 || p.ended() { // its clock may not have reached the time yet
					return p.ended()
				}
				l := all[len(all)-1]
				return l.speed == m.Speed && same(l.wall, l.wallA) && same(l.upper, l.upperA) && same(l.sim, l.simA) &&
					same(l.least, l.leastA)
			})
			if p.ended() {
				t.Fatalf("%s ended: %v", name, p.err)
			}
		}
	}
}

// same compares seconds, which programs print with nine digits. Equal infinities are the same.
func same(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-7 }

// is reports whether a program got the expected values. Forecasts must be exact, and upper bounds must not be less than
// the likely values.
func (p *plan) is(want *plan) bool {
	return p.speed == want.speed && p.paused == want.paused && p.target == want.target && p.next == 0 &&
		p.known == want.known &&
		p.ready40 == want.ready40 && p.ready60 == want.ready60 &&
		same(p.wall, want.wall) && same(p.sim, want.sim) && same(p.wallA, want.wallA) && same(p.simA, want.simA) &&
		p.upper >= p.wall && p.least <= p.sim && p.upperA >= p.wallA && p.leastA <= p.simA
}

// idealSim runs a world at twice real time, on an ideal wall clock, until the test ends. It serves ROS 1 on a master of
// its own.
func idealSim(t *testing.T) (uri string, sim *omnipitch.Sim) {
	t.Helper()
	w := must.Get(worlds.Load("planar"))(t)
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			w.Robots[i].Sensors[k].Level = abstraction.Truth
		}
	}
	sim = must.Get(omnipitch.New(w, omnipitch.Options{Wall: &idealWall{}}))(t)
	master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	node := must.Get(ros1.NewNode(ros1.NodeConfig{Name: "/omnipitch", MasterURI: master.URI()}))(t)
	bridge := must.Get(robotio.NewBridge(sim, node, robotio.Options{}))(t)
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

// TestShippedPackageIsWhatIsSpoken checks that the message definitions in the package for robots' workspaces equal
// those of the simulation.
func TestShippedPackageIsWhatIsSpoken(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(definitions, "std/omnipitch_msgs/*"))
	if err != nil || len(files) < 12 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		ours := must.Get(os.ReadFile(file))(t)
		name := filepath.Join(strings.TrimPrefix(filepath.Ext(file), "."), filepath.Base(file))
		shipped, err := os.ReadFile(filepath.Join("../../docs/omnipitch_msgs", name))
		if err != nil || string(shipped) != string(ours) {
			t.Errorf("docs/omnipitch_msgs/%s: %v; is not what the simulation speaks", name, err)
		}
	}
}
