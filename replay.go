package omnipitch

import (
	"errors"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds"
)

// ReplaySource replays a recorded run in a Sim: it returns the recorded inputs, and moves the Sim to other moments of
// the run.
type ReplaySource interface {
	// Next returns the next input if it belongs to a moment of a step, else nil. It is valid until the next call.
	Next(step int64, moment Moment) (*Input, error)
	// Over reports whether all inputs have been returned, so that the Sim accepts inputs from outside again. It may be
	// called from any goroutine.
	Over() bool
	// BeforeStep is called by the goroutine that steps before each step, and also while a run is paused, whenever Clock
	// is poked. It may move the Sim with Replay.Skip, and is not called again meanwhile. Step returns its error. Run
	// returns without an error for ErrEnd, and takes no step for ErrHold.
	BeforeStep() error
}

// ErrReplaying is returned for everything that would change a run whose inputs come from a ReplaySource.
var ErrReplaying = errors.New("a recording is played, which nothing from outside changes")

// ErrEnd is returned by ReplaySource.BeforeStep to end a run.
var ErrEnd = errors.New("the run is over")

// ErrHold is returned by ReplaySource.BeforeStep after it has paused the clock, so that the run takes no step.
var ErrHold = errors.New("the run stays where it is")

// Replay is what recordings and replays need of a Sim: key frames, and moving to other moments of a run. It belongs to
// the goroutine that steps, between two steps.
type Replay struct{ sim *Sim }

// Replay returns what recordings and replays need of the Sim.
func (s *Sim) Replay() Replay { return Replay{s} }

// skipping is the state of Replay.Skip.
type skipping struct {
	left         func() time.Duration // sim time that is still to be skipped; nil: the Sim does not skip
	inBeforeStep bool                 // ReplaySource.BeforeStep is running
}

// Skip calls move, which moves the Sim to another moment by RestartNow, RestoreKeyFrame and Step, in any order.
// Meanwhile no listener, timer or clock is called, and events neither change the speed of the run nor end it. left
// returns how much sim time is still to be skipped from the present state on. Each step calls it, so that nothing is
// drawn or perceived that would be delivered within that time.
//
// After move the clocks jump to the time of the Sim. Listeners of the clock receive the last time that was due by then,
// and listeners of levels the level of each sensor. The time until timers are due stays the same. A world at time 0 is
// announced. After an error the Sim can only be closed.
func (r Replay) Skip(left func() time.Duration, move func() error) error {
	s := r.sim
	paused := s.clock.Paused()
	s.skip.left = left
	err := move()
	s.skip.left = nil
	if err != nil {
		return err
	}
	if !paused { // an event may have paused it
		s.clock.Resume()
	}
	s.clock.jump()
	s.pipeline.ResumeDelivery(s.world.Time.Step)
	s.clock.ticks.repeat()
	return s.announceStart()
}

// RestartNow restarts a world at once, as Restart does before the next step. It must be called from move of Skip. After
// an error the Sim can only be closed.
func (r Replay) RestartNow(world *worlds.World) error {
	s := r.sim
	if s.commands.isClosed() {
		return ErrClosed
	}
	if world != s.world {
		if err := s.canRestart(world); err != nil {
			return err
		}
	}
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	s.dropPending()
	return s.restart(world)
}

// SetReplayLevel sets another level of a sensor than it had in the recorded run, from its next frame on. It holds until
// the recorded run switches the sensor, or RestoreKeyFrame is called. It changes no body, since the exact states are
// played. It fails for a Sim that does not replay.
func (r Replay) SetReplayLevel(robot, sensor string, level abstraction.Level) error {
	if !r.sim.inputs.closed() {
		return errors.New("a run has levels, which an action sets")
	}
	return r.sim.pipeline.Set(robot, sensor, &level, nil)
}

// OnStepEnd calls f at the end of every step, after all due observations have been delivered. It must be called before
// the first step.
func (r Replay) OnStepEnd(f func()) { r.sim.onStepEnd = append(r.sim.onStepEnd, f) }

// AppendKeyFrame appends a key frame to a buffer: the exact state of everything but the bodies, whose state Truth
// returns. From both, RestoreKeyFrame continues exactly as this Sim does, given the inputs of later steps. It may be
// called by a function of OnStepEnd. When it is called, Options.OnInput has received all inputs that the key frame
// contains, and no others. It appends nothing between Restart and the next step.
//
// A key frame holds no images. For the images that are being drawn it holds what they show, so that RestoreKeyFrame
// draws them again. Frames of sensors and levels that were plugged in are not contained: those on their way are lost,
// and so is the frame that a frozen sensor of this kind repeats.
func (r Replay) AppendKeyFrame(to []byte) []byte { return r.sim.appendKeyFrame(to) }

// RestoreKeyFrame continues from a key frame: the next step is the one after it. The Sim must have the world of the Sim
// that appended the key frame. state is the state of the bodies at that time, which the engine must have too.
// Listeners, timers and connections stay. Observations on their way are dropped, and so are commands, levels, faults
// and restarts that no step has taken. Functions of OnStep are not called with state.
//
// It fails, and changes nothing, if the key frame is of another world, seed or version, or of another step than state.
// After any other error the Sim can only be closed. Such errors come from damaged key frames, and from images that this
// machine cannot draw (render.ErrNoContext).
func (r Replay) RestoreKeyFrame(data []byte, state *physics.Snapshot) error {
	return r.sim.restoreKeyFrame(data, state)
}

// beforeStep calls ReplaySource.BeforeStep, unless it is running already.
func (s *Sim) beforeStep() error {
	if s.inputs.source == nil || s.skip.inBeforeStep {
		return nil
	}
	s.skip.inBeforeStep = true
	defer func() { s.skip.inBeforeStep = false }()
	return s.inputs.source.BeforeStep()
}

// hidden reports whether the Sim skips, so that nobody sees its steps.
func (s *Sim) hidden() bool { return s.skip.left != nil }

// skipFrames tells the pipeline which frames nobody receives.
func (s *Sim) skipFrames() {
	if s.hidden() {
		s.pipeline.Skip(s.truth.Time + max(s.skip.left(), 0))
	}
}

// jump sets the clock to the time of the present state, unless the Sim skips.
func (s *Sim) jump() {
	if !s.hidden() {
		s.clock.jump()
	}
}
