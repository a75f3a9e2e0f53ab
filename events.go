package omnipitch

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
)

// events are the world's events, in the order of its file.
type events []event

// event is the state of one event of a running world. The fields that every step reads come first, for the cache.
type event struct {
	left  int           // how many times the event may still happen
	step  int64         // step of the last occurrence; −1: none
	due   time.Duration // earliest sim time of the next occurrence; valid once begun
	begun bool          // the event waits for its time or condition; false: it waits for another event
	held  bool          // the condition's value at its last evaluation
	holds func() bool   // evaluates the condition; nil: no condition
	// occurrences of the other event that this event waits for; nil: this event waits for no other event
	after  *condition.Occurrences
	waited int // after.Count when this event last began to wait for its time, or last happened

	*worlds.Event
	action action.Action // nil: no action
	done   condition.Occurrences
}

// bindConditions prepares the events and expectations of the world, and binds their conditions to the Sim.
func (s *Sim) bindConditions() (err error) {
	for _, remove := range s.unlisten {
		remove()
	}
	s.unlisten, s.eachStep, s.kept, s.inputs.topics = nil, nil, nil, nil
	s.events = make(events, len(s.world.Events))
	for i := range s.events {
		e := &s.events[i]
		*e = event{Event: &s.world.Events[i], left: 1, step: -1}
		switch {
		case e.Times > 0:
			e.left = e.Times
		case e.Repeat || e.Every > 0:
			e.left = math.MaxInt
		}
		if _, e.action, err = e.Action(); err != nil {
			return err
		}
	}
	for i := range s.events { // second loop: conditions point to other events
		e := &s.events[i]
		if e.After != "" {
			e.after, err = state{s}.Event(e.After)
		}
		if err == nil && e.When != nil {
			var test condition.Test
			test, err = e.When.Bind(state{s})
			e.holds = test.Holds
		}
		if err != nil {
			return fmt.Errorf("event[%d]: %w", i, err)
		}
	}
	s.judge, err = expectation.NewJudge(s.world.Expect, state{s}, s.tellVerdict)
	return err
}

// tellVerdict reports a verdict to Options.OnVerdict and to functions of Match.OnVerdict.
func (s *Sim) tellVerdict(v expectation.Verdict) {
	if s.hidden() {
		return
	}
	if s.opts.OnVerdict != nil {
		s.opts.OnVerdict(v)
	}
	for _, f := range s.onVerdict {
		f(v)
	}
}

// tellEvents reports the events of the present step to functions of Match.OnEvent.
func (s *Sim) tellEvents() {
	for _, i := range s.happened {
		for _, f := range s.onEvent {
			f(s.events[i].Event)
		}
	}
}

// doEvents updates the conditions' memory of past states, and carries out the actions of the events that happen in this
// step. Sensors and listeners receive the state after these actions. Events are tested in the file's order. The tests
// of all events are repeated until no further event happens, since actions may cause other events. Each event happens
// at most once in a step.
func (s *Sim) doEvents() error {
	s.happened = s.happened[:0]
	for _, f := range s.eachStep {
		f()
	}
	for again := true; again; {
		again = false
		for i := range s.events {
			e := &s.events[i]
			if e.left == 0 || !e.happens(s.truth.Time, s.truth.Step) {
				continue
			}
			e.happen(s.truth.Time, s.truth.Step)
			s.happened = append(s.happened, i)
			again = true
			if e.action == nil {
				continue
			}
			if err := e.action.Do(eventActions{externalActions{s}}); err != nil {
				return fmt.Errorf("event[%d] at %v: %w", i, s.truth.Time, err)
			}
		}
	}
	return nil
}

// happens reports whether an event happens in the present step. The arguments are the present sim time and step. For an
// event that has already happened in this step it only updates the value of the condition, which actions may have
// changed.
func (e *event) happens(now time.Duration, step int64) bool {
	if e.step == step {
		if e.holds != nil && e.after == nil { // if the event waits for another event, happen has reset it
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
type state struct{ *Sim }

func (s state) Model() *physics.Model { return s.model }
func (s state) Areas() area.Areas     { return s.world.AllAreas() }
func (s state) Game() *game.Game      { return s.officials.game }

func (s state) Decisions() (func() []referee.Decision, error) {
	return func() []referee.Decision { return s.officials.decided }, nil
}

func (s state) Level(robot, sensor string) (func() abstraction.Level, error) {
	return s.pipeline.LevelOf(robot, sensor)
}

func (s state) Listen(robot, sensor string, wants func(abstraction.Level) bool,
	observe func(*sensors.Observation)) error {
	remove, err := s.sensors.Listen(robot, sensor, Listener{Observe: observe, Wants: wants})
	if err == nil {
		s.unlisten = append(s.unlisten, remove)
	}
	return err
}

func (s state) Subscribe(topic string, fields []string, receive func(*condition.Message)) error {
	n := len(s.inputs.topics)
	s.inputs.topics = append(s.inputs.topics, receive)
	if s.inputs.told != nil {
		receive = func(m *condition.Message) {
			s.tell(AsStepped, Input{Message: &TopicMessage{n, topic, *m}})
			s.inputs.topics[n](m)
		}
	}
	if s.opts.Topics != nil { // otherwise there are no messages
		s.unlisten = append(s.unlisten, s.opts.Topics.Subscribe(topic, fields, receive))
	}
	return nil
}

func (s state) EachStep(f func()) { s.eachStep = append(s.eachStep, f) }

func (s state) Keep(memory keyframe.Exchanger) { s.kept = append(s.kept, memory) }

func (s state) Event(name string) (*condition.Occurrences, error) {
	for i := range s.events {
		if e := &s.events[i]; e.Name == name && name != "" {
			return &e.done, nil
		}
	}
	return nil, fmt.Errorf("event = %q: there is no such event", name)
}
