package omnipitch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/timesync/lockstep"
)

// Clock is the clock of a Sim's time. It also measures and predicts the speed of the run. Only the Sim may call Reset,
// Jump and Tick.
//
// Any goroutine may call the other methods, except that Predict belongs to the goroutine that steps, and that OnTick
// must be called before the first step.
type Clock struct {
	*timesync.Clock

	wall   timesync.Wall
	state  *physics.Snapshot // the present state
	timers timesync.Timers
	meter  *timesync.Meter
	gate   *lockstep.Gate
	pacer  *timesync.Pacer                         // nil outside of Run
	speed  atomic.Pointer[timesync.Speed]          // speed that was set last
	target atomic.Pointer[timesync.RealTimeFactor] // target of the pacer, for other goroutines
	ticks  ticks
	work   timesync.Work // work of the present step
	end    ending

	lockstep bool // the speed of the run is timesync.Lockstep
	gathered bool // all robots that lockstep waits for have been connected once

	onCost  atomic.Pointer[func(*StepCost)]
	costing *func(*StepCost) // receives the cost of the present step; nil: the step is not measured
	cost    StepCost
}

// ending is how a run ends: with its context, or by action End.
type ending struct {
	asked atomic.Bool                // action End was carried out
	run   atomic.Pointer[runContext] // of the run that is in progress; nil: none is
}

// runContext is the context of a run, and the function that ends it.
type runContext struct {
	context.Context
	end context.CancelFunc
}

// context returns the context of the run that is in progress. Outside of Run the context never ends.
func (e *ending) context() context.Context {
	if run := e.run.Load(); run != nil {
		return run
	}
	return context.Background()
}

// init prepares the clock. A nil wall means the machine's clock.
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

// Factor returns the speed, and the measured and the target real-time factor. The target is 0 outside of Run, and if
// the run goes as fast as possible.
func (c *Clock) Factor() timesync.RealTimeFactor {
	f := *c.target.Load()
	f.Speed = *c.speed.Load()
	if measured := c.meter.Factor(); measured > 0 { // it may be NaN
		f.Measured = measured
	}
	return f
}

// Predict predicts how much wall time the run will take for the sim time d that follows the present state. Outside of
// Run it returns the zero Forecast.
func (c *Clock) Predict(d time.Duration) timesync.Forecast {
	if c.pacer == nil {
		return timesync.Forecast{}
	}
	return c.pacer.Predict(c.state.Time, d)
}

// Lockstep returns the gate that delays steps at speed lockstep. Connections report to it which robots are connected
// and what they have acknowledged, from any goroutine. A robot without a connection counts as a part of this program.
func (c *Clock) Lockstep() *lockstep.Gate { return c.gate }

// publishTarget publishes the pacer's target for other goroutines.
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

// jump sets the clock to the time of the present state. Timers keep their remaining time.
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

// jobDone returns the function that the pipeline calls with each finished job of rendering images. Outside of Run it
// returns nil.
func (c *Clock) jobDone() func(timesync.Job) {
	if c.pacer == nil {
		return nil
	}
	return c.pacer.JobDone
}

// addWork adds the work of the sensors to the work of the present step.
func (c *Clock) addWork(w timesync.Work) {
	c.work.Kind += w.Kind
	c.work.Idle += w.Idle
	c.work.Tight = max(c.work.Tight, w.Tight)
	c.work.Beside = w.Beside
}

// ticks pass sim time to listeners at the rate of the world's key clock_hz.
type ticks struct {
	due       timesync.Cadence
	listeners []func(time.Duration)
	last      time.Duration // time of the last tick; −1 before the first
}

func (t *ticks) init(rate float64) { t.due, t.last = timesync.NewCadence(rate), -1 }

// OnTick registers f, which is called with sim time at the rate of the world's key clock_hz: when the first step
// begins, and then after steps. At speed lockstep the first call is made when all robots that the world waits for are
// connected. If there has been a tick already, OnTick calls f at once with the time of the last tick. The goroutine
// that steps calls f.
func (c *Clock) OnTick(f func(now time.Duration)) {
	if c.ticks.listeners = append(c.ticks.listeners, f); c.ticks.last >= 0 {
		f(c.ticks.last)
	}
}

