package bench

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// driver commands robots at the beginning of a step; half tells that half of the run is over.
type driver func(step int, half bool)

// loads start worlds that take their time in different ways.
var loads = map[string]func(timesync.Wall) (*omnipitch.Sim, driver, error){
	"collisions": startBrawl,
	"raw":        startRaw,
	"switch":     startSwitch,
	"stolen":     startBrawl,
	"stopped":    startBrawl,
}

// The pictures of the loads are so small and so rare that two cores render ten robots' in real time; the cameras take turns, as those of
// different robots do.
const (
	smaller = 4 // than those of the world, in each direction
	rarely  = 5
	apart   = 20 * time.Millisecond
)

// loadTen loads ten-robots with small and rare pictures of the omni cameras at a level, or the world as it is if that is empty.
func loadTen(level abstraction.Level) (*worlds.World, error) {
	w, err := worlds.Load("ten-robots")
	if err != nil || level == "" {
		return w, err
	}
	for i := range w.Robots {
		for j := range w.Robots[i].Sensors {
			if c := &w.Robots[i].Sensors[j]; c.Kind == sensors.OmniKind {
				c.Level = level
				c.Image.Width, c.Image.Height = c.Image.Width/smaller, c.Image.Height/smaller
				c.Rate, c.Phase = rarely, time.Duration(i)*apart
			}
		}
	}
	return w, nil
}

// startTen starts ten-robots with the omni cameras heard at a level, or no sensor if it is empty.
func startTen(wall timesync.Wall, level abstraction.Level) (*omnipitch.Sim, error) {
	w, err := loadTen(level)
	if err != nil {
		return nil, err
	}
	sim, err := omnipitch.New(w, omnipitch.Options{Wall: wall})
	if err != nil || level == "" {
		return sim, err
	}
	for i := range w.Robots {
		if _, err := sim.Listen(w.Robots[i].Name, "omni", omnipitch.Listener{Observe: func(*sensors.Observation) {}}); err != nil {
			sim.Close()
			return nil, err
		}
	}
	return sim, nil
}

// startBrawl lets ten robots run into each other for a second and apart for the next, with no sensor heard.
func startBrawl(wall timesync.Wall) (*omnipitch.Sim, driver, error) {
	sim, err := startTen(wall, "")
	if err != nil {
		return nil, nil, err
	}
	const second = 200 // steps
	return sim, func(step int, _ bool) {
		if step%10 != 0 {
			return
		}
		to := 1.0
		if step/second%2 == 1 {
			to = -1
		}
		for i := range sim.World().Robots {
			pose := sim.Truth().Robots[i].PoseWB
			x, y := -pose.Pos[0], -pose.Pos[1]
			v := 2 * to / math.Max(math.Hypot(x, y), 0.1)
			sin, cos := math.Sincos(pose.Heading())
			sim.Do(&action.Drive{Robot: sim.World().Robots[i].Name, VX: v * (cos*x + sin*y), VY: v * (cos*y - sin*x), Omega: 2}) // finite always
		}
	}, nil
}

// startRaw renders the omni cameras of ten robots that drive in circles.
func startRaw(wall timesync.Wall) (*omnipitch.Sim, driver, error) {
	sim, err := startTen(wall, abstraction.Raw)
	if err != nil {
		return nil, nil, err
	}
	return sim, nil, circle(sim)
}

// startSwitch does the same until half of the run is over, and then has them at objects.
func startSwitch(wall timesync.Wall) (*omnipitch.Sim, driver, error) {
	sim, _, err := startRaw(wall)
	switched := false
	return sim, func(_ int, half bool) {
		if half && !switched {
			switched = true
			for i := range sim.World().Robots {
				sim.Do(&action.SetLevel{Robot: sim.World().Robots[i].Name, Sensor: "omni", Level: abstraction.Objects}) // which every omni camera has
			}
		}
	}, err
}

// timeStopped is how long the load "stopped" stops this process.
const timeStopped = 2 * time.Second

