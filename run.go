package omnipitch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render/backend"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/command"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/match"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// Pace configures one call of Sim.Run: its length, its speed and its callbacks. The goroutine that steps calls the
// callbacks.
type Pace struct {
	For   time.Duration  // sim time to simulate; 0: until the context ends
	Speed timesync.Speed // initial speed; action SetSpeed may change it
	// Progress, if not nil, is called after a step about once per second of wall time.
	Progress func(Progress)
	// Began, if not nil, is called when each step begins. Its argument wall is the time of Options.Wall at which the
	// step began. Its argument target is the real-time factor to which the run is paced; 0 means as fast as possible.
	Began func(wall time.Duration, target float64)
	// Paused, if not nil, is called while the clock is paused, after each Poke of the clock.
	Paused func()
	// Notify, if not nil, is called with messages for users, such as the robots that the run waits for, or the
	// real-time factor that it holds.
	Notify func(string)
}

// Progress is the state of a run that Pace.Progress receives.
type Progress struct {
	Sim, Wall time.Duration // sim time and wall time since the run began
	// real-time factor measured since the latest of: the last Progress, the start of the run, the end of a pause
	Factor float64
	Target float64       // real-time factor to which the run is paced; 0: as fast as possible
	Frames uint64        // frames of all sensors that have been delivered since the run began
	Game   *match.Report // nil in a world without a referee, until a goal is scored or a game command is given
}

// Report holds the results and statistics of one call of Sim.Run.
type Report struct {
	Sim      time.Duration     // sim time of the run
	Wall     time.Duration     // wall time of the run
	Steps    int64             // number of steps
	Hash     uint64            // hash of the exact bits of the last state (physics.Snapshot.Hash)
	Speed    timesync.Speed    // speed at the end of the run
	Lateness timesync.Lateness // how late paced steps began
	// Forecasts holds the errors of the run's forecasts of wall time, 0.1 s and 1 s of sim time ahead. It is empty if
	// the run was too short.
	Forecasts []timesync.ForecastScore
	Sensors   []pipeline.Report // one for each sensor
	Robots    []command.Report  // one for each robot, in the model's order
	Radios    []radio.Report    // one for each robot with a radio
	// Renderer is the renderer that rendered the images. Its name is empty if no image was rendered, or if
	// Options.NewRenderer made the renderer.
	Renderer backend.Choice
	Verdicts []expectation.Verdict // one for each expectation of the world, in the file's order
	// Game is the game of the last world of the run. In a world without a referee it is nil until a goal is scored or a
	// game command is given.
	Game *match.Report
}

// Factor returns the mean real-time factor of the run.
func (r *Report) Factor() float64 { return r.Sim.Seconds() / r.Wall.Seconds() }

