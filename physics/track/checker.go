package track

import (
	"fmt"
	"io"

	"github.com/omnipitch/omnipitch/physics"
)

// Checker is an engine whose states are compared with those of a log, or with their hashes: of each step the state that
// it gave, and the one that was observed.
type Checker struct {
	physics.Engine
	model   *physics.Model
	want    *Playback                  // at the next state that is known; nil if none is
	hash    func(int64) (uint64, bool) // of states that want does not know; may be nil
	changed bool                       // by Step, and not compared
	state   [2]physics.Snapshot        // memory
	at      int64                      // step of the engine
	steps   int64
	parting *Parting
}

var _ physics.Settler = (*Checker)(nil)

// Parting is the first difference of a run from a log.
type Parting struct {
	Step       int64
	Difference       // A of the run, B of the log
	Err        error // if not nil there was nothing to compare with: the log ends before the step, or is damaged
}

// NewChecker returns a checker around an engine of a model, at its start. want, if not nil, has the states of a log,
// which may begin later and leave steps out. hash, if not nil, has hashes of states that were observed
// (physics.Snapshot.Hash), where they are known: what want leaves out is compared with them.
func NewChecker(engine physics.Engine, model *physics.Model, want *Playback, hash func(step int64) (uint64,
	bool)) *Checker {
	return &Checker{Engine: engine, model: model, want: want, hash: hash, changed: true}
}

// Parting returns where the run and the log part, or nil if they have not.
func (c *Checker) Parting() *Parting { return c.parting }

// Steps returns how many steps' observed states were the log's.
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

// known tells whether the log has states of the present step.
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

// compare compares a state with the log's.
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
