package omnipitch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/timesync/lockstep"
)

// Pace says how long and how fast a run goes.
type Pace struct {
	For   time.Duration // sim time; 0 is until the context ends
	Speed timesync.Speed
	// Progress, if not nil, is called about once a second of wall time.
	Progress func(Progress)
	// Began, if not nil, is called at the beginning of each step with the wall time of Options.Wall, by the goroutine that steps.
	Began func(wall time.Duration)
	// Paused, if not nil, is called by the goroutine that steps while Clock is paused, whenever Clock is poked.
	Paused func()
	// Tell, if not nil, is told in a sentence what a user should know: whom the run waits for, at which pace it goes on.
	Tell func(string)
}

// Progress is how a run is getting on.
type Progress struct {
	Sim, Wall time.Duration // since the run began
	Factor    float64       // real-time factor since the last Progress, or since the run began or went on
	Target    float64       // real-time factor that the run is paced to; 0 if it goes as fast as it can
}

// Clock returns the world's sim time, which may be paused, resumed and stepped from any goroutine while Run runs. It is set by the Sim
// alone: its Reset and Jump are not for others.
func (s *Sim) Clock() *timesync.Clock { return s.clock }

// SetSpeed changes the speed of the run that goes on, from any goroutine.
func (s *Sim) SetSpeed(speed timesync.Speed) error {
	if err := s.checkSpeed(speed); err != nil {
		return err
	}
	s.speed.Store(&speed)
	return nil
}

func (s *Sim) checkSpeed(speed timesync.Speed) error {
	if speed == timesync.Lockstep && len(s.world.Time.WaitFor) == 0 {
		return errors.New("speed = \"lockstep\": needs [[time.wait_for]]: the world names no robot to wait for")
	}
	return nil
}

// Run steps until the time is over or ctx ends, which is no error. At speed lockstep it fails when a robot does not answer in time that is
// not to be done without.
func (s *Sim) Run(ctx context.Context, pace Pace) (*Report, error) {
	if err := s.SetSpeed(pace.Speed); err != nil {
		return nil, err
	}
	r := run{Sim: s, pace: pace, begun: s.wall.Now(), first: s.truth.Step}
	s.pacer = timesync.NewPacer(s.wall, s.clock.Step(), pace.Speed, timesync.Plan{Workers: drawers, Steps: s.plan})
	defer func() { s.pacer = nil }()
	r.setSpeed(pace.Speed)
	defer func() { r.setSpeed(timesync.Max) }()
	s.meter.Reset()
	for begin := s.Time(); ctx.Err() == nil && (pace.For == 0 || s.Time()-begin < pace.For); {
		if err := r.step(ctx); err != nil {
			return nil, err
		}
	}
	return r.report(), nil
}

// run is one call of Run.
type run struct {
	*Sim
	pace  Pace
	begun time.Duration                     // wall time
	first int64                             // step
	shown struct{ sim, wall time.Duration } // of the last progress, since the run began
	aim   float64                           // that was told

	undoPrompt func() // while the run waits for its time
}

