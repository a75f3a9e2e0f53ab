package match

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/area"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/expectation"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
	"github.com/omnipitch/omnipitch/worlds/task"
)

// event is the state of one event of a running world. The fields that every step reads come first, for the cache.
type event struct {
	left  int           // how many times the event may still happen
	step  int64         // step of the last occurrence; −1: none
	due   time.Duration // earliest sim time of the next occurrence; valid if the field begun is true
	begun bool          // the event waits for its time or condition; false: it waits for another event
	held  bool          // the condition's value at its last evaluation
	holds func() bool   // evaluates the condition; nil: no condition
	// occurrences of the other event that this event waits for; nil: this event waits for no other event
	after  *condition.Occurrences
	waited int // value of after.Count when this event last began to wait for its time, or last happened

	*worlds.Event
	action action.Action // nil: no action
	done   condition.Occurrences
	wakes  []int // indices of the events that wait for this event, or whose condition counts its occurrences
}

// bindConditions prepares the events and expectations of the world, and binds their conditions to the simulation.
func (d *Director) bindConditions() (err error) {
	for _, remove := range d.unlisten {
		remove()
	}
	d.sim.Unsubscribe()
	d.unlisten, d.eachStep, d.kept = nil, nil, nil
	d.events = make([]event, len(d.world.Events))
	d.pending, d.affected = newEventSet(len(d.events)), newEventSet(len(d.events))
	d.eventNames = make(map[string]int, len(d.events))
	for i := range d.events {
		e := &d.events[i]
		*e = event{Event: &d.world.Events[i], left: 1, step: -1}
		switch {
		case e.Times > 0:
			e.left = e.Times
		case e.Repeat || e.Every > 0:
			e.left = math.MaxInt
		}
		if _, e.action, err = e.Action(); err != nil {
			return err
		}
		if e.Name != "" {
			d.eventNames[e.Name] = i
		}
	}
	for i := range d.events { // a second loop, because conditions refer to the events that the first loop prepares
		e := &d.events[i]
		if e.After != "" {
			e.after, err = state{d}.Event(e.After)
		}
		if err == nil && e.When != nil {
			var test condition.Test
			test, err = e.When.Bind(state{d})
			e.holds = test.Holds
		}
		if err != nil {
			return fmt.Errorf("event[%d]: %w", i, err)
		}
		d.bindDependencies(i)
	}
	if d.judge, err = expectation.NewJudge(d.world.Expect, state{d}, d.reportVerdict); err != nil {
		return err
	}
	if d.episode = nil; d.world.Task != nil {
		d.episode, err = task.New(d.world.Task, state{d})
	}
	return err
}

// bindDependencies notes what can change whether the event of an index happens, apart from the time.
func (d *Director) bindDependencies(i int) {
	counted, alone := d.events[i].When.Counts()
	if !alone {
		d.affected.add(i)
	}
	for _, name := range append(counted, d.events[i].After) {
		if name != "" {
			other := &d.events[d.eventNames[name]]
			other.wakes = append(other.wakes, i)
		}
	}
}

// reportVerdict reports a verdict to functions of Match.OnVerdict.
func (d *Director) reportVerdict(v expectation.Verdict) {
	if d.sim.Hidden() {
		return
	}
	v = d.placed(v)
	for _, f := range d.onVerdict {
		f(v)
	}
}

// placed adds the place of its expectation to a verdict that needs it.
func (d *Director) placed(v expectation.Verdict) expectation.Verdict {
	if v.Outcome != expectation.Passed {
		v.Place = d.world.PlaceOfExpectation(v.Name)
	}
	return v
}

// reportEvents reports the events of the present step to functions of Match.OnEvent.
func (d *Director) reportEvents() {
	for _, i := range d.happened {
		for _, f := range d.onEvent {
			f(d.events[i].Event)
		}
	}
}