// Run takes steps until the sim time pace.For has passed, ctx ends, or action End or the ReplaySource ends the run. In
// none of these cases does Run return an error. It returns a report on the run. It calls listeners, timers and
// callbacks in the calling goroutine.
//
// Run fails if the world does not support pace.Speed, and if a step fails. At speed lockstep it also fails if a robot
// does not answer in time and the world's rule for this robot is timesync.Fail.
func (s *Sim) Run(ctx context.Context, pace Pace) (*Report, error) {
	if err := (externalActions{s}).SetSpeed(pace.Speed); err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	s.clock.end.run.Store(&runContext{ctx, end})
	defer s.clock.end.run.Store(nil)
	r := run{Sim: s, pace: pace, begun: s.clock.wall.Now(), renderers: s.pipeline.Created()}
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

// Step advances the world by one step: it takes the robots' commands, moves all bodies, carries out events, judges
// expectations, captures the sensors that are due, and delivers the observations that are due. The first step, and the
// first step after Restart, begins with the state at time 0, which listeners and sensors receive before anything moves.
// Step returns ErrClosed after Close. After any error the Sim can only be closed.
func (s *Sim) Step() error {
	if err := s.prepare(); err != nil {
		return err
	}
	return s.advance()
}

// advance takes one step of the present world. Unlike Step it does not restart the world.
func (s *Sim) advance() error {
	if s.isClosed() {
		return ErrClosed
	}
	s.clock.work = timesync.Work{}
	if err := s.announceStart(); err != nil {
		return err
	}
	if err := s.takeInputs(AsStepped); err != nil {
		return err
	}
	s.match.ClearCommands(s.commands.Taken)
	if err := s.match.WalkOn(); err != nil {
		return err
	}
	s.commands.ActPushes(s.engine, s.truth.Time, s.world.Time.Step)
	begun := s.clock.cost.Now()
	if err := s.engine.Step(s.commands.Taken); err != nil {
		return fmt.Errorf("at %v: %w", s.truth.Time, err)
	}
	s.engine.Snapshot(&s.truth)
	s.clock.cost.AddPhysics(begun)
	if !s.hidden() {
		s.clock.Tick()
	}
	if err := s.pipeline.TurnHeads(s.world.Time.Step, s.engine); err != nil {
		return err
	}
	if s.light.Advance(s.world.Time.Step) {
		s.relight()
	}
	if err := s.withoutInputs(BeforeEvents, s.match.Happen); err != nil {
		return err
	}
	s.clock.publish(s.hidden())
	s.commands.Answer(&s.truth)
	s.match.DeliverRadio()
	if !s.hidden() {
		s.clock.timers.Fire(s.truth.Time)
	}
	if err := s.announce(); err != nil || s.hidden() {
		return err
	}
	for _, f := range s.listeners.stepEnd {
		f()
	}
	return nil
}

// announceStart announces the state at time 0, or does nothing if this has been done. Robots may answer this
// announcement before the first step.
func (s *Sim) announceStart() error {
	if s.begun {
		return nil
	}
	s.begun = true
	s.clock.publish(s.hidden())
	return s.announce()
}

// announce passes the present state to listeners and sensors. It first takes the inputs of the moment AfterEvents.
// After these inputs nothing changes the state until the next step.
func (s *Sim) announce() error {
	if err := s.takeInputs(AfterEvents); err != nil {
		return err
	}
	if e, ok := s.engine.(physics.Settler); ok && e.Settle() {
		s.engine.Snapshot(&s.truth)
		s.pipeline.Moved()
	}
	s.match.Judge()
	if !s.hidden() {
		for _, f := range s.listeners.step {
			f(&s.truth)
		}
	}
	s.skipFrames()
	begun := s.clock.cost.Now()
	work, err := s.pipeline.Step(s.clock.jobDone())
	s.clock.cost.AddSensors(begun)
	s.clock.addWork(work)
	return err
}

// run is one call of Run.
type run struct {
	*Sim
	pace  Pace
	begun time.Duration                     // wall time at which the run began
	steps int64                             // number of steps taken
	shown struct{ sim, wall time.Duration } // times of the last progress, since the run began
	// target real-time factor at the last call of followPace
	held      float64
	paused    bool  // the user has been notified of the present pause
	renderers int64 // value of Pipeline.Created after the last step

	// the function that timesync.Prompt returned, which undoes its effect; nil if the run is not paced
	undoPrompt func()
}

// step waits until the next step may begin, and then takes it.
func (r *run) step(ctx context.Context) error {
	if speed := *r.clock.speed.Load(); speed != r.clock.pacer.Speed() {
		r.clock.pacer.SetSpeed(speed)
		r.setSpeed(speed)
	}
	if paused := r.clock.Paused(); paused != r.paused {
		if r.paused = paused; paused && r.pace.Paused == nil { // with Pace.Paused, the caller shows the pause itself
			r.notify("paused at %.2f s", r.truth.Time.Seconds())
		}
	}
	var err error
	if r.clock.Await(ctx, func() { err = errors.Join(err, r.poked()) }) {
		r.resume()
	}
	if err = errors.Join(err, r.prepare()); errors.Is(err, ErrHold) {
		return nil // the clock is paused
	} else if err != nil {
		return err
	}
	r.clock.pacer.Wait(ctx, r.truth.Time)
	r.clock.publishTarget()
	r.clock.cost.Begin(r.truth.Time, r.clock.pacer.Began())
	if r.pace.Began != nil {
		r.pace.Began(r.clock.pacer.Began(), r.clock.pacer.Factor())
	}
	if err := r.answered(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	// advance does not restart the world: the robots have answered frames of the running world
	if err := r.advance(); err != nil {
		return err
	}
	r.steps++
	if created := r.pipeline.Created(); created != r.renderers { // creating them delays a run like a pause
		r.renderers = created
		r.resume()
	} else {
		r.clock.pacer.Done(r.clock.work)
	}
	r.clock.cost.End(r.clock.work.Idle)
	now := r.clock.wall.Now() - r.begun
	r.clock.meter.Waited(r.clock.work.Idle)
	r.clock.meter.Add(now, r.truth.Time)
	r.followPace()
	for _, robot := range r.commands.TakeYielded() {
		r.notify("%s is commanded by its own program: its scripted player has stopped", robot)
	}
	r.progress(now)
	return nil
}

// resume measures the speed anew after a pause.
func (r *run) resume() {
	r.clock.pacer.Restart()
	r.clock.meter.Reset()
	r.clock.cost.Paused()
	r.shown.sim, r.shown.wall = r.simulated(), r.clock.wall.Now()-r.begun // a pause is not slow
}

// poked handles requests while the clock is paused: restarts, timers that are due, and the callback Pace.Paused.
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

// simulated returns the sim time since the run began. Jumps of a replay do not count.
func (r *run) simulated() time.Duration {
	return time.Duration(r.steps) * r.clock.Step()
}

// progress calls Pace.Progress if a second of wall time has passed since the last call of Pace.Progress. The argument
// now is the wall time since the run began.
func (r *run) progress(now time.Duration) {
	if r.pace.Progress == nil || now-r.shown.wall < time.Second {
		return
	}
	sim := r.simulated()
	factor := (sim - r.shown.sim).Seconds() / (now - r.shown.wall).Seconds()
	r.shown.wall, r.shown.sim = now, sim
	r.pace.Progress(Progress{
		Sim: sim, Wall: now, Factor: factor, Target: r.clock.pacer.Factor(), Frames: r.pipeline.Delivered(),
		Game: r.match.Report(),
	})
}

// setSpeed prepares the run for a speed. A paced speed needs prompt wake-ups by the kernel. Speed lockstep needs a
// cleared gate.
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

// followPace sets the rate at which the clock advances between steps. At speed steady it notifies the user of each new
// target factor.
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

// plan implements timesync.Plan.Steps.
func (s *Sim) plan(from time.Duration, n int, steps []timesync.PlannedStep,
	jobs []timesync.Job) ([]timesync.PlannedStep, []timesync.Job) {
	return s.pipeline.Plan(s.clock.Step(), from, n, steps, jobs)
}

// report returns the report of the run so far.
func (r *run) report() *Report {
	sim := r.simulated()
	return &Report{
		Sim: sim, Wall: r.clock.wall.Now() - r.begun, Steps: r.steps, Hash: r.truth.Hash(),
		Speed:     r.clock.pacer.Speed(),
		Lateness:  r.clock.pacer.Lateness(),
		Forecasts: r.clock.pacer.Forecasts(),
		Sensors:   r.pipeline.Reports(sim), Robots: r.commands.Reports(), Radios: r.match.Radios(),
		Renderer: r.sensors.Renderer(), Verdicts: r.match.Verdicts(), Game: r.match.Report(),
	}
}
