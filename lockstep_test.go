//go:build cgo

package omnipitch_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// waits makes a Sim of the world planar that waits for cyan2.
func waits(t *testing.T, change func(*worlds.World, *timesync.WaitFor)) simtest.Sim {
	t.Helper()
	return simtest.New(t, simtest.World(t, "planar", func(w *worlds.World) {
		wait := timesync.WaitFor{Robot: "cyan2"}
		wait.SetDefaults()
		wait.Timeout = time.Minute
		change(w, &wait)
		w.Time.WaitFor = append(w.Time.WaitFor, wait)
	}), omnipitch.Options{})
}

// runTenSteps runs ten steps at speed lockstep. notify receives the run's notes.
func runTenSteps(t *testing.T, s simtest.Sim, notify func(string)) {
	t.Helper()
	pace := omnipitch.Pace{For: 50 * time.Millisecond, Speed: timesync.Lockstep, Notify: notify}
	if r := must.Get(s.Run(t.Context(), pace))(t); r.Steps != 10 {
		t.Errorf("%d steps, want 10", r.Steps)
	}
}

// A robot that commands before the run and after each step causes no further waiting.
func TestLockstepCountsACommandBeforeTheRun(t *testing.T) {
	s := waits(t, func(*worlds.World, *timesync.WaitFor) {})
	command := func() { s.Must(&action.Drive{Robot: "cyan2", VX: 1}) }
	command()
	s.OnStep(func(*physics.Snapshot) { command() })
	runTenSteps(t, s, nil)
}

// The first step waits for a listener, and for its answer to the observation at time 0.
func TestLockstepBeginsWithAnAnswerToTheStart(t *testing.T) {
	s := waits(t, func(w *worlds.World, wait *timesync.WaitFor) {
		wait.After = "omni"
		robot, _ := w.Robot("cyan2")
		robot.Sensors[0].Level, robot.Sensors[0].Latency = abstraction.Truth, 0
	})
	noted := make(chan struct{})
	var answered []time.Duration
	go func() {
		<-noted
		s.On("cyan2", "omni", func(o *sensors.Observation) {
			answered = append(answered, o.Stamp)
			s.Must(&action.Drive{Robot: "cyan2", VX: 1})
		})
	}()
	note := sync.OnceFunc(func() { close(noted) })
	runTenSteps(t, s, func(text string) {
		if strings.Contains(text, "robot cyan2, which lacks a listener to cyan2.omni") {
			note()
		}
	})
	if len(answered) < 2 || answered[0] != 0 {
		t.Errorf("answered %v, want the observation at 0 and others", answered)
	}
}

// The first tick is at time 0, and further ticks follow at clock_hz, with Step as with Run.
func TestOnClock(t *testing.T) {
	for rate, want := range map[float64][]time.Duration{0: {0, 5, 10, 15, 20, 25, 30, 35, 40}, 50: {0, 20, 40},
		30: {0, 35}} {
		s := planar(t, func(w *worlds.World) { w.Time.ClockRate = rate })
		var got, late []time.Duration
		s.Clock().OnTick(func(now time.Duration) { got = append(got, now/time.Millisecond) })
		s.Steps(8)
		must.Equal(t, got, want, "clock_hz = %v: the clock shows", rate)
		s.Clock().OnTick(func(now time.Duration) { late = append(late, now/time.Millisecond) })
		must.Equal(t, late, want[len(want)-1:], "clock_hz = %v: a late listener receives", rate)
	}
}

// acknowledging is a robot in this program that acknowledges every message.
type acknowledging struct{ pending atomic.Pointer[string] }

func (*acknowledging) Missing() ([]string, int64) { return nil, 1 }
func (a *acknowledging) Pending() string {
	if p := a.pending.Load(); p != nil {
		return *p
	}
	return ""
}

func TestConnectWithOrderAll(t *testing.T) {
	s := waits(t, func(_ *worlds.World, wait *timesync.WaitFor) { wait.Order = timesync.OrderAll })
	a := &acknowledging{}
	s.Clock().Lockstep().Connect(0, a)
	s.OnStep(func(now *physics.Snapshot) {
		if a.Pending() != "" {
			t.Errorf("the step to %v did not wait", now.Time)
		}
		text := "a message"
		a.pending.Store(&text)
		go func() {
			a.pending.Store(nil)
			s.Clock().Lockstep().Changed()
		}()
	})
	runTenSteps(t, s, nil)
}
