package omnipitch

import (
	"errors"
	"time"

	"github.com/omnipitch/omnipitch/worlds"
)

// ErrEnd is returned by Options.Between to end a run.
var ErrEnd = errors.New("the run is over")

// ErrHold is returned by Options.Between, which has paused the clock, to have no step taken: a run stays where it is,
// whether it was to go on by itself or step by step.
var ErrHold = errors.New("the run stays where it is")

// skipping is how a Sim goes elsewhere unseen.
type skipping struct {
	left func() time.Duration // how much sim time is still to be skipped; nil: listeners are told of everything
	busy bool                 // Options.Between is called
}

// Skip calls move, which takes the Sim to another moment by Begin, RestoreKeyFrame and Step, in any order. Nobody is
// told of what happens meanwhile: no listener, no timer, no clock. What events do then to how fast the run goes, or to
// end it, is not done. left returns how much sim time is still to be skipped from the present state on; it is asked in
// each step, so that nothing is drawn, or perceived, that would be delivered by then.
//
// Then clocks jump to where the Sim is, their listeners get the time that others got last by then, those of levels get
// each sensor's, and timers are due after as long as they would have been. A world at its beginning announces time 0.
// It belongs to the goroutine that steps, between two steps. After an error the Sim can only be closed.
func (s *Sim) Skip(left func() time.Duration, move func() error) error {
	paused := s.timing.clock.Paused()
	s.skip.left = left
	err := move()
	s.skip.left = nil
	if err != nil {
		return err
	}
	if !paused { // events may have
		s.timing.clock.Resume()
	}
	s.jump()
	s.sensors.See(s.world.Time.Step)
	if c := &s.clockOut; c.last >= 0 {
		for _, f := range c.listeners {
			f(c.last)
		}
	}
	return s.begin()
}

// Begin has a world begin again as Restart does, but at once. It belongs to the goroutine that steps, in what Skip
// calls. After an error the Sim can only be closed.
func (s *Sim) Begin(world *worlds.World) error {
	if s.commands.isClosed() {
		return ErrClosed
	}
	if world != s.world {
		if err := s.mayRestart(world); err != nil {
			return err
		}
	}
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	s.commands.forget()
	s.radios.forget()
	s.again.Store(nil)
	return s.restart(world)
}

// between calls Options.Between, which steps in its turn.
func (s *Sim) between() error {
	if s.opts.Between == nil || s.skip.busy {
		return nil
	}
	s.skip.busy = true
	defer func() { s.skip.busy = false }()
	return s.opts.Between()
}

// unseen tells whether nobody is told what happens.
func (s *Sim) unseen() bool { return s.skip.left != nil }

// skipSensors tells the sensors what nobody gets.
func (s *Sim) skipSensors() {
	if s.unseen() {
		s.sensors.Skip(s.truth.Time + max(s.skip.left(), 0))
	}
}

// jump has clocks and timers go on from the present state, unless they stand.
func (s *Sim) jump() {
	if !s.unseen() {
		s.timers.restart(s.timing.clock, func() { s.timing.jump(s.truth.Time) })
	}
}
