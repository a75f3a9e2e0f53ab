package replay

import (
	"sync/atomic"

	"github.com/omnipitch/omnipitch"
)

// source gives a run its inputs back.
type source struct {
	inputs []numbered
	next   int
	before int64       // steps of the episodes before
	at     int64       // step of the present one that has been taken last
	until  int64       // steps of all episodes after which others are taken
	over   atomic.Bool // they are
}

// begin begins another episode.
func (s *source) begin() { s.before, s.at = s.before+s.at, 0 }

// stepped notes that a step has been taken.
func (s *source) stepped(step int64) {
	s.at = step
	s.over.Store(s.before+step >= s.until)
}

// Next implements omnipitch.InputSource.
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

// Over implements omnipitch.InputSource.
func (s *source) Over() bool { return s.over.Load() }
