package omnipitch

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/timesync/lockstep"
)

// timing is the clocks of a Sim, and what paces it.
type timing struct {
	wall     timesync.Wall
	clock    *timesync.Clock
	meter    *timesync.Meter
	gate     *lockstep.Gate
	pacer    *timesync.Pacer // while Run runs
	speed    atomic.Pointer[timesync.Speed]
	paced    atomic.Pointer[timesync.RealTimeFactor] // what the pacer aims at, for other goroutines
	lockstep bool
	ended    atomic.Bool                        // by action End
	end      atomic.Pointer[context.CancelFunc] // of the run that goes on
	// at speed lockstep: all robots that are waited for have been connected since it began
	gathered bool
	work     timesync.Work // of the present step

	onCost  atomic.Pointer[func(*StepCost)]
	costing *func(*StepCost) // who wants that of the present step; nil: nobody
	cost    StepCost
}

// init prepares timing by a wall clock, nil for the machine's.
func (t *timing) init(wall timesync.Wall, cfg *timesync.Config) {
	if t.wall = wall; wall == nil {
		t.wall = timesync.SystemWall()
	}
	t.clock = timesync.NewClock(t.wall, cfg.Step)
	t.meter = timesync.NewMeter(time.Second)
	t.gate = lockstep.NewGate(t.wall, cfg.WaitFor)
	t.speed.Store(&timesync.Speed{})
	t.paced.Store(&timesync.RealTimeFactor{})
}

// showPace shows other goroutines what the pacer aims at.
func (t *timing) showPace() {
	var now timesync.RealTimeFactor
	if t.pacer != nil {
		now.Target = t.pacer.Factor()
		now.Next, now.NextFrom = t.pacer.Announced()
	}
	if now != *t.paced.Load() {
		t.paced.Store(&now)
	}
}

// jump has the clocks go on from a sim time.
func (t *timing) jump(to time.Duration) {
	t.clock.Jump(to)
	t.meter.Reset()
	t.gate.Restart()
	if t.pacer != nil {
		t.pacer.Restart()
	}
}

// owe notes at speed lockstep that a robot is to answer a frame, which reaches it.
func (s *Sim) owe(robot, sensor string, stamp time.Duration) {
	if s.timing.lockstep && s.Wired(robot) {
		s.timing.gate.Expect(robot, sensor, stamp)
	}
}

// drawn returns what is to be called with the images that have been drawn, or nil.
func (t *timing) drawn() func(timesync.Job) {
	if t.pacer == nil {
		return nil
	}
	return t.pacer.JobDone
}

// add adds the work of the sensors to the present step's.
func (t *timing) add(w timesync.Work) {
	t.work.Kind += w.Kind
	t.work.Idle += w.Idle
	t.work.Tight = max(t.work.Tight, w.Tight)
	t.work.Beside = w.Beside
}

// clockOutput passes sim time to listeners, as often as the world's clock_hz says.
type clockOutput struct {
	due       timesync.Cadence
	listeners []func(time.Duration)
	last      time.Duration // −1 before the first
}

func (c *clockOutput) init(rate float64) { c.due, c.last = timesync.NewCadence(rate), -1 }

// OnClock calls f with sim time as often as the world's clock_hz says: at the start of the first step, or at speed
// lockstep once all robots are there that are waited for, and then after steps. It calls f at once with the time that
// others got last, if they did.
func (s *Sim) OnClock(f func(now time.Duration)) {
	c := &s.clockOut
	if c.listeners = append(c.listeners, f); c.last >= 0 {
		f(c.last)
	}
}

func (s *Sim) publishClock() {
	now, c := s.truth.Time, &s.clockOut
	if !c.due.Due(now) {
		return
	}
	c.last = now
	if s.timing.lockstep {
		s.timing.gate.Tick(now)
	}
	if s.unseen() {
		return
	}
	for _, f := range c.listeners {
		f(now)
	}
}
