package track

import "github.com/omnipitch/omnipitch/physics"

// Checker is an engine whose states are compared with those of a log, or with their hashes: of each step the state that it gave, and the one
// that was observed.
type Checker struct {
	physics.Engine
	model   *physics.Model
	want    *Playback                  // nil: hashes alone are known
	hash    func(int64) (uint64, bool) // nil: states are known
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

// NewChecker returns a checker around an engine of a model, at its start, with the states of a log, which may begin later.
func NewChecker(engine physics.Engine, model *physics.Model, want *Playback) *Checker {
	return &Checker{Engine: engine, model: model, want: want, changed: true}
}

// NewHashChecker returns a checker around an engine with the hashes of states that were observed (physics.Snapshot.Hash), where they are known.
func NewHashChecker(engine physics.Engine, hash func(step int64) (uint64, bool)) *Checker {
	return &Checker{Engine: engine, hash: hash}
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
	if err := c.want.Step(nil); err != nil {
		c.parting = &Parting{Step: c.at, Err: err}
	}
	return nil
}

// Snapshot implements physics.Engine.
func (c *Checker) Snapshot(s *physics.Snapshot) {
	c.Engine.Snapshot(s)
	if c.changed && c.want != nil {
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
	if c.parting != nil || c.want != nil && c.want.step() > c.at {
		return changed
	}
	s := &c.state[0]
	c.Engine.Snapshot(s)
	if c.want != nil {
		c.want.Settle()
		c.compare(s)
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
	if c.parting != nil || c.want.step() > c.at {
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