// step waits until the next step may begin, and takes it.
func (r *run) step(ctx context.Context) error {
	if speed := *r.speed.Load(); speed != r.pacer.Speed() {
		r.pacer.SetSpeed(speed)
		r.setSpeed(speed)
	}
	if r.clock.Await(ctx, r.pace.Paused) {
		r.pacer.Restart()
		r.meter.Reset()
		r.shown.sim, r.shown.wall = r.gone(), r.wall.Now()-r.begun // a pause is not slow
	}
	r.pacer.Wait(ctx, r.Time())
	r.idle = 0
	if r.pace.Began != nil {
		r.pace.Began(r.pacer.Began())
	}
	if err := r.answered(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	if err := r.Step(); err != nil {
		return err
	}
	r.pacer.Done(timesync.Work{Kind: r.did, Idle: r.idle, Beside: r.frames.busy.total(), Tight: r.tight})
	now := r.wall.Now() - r.begun
	r.meter.Waited(r.idle)
	r.meter.Add(now, r.Time())
	r.tellAim()
	r.progress(now)
	return nil
}

// gone is how much sim time the run has simulated.
func (r *run) gone() time.Duration { return time.Duration(r.truth.Step-r.first) * r.clock.Step() }

// progress tells about once a second how the run is getting on.
func (r *run) progress(now time.Duration) {
	if r.pace.Progress == nil || now-r.shown.wall < time.Second {
		return
	}
	sim := r.gone()
	factor := (sim - r.shown.sim).Seconds() / (now - r.shown.wall).Seconds()
	r.shown.wall, r.shown.sim = now, sim
	r.pace.Progress(Progress{Sim: sim, Wall: now, Factor: factor, Target: r.pacer.Factor()})
}

// setSpeed prepares for a speed: for waiting on time, or for robots.
func (r *run) setSpeed(speed timesync.Speed) {
	if speed.Paced() && r.undoPrompt == nil {
		r.undoPrompt = timesync.Prompt()
	} else if !speed.Paced() && r.undoPrompt != nil {
		r.undoPrompt()
		r.undoPrompt = nil
	}
	if lockstep := speed == timesync.Lockstep; lockstep != r.lockstep {
		r.lockstep, r.gathered = lockstep, false
		r.gate.Forgive()
	}
}

// tellAim tells at speed steady which factor is held, and lets the clock go on at it between steps.
func (r *run) tellAim() {
	aim := r.pacer.Factor()
	if aim > 0 {
		r.clock.SetRate(aim)
	} else if f := r.meter.Factor(); f > 0 {
		r.clock.SetRate(f)
	}
	if aim == r.aim {
		return
	}
	r.aim = aim
	if r.pacer.Speed() == timesync.Steady && aim > 0 {
		r.tell("steady: holding %.3g x real time", aim)
	}
}

func (r *run) tell(format string, args ...any) {
	if r.pace.Tell != nil {
		r.pace.Tell(fmt.Sprintf(format, args...))
	}
}

// answered returns at speed lockstep when all robots have answered that are waited for. Before the first step it waits until they can.
func (r *run) answered(ctx context.Context) error {
	if !r.lockstep {
		return nil
	}
	if !r.gathered {
		if r.gate.Gather(ctx, r.post.asking, func(missing string) { r.tell("waiting for %s", missing) }) != nil {
			return nil // ctx has ended
		}
		r.gathered = true
		if err := r.begin(); err != nil {
			return err
		}
	}
	for {
		err := r.gate.Hold(ctx, r.post.asking, func(robots string) { r.tell("waiting for the first answer of %s", robots) })
		var late *lockstep.Late
		switch {
		case !errors.As(err, &late):
			return nil // all have answered, or ctx has ended
		case late.Then == timesync.Fail:
			return late
		case late.Then == timesync.Pause:
			r.tell("%v: paused", late)
			r.clock.Pause()
			r.clock.Await(ctx, r.pace.Paused)
		default:
			r.tell("%v: going on without it until it answers again", late)
		}
	}
}

// Connect says how a robot of the world's time.wait_for, by its place in that list, is told what it is to answer, and answers: at speed
// lockstep no step begins before nothing is missing of it. Of a robot that nobody has connected it is assumed that it is a part of this
// program. It may be called from any goroutine; ConnectionChanged has the run look again.
func (s *Sim) Connect(robot int, c lockstep.Connection) error {
	if n := len(s.world.Time.WaitFor); robot < 0 || robot >= n {
		return fmt.Errorf("robot = %d: must be one of the %d that the world waits for", robot, n)
	}
	s.gate.Connect(robot, c)
	return nil
}

// ConnectionChanged has a run that waits for robots look at their connections again, from any goroutine.
func (s *Sim) ConnectionChanged() { s.gate.Changed() }

// connect assumes of the robots that are waited for that they are a part of this program.
func (s *Sim) connect() {
	for i := range s.world.Time.WaitFor {
		w := &s.world.Time.WaitFor[i]
		switch in := s.find(w.Robot, w.After); {
		case w.Order == timesync.OrderAll:
			s.gate.Connect(i, unacknowledged{})
		case in != nil:
			s.gate.Connect(i, listeners{in})
		}
	}
}

// listeners is the connection of a robot in this program that answers a sensor.
type listeners struct{ in *instance }

func (l listeners) Missing() ([]string, int64) {
	if _, wanted := l.in.wanted(); wanted {
		return nil, 0
	}
	return []string{"a listener to " + l.in.robotName + "." + l.in.cfg.Name}, 0
}

func (listeners) Pending() string { return "" }

// unacknowledged is the connection of a robot whose messages nobody counts.
type unacknowledged struct{}

func (unacknowledged) Missing() ([]string, int64) {
	return []string{"a connection that acknowledges messages"}, 0
}

func (unacknowledged) Pending() string { return "" }

// Ack tells that a robot has seen everything up to a sim time, which answers it at speed lockstep if the world says answer = "ack".
func (s *Sim) Ack(robot string, upTo time.Duration) error {
	if _, ok := s.world.Robot(robot); !ok {
		return fmt.Errorf("robot = %q: there is no such robot", robot)
	}
	s.gate.Ack(robot, upTo)
	return nil
}

// Predict foretells how much wall time it will take from now on until so much sim time has gone by. It belongs to the goroutine that steps,
// as in a function that OnStep calls, while Run runs; otherwise it returns 0.
func (s *Sim) Predict(d time.Duration) timesync.Forecast {
	if s.pacer == nil {
		return timesync.Forecast{}
	}
	return s.pacer.Predict(s.truth.Time, d)
}

// Factor returns the measured real-time factor of the last second of wall time. It may be called from any goroutine.
func (s *Sim) Factor() float64 { return s.meter.Factor() }

// TargetFactor returns the real-time factor that the run is paced to, and 0 if it goes as fast as it can. It belongs to the goroutine that steps.
func (s *Sim) TargetFactor() float64 {
	if s.pacer == nil {
		return 0
	}
	return s.pacer.Factor()
}