// doEvents updates the conditions' memory of past states, and carries out the actions of the events that happen in this
// step. Sensors and listeners receive the state after these actions. Events are tested in the file's order. An action
// may cause other events, so rounds of tests follow until no further event happens. Later rounds test only the events
// that an occurrence or an action since their last test can affect. Each event happens at most once in a step.
func (d *Director) doEvents() error {
	truth := d.sim.Truth()
	d.happened = d.happened[:0]
	for _, f := range d.eachStep {
		f()
	}
	for i := range d.events {
		d.pending.add(i)
	}
	for i := d.pending.take(0); i >= 0; i = d.pending.take(i + 1) {
		e := &d.events[i]
		if e.left == 0 || !e.happens(truth.Time, truth.Step) {
			continue
		}
		e.happen(truth.Time, truth.Step)
		d.happened = append(d.happened, i)
		for _, other := range e.wakes {
			d.pending.add(other)
		}
		if e.action == nil {
			continue
		}
		d.pending.addAll(d.affected)
		if err := d.sim.Do(e.action); err != nil {
			return fmt.Errorf("event[%d] at %v: %w", i, truth.Time, err)
		}
	}
	return nil
}

// happens reports whether an event happens in the present step. The arguments are the present sim time and the index of
// the present step. For an event that has already happened in this step, happens only evaluates the condition again,
// because actions may have changed its value.
func (e *event) happens(now time.Duration, step int64) bool {
	if e.step == step {
		// for an event that waits for another event, the method happen has reset held
		if e.holds != nil && e.after == nil {
			e.held = e.holds()
		}
		return false
	}
	if !e.begun {
		e.due = e.At
		if e.after != nil {
			if e.after.Count == e.waited {
				return false
			}
			e.waited = e.after.Count
			e.due += e.after.Last
		}
		e.begun = true
	}
	if now < e.due {
		return false
	}
	if e.holds == nil {
		return true
	}
	held := e.held
	e.held = e.holds()
	return e.held && !held
}

// happen updates the state of an event that happens in the present step.
func (e *event) happen(now time.Duration, step int64) {
	e.done.Add(now)
	e.left--
	e.step = step
	switch {
	case e.Every > 0:
		e.due += e.Every
	case e.after != nil:
		e.begun, e.held, e.waited = false, false, e.after.Count
	}
}

// state implements condition.State.
type state struct{ *Director }

func (s state) Model() *physics.Model    { return s.model }
func (s state) Truth() *physics.Snapshot { return s.sim.Truth() }
func (s state) Areas() area.Areas        { return s.world.AllAreas() }
func (s state) Game() *game.Game         { return s.officials.game }

func (s state) Decisions() (func() []referee.Decision, error) {
	return func() []referee.Decision { return s.officials.decided }, nil
}

func (s state) Level(robot, sensor string) (func() abstraction.Level, error) {
	return s.sim.Level(robot, sensor)
}

func (s state) Listen(robot, sensor string, accepts func(abstraction.Level) bool,
	observe func(*sensors.Observation)) error {
	remove, err := s.sim.Listen(robot, sensor, accepts, observe)
	if err == nil {
		s.unlisten = append(s.unlisten, remove)
	}
	return err
}

func (s state) Subscribe(topic string, fields []string, receive func(*condition.Message)) error {
	s.sim.Subscribe(topic, fields, receive)
	return nil
}

func (s state) EachStep(f func()) { s.eachStep = append(s.eachStep, f) }

func (s state) Keep(memory keyframe.Exchanger) { s.kept = append(s.kept, memory) }

func (s state) Event(name string) (*condition.Occurrences, error) {
	if i, ok := s.eventNames[name]; ok {
		return &s.events[i].done, nil
	}
	return nil, fmt.Errorf("event = %q: there is no such event", name)
}

func (e *event) Exchange(c *keyframe.Codec) {
	c.Int(&e.left)
	c.Int64(&e.step)
	c.Duration(&e.due)
	c.Bools(&e.begun, &e.held)
	c.Int(&e.waited)
	c.Value(&e.done)
}
