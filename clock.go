package omnipitch

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/timesync/lockstep"
)

// Clock is the sim time of a Sim, and measures and predicts how fast it goes. The Sim alone sets it: Reset, Jump and
// Tick are not for others.
//
// Any goroutine may use it, but Predict belongs to the goroutine that steps, and OnTick must be called before the first
// step.
type Clock struct {
	*timesync.Clock

	wall   timesync.Wall
	state  *physics.Snapshot // the present one
	timers timesync.Timers
	meter  *timesync.Meter
	gate   *lockstep.Gate
	pacer  *timesync.Pacer // nil unless Run runs
	speed  atomic.Pointer[timesync.Speed]
	target atomic.Pointer[timesync.RealTimeFactor] // the target of the pacer, for other goroutines
	ticks  ticks
	work   timesync.Work // of the present step
	end    ending

	lockstep bool
	gathered bool // all robots that lockstep waits for have been connected since it began

	onCost  atomic.Pointer[func(*StepCost)]
	costing *func(*StepCost) // receives the cost of the present step; nil: nobody
	cost    StepCost
}

// ending is how action End ends a run.
type ending struct {
	asked atomic.Bool
	stop  atomic.Pointer[context.CancelFunc] // ends the run that is in progress
}

// init prepares the clock. A nil wall clock is the machine's.
func (c *Clock) init(wall timesync.Wall, cfg *timesync.Config, state *physics.Snapshot) {
	if c.wall = wall; wall == nil {
		c.wall = timesync.SystemWall()
	}
	c.Clock, c.state = timesync.NewClock(c.wall, cfg.Step), state
	c.meter = timesync.NewMeter(time.Second)
	c.gate = lockstep.NewGate(c.wall, cfg.WaitFor)
	c.ticks.init(cfg.ClockRate)
	c.speed.Store(&timesync.Speed{})
	c.target.Store(&timesync.RealTimeFactor{})
}

// Factor returns the measured and the target real-time factor. Outside of Run there is no target.
func (c *Clock) Factor() timesync.RealTimeFactor {
	f := *c.target.Load()
	f.Speed = *c.speed.Load()
	if measured := c.meter.Factor(); measured > 0 { // it may be NaN
		f.Measured = measured
	}
	return f
}

// Predict returns how much wall time the next d of sim time will take. Outside of Run it returns 0.
func (c *Clock) Predict(d time.Duration) timesync.Forecast {
	if c.pacer == nil {
		return timesync.Forecast{}
	}
	return c.pacer.Predict(c.state.Time, d)
}

// Lockstep returns the gate that delays steps at speed lockstep. Connections and acknowledgements of robots are
// reported to it. A robot that is not connected is assumed to be a part of this program.
func (c *Clock) Lockstep() *lockstep.Gate { return c.gate }

// publishTarget shows the pacer's target to other goroutines.
func (c *Clock) publishTarget() {
	var now timesync.RealTimeFactor
	if c.pacer != nil {
		now.Target = c.pacer.Factor()
		now.Next, now.NextFrom = c.pacer.Announced()
	}
	if now != *c.target.Load() {
		c.target.Store(&now)
	}
}

// jump sets the clock to the time of the present state. The time until timers are due stays the same.
func (c *Clock) jump() {
	c.timers.Shift(c.Clock, func() {
		c.Clock.Jump(c.state.Time)
		c.meter.Reset()
		c.gate.Restart()
		if c.pacer != nil {
			c.pacer.Restart()
		}
	})
}

// jobDone returns the function to call with each job of images that has been drawn; nil outside of Run.
func (c *Clock) jobDone() func(timesync.Job) {
	if c.pacer == nil {
		return nil
	}
	return c.pacer.JobDone
}

// addWork adds the work of the sensors to that of the present step.
func (c *Clock) addWork(w timesync.Work) {
	c.work.Kind += w.Kind
	c.work.Idle += w.Idle
	c.work.Tight = max(c.work.Tight, w.Tight)
	c.work.Beside = w.Beside
}

// ticks pass sim time to listeners as often as the world's clock_hz says.
type ticks struct {
	due       timesync.Cadence
	listeners []func(time.Duration)
	last      time.Duration // −1 before the first
}

func (t *ticks) init(rate float64) { t.due, t.last = timesync.NewCadence(rate), -1 }

// OnTick calls f with sim time as often as the world's clock_hz says: at the start of the first step and then after
// steps. At speed lockstep the first call waits until all robots are connected that the world waits for. If other
// listeners have received a time already, OnTick calls f with the last one at once.
func (c *Clock) OnTick(f func(now time.Duration)) {
	if c.ticks.listeners = append(c.ticks.listeners, f); c.ticks.last >= 0 {
		f(c.ticks.last)
	}
}

// publish passes the time of the present state to the listeners if it is due. A hidden one reaches only the gate.
func (c *Clock) publish(hidden bool) {
	now, t := c.state.Time, &c.ticks
	if !t.due.Due(now) {
		return
	}
	t.last = now
	if c.lockstep {
		c.gate.Tick(now)
	}
	if !hidden {
		t.repeat()
	}
}

// repeat passes the last time to the listeners, if there was one.
func (t *ticks) repeat() {
	if t.last < 0 {
		return
	}
	for _, f := range t.listeners {
		f(t.last)
	}
}

// StepCost is how much wall time a step of a run took, and what for.
type StepCost struct {
	Sim     time.Duration // sim time at which the step began
	Began   time.Duration // wall time
	Anew    bool          // the run was paused between the step before and this one
	Whole   time.Duration
	Physics time.Duration // of the engine
	Sensors time.Duration // work of the stepping goroutine for sensors and their listeners
	Waiting time.Duration // waiting for images, which Sensors does not contain
}

// Rest returns the time for commands, events, rules and listeners of the state: that of neither physics, sensors nor
// waiting.
func (c *StepCost) Rest() time.Duration { return c.Whole - c.Physics - c.Sensors - c.Waiting }

// OnCost calls f after each step of Run, in the goroutine that steps, until stop is called. There is one such function:
// another call replaces it. Without one, a step does one atomic load for it.
func (c *Clock) OnCost(f func(*StepCost)) (stop func()) {
	at := &f
	c.onCost.Store(at)
	return func() { c.onCost.CompareAndSwap(at, nil) }
}

// beginCost starts measuring a step if a function of OnCost wants its cost.
func (c *Clock) beginCost() {
	c.costing = c.onCost.Load()
	if c.costing != nil {
		c.cost = StepCost{Sim: c.state.Time, Began: c.pacer.Began(), Anew: c.cost.Anew}
	}
}

// spent returns the wall time, and adds the time since an earlier call to a part of the step's cost. For the first call
// since is 0. It returns 0 when the step is not measured.
func (c *Clock) spent(since time.Duration, on *time.Duration) time.Duration {
	if c.costing == nil {
		return 0
	}
	now := c.wall.Now()
	if since > 0 {
		*on += now - since
	}
	return now
}

// endCost passes the step's cost to the function of OnCost.
func (c *Clock) endCost() {
	if c.costing == nil {
		return
	}
	cost := &c.cost
	cost.Whole, cost.Waiting = c.wall.Now()-cost.Began, c.work.Idle
	cost.Sensors -= cost.Waiting
	(*c.costing)(cost)
	cost.Anew = false
}
