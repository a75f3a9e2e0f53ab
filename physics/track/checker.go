package track

import (
	"fmt"
	"io"

	"github.com/omnipitch/omnipitch/physics"
)

// Checker is an engine that wraps another engine, and compares the states of that engine with a log, or with hashes. In
// each step it compares two states: the state after the step, and the observed state.
type Checker struct {
	physics.Engine
	model   *physics.Model
	want    *Playback                  // the log, at the next state that it has; nil: no log
	hash    func(int64) (uint64, bool) // returns the hashes of states that want lacks; may be nil
	changed bool                       // the state is new and not compared yet
	state   [2]physics.Snapshot        // reused
	at      int64                      // current step
	steps   int64
	parting *Parting
}

var _ physics.Settler = (*Checker)(nil)

// Parting is the first difference between a run and a log.
type Parting struct {
	Step       int64
	Difference       // A is the run's value, B the log's
	Err        error // not nil: the log has no state to compare with, because it ends before the step or is damaged
}

// NewChecker returns a checker that wraps an engine of a model. The engine must be at its start. The argument want, if
// not nil, plays a log, which may begin at a later step and have gaps. The function hash, if not nil, returns the hash
// of the observed state of a step (physics.Snapshot.Hash), and reports whether it is known. The checker uses this hash
// for steps whose states the log lacks.
func NewChecker(engine physics.Engine, model *physics.Model, want *Playback, hash func(step int64) (uint64,
	bool)) *Checker {
	return &Checker{Engine: engine, model: model, want: want, hash: hash, changed: true}
}

// Parting returns the first difference between the run and the log, or nil.
func (c *Checker) Parting() *Parting { return c.parting }

// Steps returns the number of steps whose observed states agree with the log or the hashes.
func (c *Checker) Steps() int64 { return c.steps }

// Step implements physics.Engine.
func (c *Checker) Step(commands []physics.Command) error {
	if err := c.Engine.Step(commands); err != nil {
		return err
	}
	c.changed = true
	c.at++
	if c.want == nil || c.parting != nil || c.want.step() >= c.at {
		return nil
	}
	switch err := c.want.next(); {
	case err == io.EOF && c.hash != nil:
		c.want = nil
	case err == io.EOF:
		c.parting = &Parting{Step: c.at, Err: fmt.Errorf("the log ends with step %d", c.want.step())}
	case err != nil:
		c.parting = &Parting{Step: c.at, Err: err}
	}
	return nil
}

// known reports whether the log has states of the current step.
func (c *Checker) known() bool { return c.want != nil && c.want.step() == c.at }

// Snapshot implements physics.Engine.
func (c *Checker) Snapshot(s *physics.Snapshot) {
	c.Engine.Snapshot(s)
	if c.changed {
		c.compare(s)
	}
	c.changed = false
}

// Settle implements physics.Settler.
func (c *Checker) Settle() bool {
	changed := false
	if s, ok := c.Engine.(physics.Settler); ok {
		changed = s.Settle()
	}
	if c.parting != nil {
		return changed
	}
	s := &c.state[0]
	c.Engine.Snapshot(s)
	if c.known() {
		c.want.Settle()
		c.compare(s)
	} else if c.hash == nil {
		return changed
	} else if want, ok := c.hash(s.Step); !ok {
		return changed
	} else if got := s.Hash(); got != want {
		c.parting = &Parting{Step: s.Step, Difference: Difference{"hash of the state", got, want}}
	}
	if c.parting == nil {
		c.steps++
	}
	return changed
}

// compare compares a state with the current state of the log.
func (c *Checker) compare(s *physics.Snapshot) {
	if c.parting != nil || !c.known() {
		return
	}
	want := &c.state[1]
	c.want.Snapshot(want)
	if c.want.err != nil {
		c.parting = &Parting{Step: s.Step, Err: c.want.err}
	} else if d, differ := Diff(s, want, c.model); differ {
		c.parting = &Parting{Step: s.Step, Difference: d}
	}
}
