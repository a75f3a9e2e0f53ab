package omnipitch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/timesync"
)

// Pace says how long and how fast a run goes.
type Pace struct {
	For   time.Duration // sim time; 0 is until the context ends
	Speed timesync.Speed
	// Progress, if not nil, is called about once a second of wall time.
	Progress func(Progress)
	// Began, if not nil, is called at the beginning of each step, by the goroutine that steps, with the wall time of
	// Options.Wall and the real-time factor that the run is paced to; 0 if it goes as fast as it can.
	Began func(wall time.Duration, target float64)
	// Paused, if not nil, is called by the goroutine that steps while Clock is paused, whenever Clock is poked.
	Paused func()
	// Notify, if not nil, is called with a sentence that a user should read: which robots the run waits for, at which
	// pace it goes on.
	Notify func(string)
}

// Progress is how a run is getting on.
type Progress struct {
	Sim, Wall time.Duration // since the run began
	Factor    float64       // real-time factor since the last Progress, or since the run began or went on
	Target    float64       // real-time factor that the run is paced to; 0 if it goes as fast as it can
	Frames    uint64        // that sensors have delivered since the run began
	Game      *GameReport   // nil without a referee as long as nobody has scored or commanded the game
}

// Clock returns the world's sim time, which may be paused, resumed and stepped from any goroutine while Run runs. It is
// set by the Sim alone: its Reset and Jump are not for others.
func (s *Sim) Clock() *timesync.Clock { return s.timing.clock }

// Run steps until the time is over, ctx ends, or action End ends it, which is no error. At speed lockstep it fails when
// a robot does not answer in time that is not to be done without.
func (s *Sim) Run(ctx context.Context, pace Pace) (*Report, error) {
	if err := (effects{s}).SetSpeed(pace.Speed); err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	s.timing.end.Store(&end)
	defer s.timing.end.Store(nil)
	r := run{Sim: s, pace: pace, begun: s.timing.wall.Now()}
	s.sensors.CountAnew()
	s.timing.pacer = timesync.NewPacer(s.timing.wall, s.timing.clock.Step(), pace.Speed,
		timesync.Plan{Workers: pipeline.Drawers, Steps: s.plan})
	defer func() { s.timing.pacer = nil; s.timing.showPace() }()
	r.setSpeed(pace.Speed)
	defer func() { r.setSpeed(timesync.Max) }()
	s.timing.meter.Reset()
	for ctx.Err() == nil && (pace.For == 0 || r.simulated() < pace.For) {
		if err := r.step(ctx); errors.Is(err, ErrEnd) {
			break
		} else if err != nil {
			return nil, err
		}
		if s.timing.ended.Swap(false) {
			r.notify("ended at %.2f s by action end", s.Time().Seconds())
			break
		}
	}
	return r.report(), nil
}

// run is one call of Run.
type run struct {
	*Sim
	pace   Pace
	begun  time.Duration                     // wall time
	steps  int64                             // taken
	shown  struct{ sim, wall time.Duration } // of the last progress, since the run began
	held   float64                           // factor that was reported
	paused bool                              // has been told

	undoPrompt func() // while the run waits for its time
}

