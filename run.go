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

// Run steps until the time is over, ctx ends, or action End ends it, which is no error. At speed lockstep it fails when
// a robot does not answer in time that is not to be done without.
func (s *Sim) Run(ctx context.Context, pace Pace) (*Report, error) {
	if err := (externalActions{s}).SetSpeed(pace.Speed); err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	s.clock.end.stop.Store(&end)
	defer s.clock.end.stop.Store(nil)
	r := run{Sim: s, pace: pace, begun: s.clock.wall.Now()}
	s.pipeline.CountAnew()
	s.clock.pacer = timesync.NewPacer(s.clock.wall, s.clock.Step(), pace.Speed,
		timesync.Plan{Workers: pipeline.Drawers, Steps: s.plan})
	defer func() { s.clock.pacer = nil; s.clock.publishTarget() }()
	r.setSpeed(pace.Speed)
	defer func() { r.setSpeed(timesync.Max) }()
	s.clock.meter.Reset()
	for ctx.Err() == nil && (pace.For == 0 || r.simulated() < pace.For) {
		if err := r.step(ctx); errors.Is(err, ErrEnd) {
			break
		} else if err != nil {
			return nil, err
		}
		if s.clock.end.asked.Swap(false) {
			r.notify("ended at %.2f s by action end", s.truth.Time.Seconds())
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
	if speed := *r.clock.speed.Load(); speed != r.clock.pacer.Speed() {
		r.clock.pacer.SetSpeed(speed)
		r.setSpeed(speed)
	}
	if paused := r.clock.Paused(); paused != r.paused {
		if r.paused = paused; paused && r.pace.Paused == nil { // else a window shows it
			r.notify("paused at %.2f s", r.truth.Time.Seconds())
		}
	}
	var err error
	if r.clock.Await(ctx, func() { err = errors.Join(err, r.poked()) }) {
		r.clock.pacer.Restart()
		r.clock.meter.Reset()
		r.clock.cost.Anew = true
		r.shown.sim, r.shown.wall = r.simulated(), r.clock.wall.Now()-r.begun // a pause is not slow
	}
	if err = errors.Join(err, r.prepare()); errors.Is(err, ErrHold) {
		return nil // the clock is paused
	} else if err != nil {
		return err
	}
	r.clock.pacer.Wait(ctx, r.truth.Time)
	r.clock.publishTarget()
	r.clock.beginCost()
	if r.pace.Began != nil {
		r.pace.Began(r.clock.pacer.Began(), r.clock.pacer.Factor())
	}
	if err := r.answered(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	// robots have answered what this world has told them, not yet what another would
	if err := r.advance(); err != nil {
		return err
	}
	r.steps++
	r.clock.pacer.Done(r.clock.work)
	r.clock.endCost()
	now := r.clock.wall.Now() - r.begun
	r.clock.meter.Waited(r.clock.work.Idle)
	r.clock.meter.Add(now, r.truth.Time)
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
	r.clock.timers.Fire(r.truth.Time)
	if r.pace.Paused != nil {
		r.pace.Paused()
	}
	return nil
}

// simulated is how much sim time the run has simulated.
func (r *run) simulated() time.Duration {
	return time.Duration(r.steps) * r.clock.Step()
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
		Sim: sim, Wall: now, Factor: factor, Target: r.clock.pacer.Factor(), Frames: r.pipeline.Delivered(),
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
	if lockstep := speed == timesync.Lockstep; lockstep != r.clock.lockstep {
		r.clock.lockstep, r.clock.gathered = lockstep, false
		r.clock.gate.Clear()
	}
}

// followPace reports at speed steady which factor is held, and lets the clock go on at it between steps.
func (r *run) followPace() {
	factor := r.clock.pacer.Factor()
	if factor > 0 {
		r.clock.SetRate(factor)
	} else if f := r.clock.meter.Factor(); f > 0 {
		r.clock.SetRate(f)
	}
	if factor == r.held {
		return
	}
	r.held = factor
	if r.clock.pacer.Speed() == timesync.Steady && factor > 0 {
		r.notify("steady: holding %.3g x real time", factor)
	}
}

func (r *run) notify(format string, args ...any) {
	if r.pace.Notify != nil {
		r.pace.Notify(fmt.Sprintf(format, args...))
	}
}

// plan implements timesync.Plan.
func (s *Sim) plan(from time.Duration, n int, steps []timesync.PlannedStep,
	jobs []timesync.Job) ([]timesync.PlannedStep, []timesync.Job) {
	return s.pipeline.Plan(s.clock.Step(), from, n, steps, jobs)
}
