package omnipitch

import "time"

// StepCost is how much wall time a step of a run took, and what for.
type StepCost struct {
	Sim     time.Duration // that the step went on from
	Began   time.Duration // wall time
	Anew    bool          // the step before it is not just before it: the run was paused
	Whole   time.Duration
	Physics time.Duration // of the engine
	Sensors time.Duration // what the goroutine that steps did for sensors and their listeners
	Waiting time.Duration // for images, of Sensors none
}

// Rest is what neither physics nor sensors took, nor waiting: commands, events, rules, listeners of the state.
func (c *StepCost) Rest() time.Duration { return c.Whole - c.Physics - c.Sensors - c.Waiting }

// OnCost has f called after each step of Run, by the goroutine that steps, until stop is called. There is one such
// function: another one takes its place. Both may be called from any goroutine. While there is none, a step does one
// atomic load for it.
func (s *Sim) OnCost(f func(*StepCost)) (stop func()) {
	at := &f
	s.timing.onCost.Store(at)
	return func() { s.timing.onCost.CompareAndSwap(at, nil) }
}

// beginCost begins a step's cost, if somebody wants it.
func (t *timing) beginCost(sim time.Duration) {
	t.costing = t.onCost.Load()
	if t.costing != nil {
		t.cost = StepCost{Sim: sim, Began: t.pacer.Began(), Anew: t.cost.Anew}
	}
}

// spent adds the wall time since an earlier one to a part of a step's cost, and returns the present one. The first is
// 0.
func (t *timing) spent(since time.Duration, on *time.Duration) time.Duration {
	if t.costing == nil {
		return 0
	}
	now := t.wall.Now()
	if since > 0 {
		*on += now - since
	}
	return now
}

// endCost passes a step's cost on.
func (t *timing) endCost() {
	if t.costing == nil {
		return
	}
	c := &t.cost
	c.Whole, c.Waiting = t.wall.Now()-c.Began, t.work.Idle
	c.Sensors -= c.Waiting
	(*t.costing)(c)
	c.Anew = false
}