// step waits until the next step may begin, and takes it.
func (r *run) step(ctx context.Context) error {
	if speed := *r.timing.speed.Load(); speed != r.timing.pacer.Speed() {
		r.timing.pacer.SetSpeed(speed)
		r.setSpeed(speed)
	}
	if paused := r.timing.clock.Paused(); paused != r.paused {
		if r.paused = paused; paused && r.pace.Paused == nil { // else a window shows it
			r.notify("paused at %.2f s", r.Time().Seconds())
		}
	}
	var err error
	if r.timing.clock.Await(ctx, func() { err = errors.Join(err, r.poked()) }) {
		r.timing.pacer.Restart()
		r.timing.meter.Reset()
		r.timing.cost.Anew = true
		r.shown.sim, r.shown.wall = r.simulated(), r.timing.wall.Now()-r.begun // a pause is not slow
	}
	if err = errors.Join(err, r.prepare()); errors.Is(err, ErrHold) {
		return nil // the clock is paused
	} else if err != nil {
		return err
	}
	r.timing.pacer.Wait(ctx, r.Time())
	r.timing.showPace()
	r.timing.beginCost(r.Time())
	if r.pace.Began != nil {
		r.pace.Began(r.timing.pacer.Began(), r.timing.pacer.Factor())
	}
	if err := r.answered(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	// robots have answered what this world has told them, not yet what another would
	if err := r.advance(); err != nil {
		return err
	}
	r.steps++
	r.timing.pacer.Done(r.timing.work)
	r.timing.endCost()
	now := r.timing.wall.Now() - r.begun
	r.timing.meter.Waited(r.timing.work.Idle)
	r.timing.meter.Add(now, r.Time())
	r.followPace()
	r.sayWhoYielded()
	r.progress(now)
	return nil
}

// poked does what can be asked for while the clock is paused.
func (r *run) poked() error {
	if err := r.prepare(); err != nil && !errors.Is(err, ErrHold) {
		return err
	}
	r.timers.fire(r.truth.Time)
	if r.pace.Paused != nil {
		r.pace.Paused()
	}
	return nil
}

// simulated is how much sim time the run has simulated.
func (r *run) simulated() time.Duration {
	return time.Duration(r.steps) * r.timing.clock.Step()
}

// progress reports about once a second how the run is getting on.
func (r *run) progress(now time.Duration) {
	if r.pace.Progress == nil || now-r.shown.wall < time.Second {
		return
	}
	sim := r.simulated()
	factor := (sim - r.shown.sim).Seconds() / (now - r.shown.wall).Seconds()
	r.shown.wall, r.shown.sim = now, sim
	r.pace.Progress(Progress{
		Sim: sim, Wall: now, Factor: factor, Target: r.timing.pacer.Factor(), Frames: r.sensors.Delivered(),
		Game: r.officials.report(),
	})
}

// setSpeed prepares for a speed: for waiting on time, or for robots.
func (r *run) setSpeed(speed timesync.Speed) {
	if speed.Paced() && r.undoPrompt == nil {
		r.undoPrompt = timesync.Prompt()
	} else if !speed.Paced() && r.undoPrompt != nil {
		r.undoPrompt()
		r.undoPrompt = nil
	}
	if lockstep := speed == timesync.Lockstep; lockstep != r.timing.lockstep {
		r.timing.lockstep, r.timing.gathered = lockstep, false
		r.timing.gate.Clear()
	}
}

// followPace reports at speed steady which factor is held, and lets the clock go on at it between steps.
func (r *run) followPace() {
	factor := r.timing.pacer.Factor()
	if factor > 0 {
		r.timing.clock.SetRate(factor)
	} else if f := r.timing.meter.Factor(); f > 0 {
		r.timing.clock.SetRate(f)
	}
	if factor == r.held {
		return
	}
	r.held = factor
	if r.timing.pacer.Speed() == timesync.Steady && factor > 0 {
		r.notify("steady: holding %.3g x real time", factor)
	}
}

func (r *run) notify(format string, args ...any) {
	if r.pace.Notify != nil {
		r.pace.Notify(fmt.Sprintf(format, args...))
	}
}

// Predict returns how much wall time it will take from now on until so much sim time has gone by. It belongs to the
// goroutine that steps, as in a function that OnStep calls, while Run runs; otherwise it returns 0.
func (s *Sim) Predict(d time.Duration) timesync.Forecast {
	if s.timing.pacer == nil {
		return timesync.Forecast{}
	}
	return s.timing.pacer.Predict(s.truth.Time, d)
}

// plan implements timesync.Plan.
func (s *Sim) plan(from time.Duration, n int, steps []timesync.PlannedStep,
	jobs []timesync.Job) ([]timesync.PlannedStep, []timesync.Job) {
	return s.sensors.Plan(s.timing.clock.Step(), from, n, steps, jobs)
}

// Factor returns how fast the world runs, and is to run: without a target before Run, and after it. It may be called
// from any goroutine.
func (s *Sim) Factor() timesync.RealTimeFactor {
	f := *s.timing.paced.Load()
	f.Speed = *s.timing.speed.Load()
	if measured := s.timing.meter.Factor(); measured > 0 { // it may be NaN
		f.Measured = measured
	}
	return f
}
