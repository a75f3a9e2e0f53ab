package omnipitch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
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
	cost   timesync.CostMeter
	end    ending

	lockstep bool // the speed of the run is timesync.Lockstep
	gathered bool // all robots that lockstep waits for have been connected once
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
	c.cost.Init(c.wall)
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

// OnCost registers f, which the goroutine that steps calls with the cost of each step of Run, as timesync.CostMeter
// describes.
func (c *Clock) OnCost(f func(*timesync.StepCost)) (stop func()) { return c.cost.OnCost(f) }

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

// expectAnswer is called with each frame of a sensor. At speed lockstep, it notes that the robot must answer the frame
// if the robot is connected to its programs. The argument stamp is the frame's time stamp.
func (s *Sim) expectAnswer(robot, sensor string, stamp time.Duration) {
	if s.clock.lockstep && s.commands.Wired(robot) {
		s.clock.gate.Expect(robot, sensor, stamp)
	}
}

// answered blocks at speed lockstep until all robots that the world waits for have answered. The first call also waits
// until these robots are connected. If a robot is late, the world's rule for this robot decides: answered returns an
// error, pauses the run, or no longer waits for the robot. At other speeds answered returns at once.
func (r *run) answered(ctx context.Context) error {
	if !r.clock.lockstep {
		return nil
	}
	if !r.clock.gathered {
		if r.clock.gate.AwaitConnections(ctx, r.commands.Asking,
			func(missing string) { r.notify("waiting for %s", missing) }) != nil {
			return nil // ctx has ended
		}
		r.clock.gathered = true
		if err := r.announceStart(); err != nil {
			return err
		}
	}
	for {
		err := r.clock.gate.AwaitAnswers(ctx, r.commands.Asking,
			func(robots string) { r.notify("waiting for the first answer of %s", robots) })
		var late *lockstep.Late
		switch {
		case !errors.As(err, &late):
			return nil // all have answered, or ctx has ended
		case late.Then == timesync.Fail:
			return late
		case late.Then == timesync.Pause:
			r.notify("%v: paused", late)
			r.clock.Pause()
			r.clock.Await(ctx, r.pace.Paused)
		default:
			r.notify("%v: going on without it until it answers again", late)
		}
	}
}

// assumeConnections assumes that all robots that the world waits for are controlled by this program. It gives the gate
// a connection for each robot with the order "all", and for each robot that answers the frames of a sensor.
func (s *Sim) assumeConnections() {
	for i := range s.world.Time.WaitFor {
		w := &s.world.Time.WaitFor[i]
		if w.Order == timesync.OrderAll {
			s.clock.gate.Connect(i, unacknowledged{})
		} else if w.After != "" {
			s.clock.gate.Connect(i, listener{s.pipeline, w})
		}
	}
}

// listener is the connection of a robot that this program controls, and that answers the frames of one sensor.
type listener struct {
	sensors *pipeline.Pipeline
	*timesync.WaitFor
}

func (l listener) Missing() ([]string, int64) {
	if l.sensors.Listened(l.Robot, l.After) {
		return nil, 0
	}
	return []string{"a listener to " + l.Robot + "." + l.After}, 0
}

func (listener) Pending() string { return "" }

// unacknowledged is the connection of a robot that this program controls, in a world that waits for the robot's
// acknowledgements. The connection is never complete, since only a robot with a network connection can acknowledge
// messages.
type unacknowledged struct{}

func (unacknowledged) Missing() ([]string, int64) {
	return []string{"a connection that acknowledges messages"}, 0
}

func (unacknowledged) Pending() string { return "" }
