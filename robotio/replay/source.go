package replay

import (
	"sync/atomic"

	"github.com/omnipitch/omnipitch"
)

// source returns the recorded inputs of a run.
type source struct {
	inputs []numbered
	next   int
	before int64       // number of steps of earlier episodes
	at     int64       // last step of the current episode
	until  int64       // number of steps, over all episodes, after which the replay ends and external inputs are taken
	over   atomic.Bool // external inputs are taken

	beforeStep func() error
}

// begin begins the next episode.
func (s *source) begin() { s.before, s.at = s.before+s.at, 0 }

// stepped notes that a step was taken.
func (s *source) stepped(step int64) {
	s.at = step
	s.over.Store(s.before+step >= s.until)
}

// Next implements omnipitch.ReplaySource.
func (s *source) Next(step int64, moment omnipitch.Moment) (*omnipitch.Input, error) {
	if moment < omnipitch.BeforeEvents {
		s.stepped(step - 1)
	} else {
		s.stepped(step)
	}
	if s.next == len(s.inputs) || s.inputs[s.next].Step != step || s.inputs[s.next].Moment != moment {
		return nil, nil
	}
	s.next++
	return &s.inputs[s.next-1].Input, nil
}

// Over implements omnipitch.ReplaySource.
func (s *source) Over() bool { return s.over.Load() }

// BeforeStep implements omnipitch.ReplaySource.
func (s *source) BeforeStep() error { return s.beforeStep() }