// disturb has other processes do what belongs to a load, and returns how to end them.
func disturb(load string, run time.Duration) (end func(), err error) {
	script := ""
	switch load {
	case "stolen": // a core, for 0.3 s of each 0.8 s, for as long as this process lives
		script = fmt.Sprintf("while :; do :; done & busy=$!; trap 'kill -KILL $busy; exit' TERM; "+
			"while kill -0 %d; do sleep 0.5; kill -CONT $busy; sleep 0.3; kill -STOP $busy; done; kill -KILL $busy", os.Getpid())
	case "stopped":
		script = fmt.Sprintf("sleep %.1f; kill -STOP %d; sleep %.1f; kill -CONT %[2]d", run.Seconds()/2, os.Getpid(), timeStopped.Seconds())
	default:
		return func() {}, nil
	}
	cmd := exec.Command("sh", "-c", script)
	if err := cmd.Start(); err != nil {
		return nil, exit.Lackingf("load %s needs a shell: %w", load, err)
	}
	return func() {
		cmd.Process.Signal(syscall.SIGTERM) // fails if it is over
		cmd.Wait()
	}, nil
}

// recovery is how a run carries on after it was stopped: its factor, and a robot's timer.
type recovery struct {
	t       *timing
	client  *timesync.Client
	ticker  *timesync.Timer
	last    time.Duration // sim time of the ticker's last
	stopped time.Duration // wall time at which the run went on; 0 before that
	wrong   time.Duration // since then, until the factor was right
	right   bool
	twice   int
	nominal float64      // wall time that the steps so far should have taken, seconds
	marks   [][2]float64 // wall time and nominal of the last 100 ms
}

const recoveryPeriod = 20 * time.Millisecond

func newRecovery(t *timing) *recovery {
	r := &recovery{t: t, client: timesync.NewClient(t.wall)}
	r.ticker = r.client.NewTicker(recoveryPeriod)
	return r
}

// look is called as each step begins.
func (r *recovery) look(wall time.Duration) {
	r.client.Tick(r.t.sim.Time())
	select {
	case at := <-r.ticker.C:
		if r.last > 0 && at-r.last < recoveryPeriod {
			r.twice++
		}
		r.last = at
	default:
	}
	n := len(r.t.begins)
	if n > 1 && wall-r.t.begins[n-2] > timeStopped/2 {
		r.stopped = wall
	}
	r.paceOver(wall)
}

// paceOver notes after the stop when the pace of the last 100 ms, and the factor as it is told, are right for the first time. At speed steady
// the pace changes, so that it is compared step by step.
func (r *recovery) paceOver(wall time.Duration) {
	aim := r.t.target
	if aim == 0 {
		return
	}
	if r.stopped == wall {
		r.marks = r.marks[:0]
	}
	r.nominal += r.t.step.Seconds() / aim
	r.marks = append(r.marks, [2]float64{wall.Seconds(), r.nominal})
	for len(r.marks) > 2 && wall.Seconds()-r.marks[1][0] >= 0.1 {
		r.marks = r.marks[1:]
	}
	if r.stopped == 0 || r.right {
		return
	}
	r.wrong = wall - r.stopped
	first := r.marks[0]
	whole := wall.Seconds()-first[0] >= 0.095
	r.right = whole && math.Abs((r.nominal-first[1])/(wall.Seconds()-first[0])-1) < 0.01
	if r.t.speed != timesync.Steady {
		r.right = r.right && math.Abs(r.t.sim.Factor()/aim-1) < 0.01
	}
}

func (r *recovery) into(report *Report, prefix string) {
	report.add(prefix+"factor_wrong_for", r.wrong.Seconds()*1e3, "ms", 1)
	report.add(prefix+"timers_twice_or_back", float64(r.twice), "times", 1)
}

func (r *recovery) String() string {
	if r.stopped == 0 {
		return "the run was not stopped"
	}
	return fmt.Sprintf("after the stop the factor was right to 1 %% over 100 ms after %v; %d timers fired twice or backwards", r.wrong, r.twice)
}
