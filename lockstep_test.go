package omnipitch

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// waits makes a Sim of the world planar that waits for cyan2.
func waits(t *testing.T, change func(*worlds.World, *timesync.WaitFor)) *Sim {
	t.Helper()
	return onPlane(t, Options{}, func(w *worlds.World) {
		wait := timesync.WaitFor{Robot: "cyan2"}
		wait.SetDefaults()
		wait.Timeout = time.Minute
		change(w, &wait)
		w.Time.WaitFor = append(w.Time.WaitFor, wait)
	})
}

// A robot that commands before the run and after each step causes no further waiting.
func TestLockstepCountsACommandBeforeTheRun(t *testing.T) {
	s := waits(t, func(*worlds.World, *timesync.WaitFor) {})
	command := func() {
		if err := s.Do(&action.Drive{Robot: "cyan2", VX: 1}); err != nil {
			t.Error(err)
		}
	}
	command()
	s.OnStep(func(*physics.Snapshot) { command() })
	if r, err := s.Run(t.Context(), Pace{For: 50 * time.Millisecond, Speed: timesync.Lockstep}); err != nil ||
		r.Steps != 10 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The first step waits for a listener, and for its answer to the observation at time 0.
func TestLockstepBeginsWithAnAnswerToTheStart(t *testing.T) {
	s := waits(t, func(w *worlds.World, wait *timesync.WaitFor) {
		wait.After = "omni"
		robot, _ := w.Robot("cyan2")
		robot.Sensors[0].Level, robot.Sensors[0].Latency = abstraction.Truth, 0
	})
	told := make(chan struct{})
	tell := sync.OnceFunc(func() { close(told) })
	var answered []time.Duration
	go func() {
		<-told
		if _, err := s.Listen("cyan2", "omni", Listener{Observe: func(o *sensors.Observation) {
			answered = append(answered, o.Stamp)
			if err := s.Do(&action.Drive{Robot: "cyan2", VX: 1}); err != nil {
				t.Error(err)
			}
		}}); err != nil {
			t.Error(err)
		}
	}()
	r, err := s.Run(t.Context(), Pace{For: 50 * time.Millisecond, Speed: timesync.Lockstep, Notify: func(text string) {
		if strings.Contains(text, "robot cyan2, which lacks a listener to cyan2.omni") {
			tell()
		}
	}})
	if err != nil || r.Steps != 10 || len(answered) < 2 || answered[0] != 0 {
		t.Errorf("%+v, %v; answered %v", r, err, answered)
	}
}

// The first tick is at time 0, and further ticks follow at clock_hz, with Step as with Run.
func TestOnClock(t *testing.T) {
	for rate, want := range map[float64][]time.Duration{0: {0, 5, 10, 15, 20, 25, 30, 35, 40}, 50: {0, 20, 40},
		30: {0, 35}} {
		s := onPlane(t, Options{}, func(w *worlds.World) { w.Time.ClockRate = rate })
		var got, late []time.Duration
		s.Clock().OnTick(func(now time.Duration) { got = append(got, now/time.Millisecond) })
		for range 8 {
			if err := s.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("clock_hz = %v: the clock showed %v, want %v", rate, got, want)
		}
		s.Clock().OnTick(func(now time.Duration) { late = append(late, now/time.Millisecond) })
		if !slices.Equal(late, want[len(want)-1:]) {
			t.Errorf("clock_hz = %v: who comes late was told %v", rate, late)
		}
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
	if r, err := s.Run(t.Context(), Pace{For: 50 * time.Millisecond, Speed: timesync.Lockstep}); err != nil ||
		r.Steps != 10 {
		t.Errorf("%+v, %v", r, err)
	}
}
