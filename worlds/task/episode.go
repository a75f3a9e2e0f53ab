package task

import (
	"fmt"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/condition"
)

// Outcome is how an episode has ended.
type Outcome uint8

// The outcomes. Running means that it has not ended.
const (
	Running Outcome = iota
	Success
	Failure
)

// Episode judges a task in a running world, from time 0 on.
type Episode struct {
	Rewards []float64 // of each agent, since the caller last set them to 0
	Outcome Outcome

	truth            *physics.Snapshot
	step             float64 // s
	terms            []term
	success, failure func() bool
	begun            bool
}

// term is a reward in a running world.
type term struct {
	*Reward
	agents  []int
	holds   func() bool
	measure func() float64 // nil: none
	held    bool
	last    float64 // of measure
}

// New binds a task to a running world at time 0.
func New(t *Task, s condition.State) (*Episode, error) {
	e := &Episode{Rewards: make([]float64, len(t.Agents)), truth: s.Truth(), step: s.Model().Step.Seconds(),
		terms: make([]term, len(t.Rewards))}
	bind := func(c *condition.Choice, none bool) (func() bool, error) {
		if c == nil {
			return func() bool { return none }, nil
		}
		test, err := c.Bind(s)
		return test.Holds, err
	}
	var err error
	if e.success, err = bind(t.Success, false); err == nil {
		e.failure, err = bind(t.Failure, false)
	}
	for i := range e.terms {
		r := &t.Rewards[i]
		x := &e.terms[i]
		x.Reward = r
		if err == nil {
			x.holds, err = bind(r.When, true)
		}
		if err == nil {
			x.measure, err = r.measure(s)
		}
		if err != nil {
			return nil, fmt.Errorf("task.reward %s: %w", r.Name, err)
		}
		for k, agent := range t.Agents {
			if r.Agents == nil || slices.Contains(r.Agents, agent) {
				x.agents = append(x.agents, k)
			}
		}
	}
	return e, err
}

// Step judges the present state. The caller calls it at time 0 and after each step, after the events of this state.
// Time 0 pays no reward. The step that ends the episode pays the last rewards.
func (e *Episode) Step() {
	if e.Outcome != Running {
		return
	}
	for i := range e.terms {
		x := &e.terms[i]
		if paid := x.step(e.step); e.begun {
			for _, agent := range x.agents {
				e.Rewards[agent] += paid
			}
		}
	}
	e.begun = true
	success, failure := e.success(), e.failure() // both, because conditions with for_s are judged in each step
	switch {
	case success:
		e.Outcome = Success
	case failure:
		e.Outcome = Failure
	}
}

// step returns what the reward pays in a step that takes the given number of seconds.
func (x *term) step(seconds float64) (paid float64) {
	held := x.held
	x.held = x.holds()
	if x.held && !held {
		paid = x.Amount
	}
	if x.held {
		paid += x.PerS * seconds
	}
	if x.measure != nil {
		now := x.measure()
		if x.held {
			paid += now - x.last
		}
		x.last = now
	}
	return paid
}

// Time returns the present sim time.
func (e *Episode) Time() time.Duration { return e.truth.Time }

// Exchange saves or restores the progress of the episode.
func (e *Episode) Exchange(c *keyframe.Codec) {
	c.Floats(e.Rewards)
	outcome := int(e.Outcome)
	c.Index(&outcome, int(Running), int(Failure)+1)
	e.Outcome = Outcome(outcome)
	c.Bool(&e.begun)
	for i := range e.terms {
		c.Bool(&e.terms[i].held)
		c.Float(&e.terms[i].last)
	}
}
