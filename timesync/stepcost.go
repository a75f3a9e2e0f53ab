package timesync

import (
	"sync/atomic"
	"time"
)

// StepCost is the wall time that one step of a run took, in parts.
type StepCost struct {
	Sim     time.Duration // sim time at which the step began
	Began   time.Duration // wall time at which the step began
	Anew    bool          // the run was paused between the previous step and this one
	Whole   time.Duration // the whole step
	Physics time.Duration // the physics engine
	Sensors time.Duration // work of the stepping goroutine for sensors and their listeners, without Waiting
	Waiting time.Duration // waiting for images that are not ready
}

// Rest returns the part of Whole that no other field counts: the time for commands, events, rules of the game, and
// functions that are called in each step.
func (c *StepCost) Rest() time.Duration { return c.Whole - c.Physics - c.Sensors - c.Waiting }

// CostMeter measures the costs of steps while a function receives them. Without such a function it measures nothing,
// and a step needs only one more atomic load. Its methods belong to the goroutine that steps, except OnCost.
type CostMeter struct {
	wall     Wall
	receiver atomic.Pointer[func(*StepCost)]
	present  *func(*StepCost) // receives the cost of the present step; nil: the step is not measured
	cost     StepCost
}

// Init sets the wall clock. It must be called before the other methods.
func (m *CostMeter) Init(wall Wall) { m.wall = wall }

// OnCost registers f, which receives the cost of each step. The StepCost is valid only during the call of f. The
// returned function removes f. A later call of OnCost replaces f. Any goroutine may call OnCost and the returned
// function.
func (m *CostMeter) OnCost(f func(*StepCost)) (stop func()) {
	at := &f
	m.receiver.Store(at)
	return func() { m.receiver.CompareAndSwap(at, nil) }
}

// Begin begins a step, with its sim time and the wall time at which it began.
func (m *CostMeter) Begin(sim, began time.Duration) {
	m.present = m.receiver.Load()
	if m.present != nil {
		m.cost = StepCost{Sim: sim, Began: began, Anew: m.cost.Anew}
	}
}

// Paused notes that the run was paused before the next step.
func (m *CostMeter) Paused() { m.cost.Anew = true }

// Now returns the present wall time, or 0 if the present step is not measured.
func (m *CostMeter) Now() time.Duration {
	if m.present == nil {
		return 0
	}
	return m.wall.Now()
}

// AddPhysics adds the wall time since a result of Now to the cost of physics.
func (m *CostMeter) AddPhysics(since time.Duration) { m.cost.Physics += m.Now() - since }

// AddSensors adds the wall time since a result of Now to the cost of sensors.
func (m *CostMeter) AddSensors(since time.Duration) { m.cost.Sensors += m.Now() - since }

// End completes the step's cost and passes it to the function of OnCost. The argument is the part of AddSensors that
// was spent on waiting for images.
func (m *CostMeter) End(waiting time.Duration) {
	if m.present == nil {
		return
	}
	m.cost.Whole, m.cost.Waiting = m.wall.Now()-m.cost.Began, waiting
	m.cost.Sensors -= waiting
	(*m.present)(&m.cost)
	m.cost.Anew = false
}
