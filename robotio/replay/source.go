package replay

import (
	"sort"
	"sync/atomic"

	"github.com/omnipitch/omnipitch"
)

// source provides the recorded inputs of a run to a Sim.
type source struct {
	inputs []numbered
	next   int   // index of the next input
	end    int   // index after the last input of the current episode
	steps  int64 // number of recorded steps of the current episode
	before int64 // number of steps in earlier episodes
	at     int64 // number of the last step taken in the current episode
	// number of steps, in all episodes together, after which the replay ends and the Sim takes external inputs
	until int64
	over  atomic.Bool // whether the Sim takes external inputs

	beforeStep func() error
}

// begin starts the next episode, which has the given number of steps. The other arguments are the numbers of inputs
// before this episode and before the episode after it.
func (s *source) begin(steps int64, before, after uint64) {
	s.steps = steps
	s.before, s.at = s.before+s.at, 0
	if before != unknown {
		s.next = s.behind(before)
	}
	s.end = s.behind(after)
}

// behind returns the index of the first input whose number is greater than n.
func (s *source) behind(n uint64) int {
	return sort.Search(len(s.inputs), func(i int) bool { return s.inputs[i].number > n })
}

// stepped records that the given step of the episode was taken.
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
	if s.next >= s.end || s.inputs[s.next].Step != step || s.inputs[s.next].Moment != moment {
		return nil, nil
	}
	s.next++
	return &s.inputs[s.next-1].Input, nil
}

// Steps implements omnipitch.ReplaySource.
func (s *source) Steps() int64 { return s.steps }

// Over implements omnipitch.ReplaySource.
func (s *source) Over() bool { return s.over.Load() }

// BeforeStep implements omnipitch.ReplaySource.
func (s *source) BeforeStep() error { return s.beforeStep() }