// publish passes the time of the present state to the listeners if a tick is due. During Replay.Skip, steps are hidden:
// a tick then reaches only the gate of lockstep.
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

// repeat passes the time of the last tick to the listeners, if there was one.
func (t *ticks) repeat() {
	if t.last < 0 {
		return
	}
	for _, f := range t.listeners {
		f(t.last)
	}
}

// After starts a timer, which calls f once when the sim time d has passed. The call is made in the first step that
// reaches this time, before the observations of the step are delivered. The argument of f is the exact sim time at
// which the call was due. It may lie between two steps, so a series of timers does not drift. The step waits for f to
// return, so f should be short. If Run is paused and d is not positive, f is called without waiting for a step.
//
// The returned function stops the timer. Any goroutine may call After and the returned function; the goroutine that
// steps calls f. Programs that receive their clock over a network use the timers of timesync.Client instead.
func (c *Clock) After(d time.Duration, f func(due time.Duration)) (stop func()) {
	stop = c.timers.Add(c.Clock, max(d, 0), 0, f)
	if d <= 0 {
		c.Poke()
	}
	return stop
}

// Every starts a timer that calls f once for each period of sim time that has passed, in the same way as After. It
// panics if the period is not positive.
func (c *Clock) Every(period time.Duration, f func(due time.Duration)) (stop func()) {
	if period <= 0 {
		panic("omnipitch: period must be positive")
	}
	return c.timers.Add(c.Clock, period, period, f)
}

// TakeSteps makes a paused run take n steps, and returns when they are done. It fails if the clock is not paused, and
// if ctx ends before the steps are done. Any goroutine may call it, except the goroutine that steps.
func (c *Clock) TakeSteps(ctx context.Context, n int) error {
	if !c.Paused() {
		return errors.New("the simulation is not paused: pause it first")
	}
	taken := make(chan struct{})
	stop := c.After(time.Duration(n)*c.Step(), func(time.Duration) { close(taken) })
	defer stop()
	c.Advance(n)
	select {
	case <-taken:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// StepCost is the wall time that one step of a run took, in parts.
type StepCost struct {
	Sim     time.Duration // sim time at which the step began
	Began   time.Duration // wall time of Options.Wall at which the step began
	Anew    bool          // the run was paused between the previous step and this one
	Whole   time.Duration // the whole step
	Physics time.Duration // the physics engine
	Sensors time.Duration // work of the stepping goroutine for sensors and their listeners, without Waiting
	Waiting time.Duration // waiting for images that are not ready
}

// Rest returns the part of Whole that no other field counts: the time for commands, events, rules of the game, and
// functions of Sim.OnStep.
func (c *StepCost) Rest() time.Duration { return c.Whole - c.Physics - c.Sensors - c.Waiting }

// OnCost registers f, which the goroutine that steps calls with the cost of each step of Run. The StepCost is valid
// only during the call of f. The returned function removes f. A later call of OnCost replaces f. While no function is
// registered, nothing is measured, and a step needs only one more atomic load.
func (c *Clock) OnCost(f func(*StepCost)) (stop func()) {
	at := &f
	c.onCost.Store(at)
	return func() { c.onCost.CompareAndSwap(at, nil) }
}

// beginCost starts measuring a step if OnCost has registered a function.
func (c *Clock) beginCost() {
	c.costing = c.onCost.Load()
	if c.costing != nil {
		c.cost = StepCost{Sim: c.state.Time, Began: c.pacer.Began(), Anew: c.cost.Anew}
	}
}

// spent returns the present wall time. If since is not 0, spent also adds the wall time that has passed since then to
// *on, which is a field of c.cost. If the present step is not measured, spent returns 0 and adds nothing.
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

// endCost completes the step's cost and passes it to the function of OnCost.
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
