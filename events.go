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

// events are those of the world, in the order of its file.
type events []event

// event is one of them while the world runs. What each step looks at stands first, close together.
type event struct {
	left   int                    // how often it may still happen
	step   int64                  // in which it happened last
	due    time.Duration          // from when on it may happen, once it has begun
	begun  bool                   // it counts its time, or looks at its condition
	held   bool                   // its condition, when it was looked at last
	holds  func() bool            // its condition; nil without
	after  *condition.Occurrences // of the event that it waits for; nil without
	waited int                    // how often that had happened when this one began, or happened

	*worlds.Event
	action action.Action // nil: none
	done   condition.Occurrences
}

// bindConditions looks up what conditions of events and expectations need.
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
	for i := range s.events { // all have their places now
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

// tellVerdict tells of an expectation that has been decided.
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

// tellEvents tells of the events that have happened in the present step.
func (s *Sim) tellEvents() {
	for _, i := range s.happened {
		for _, f := range s.onEvent {
			f(s.events[i].Event)
		}
	}
}

// doEvents shows the new state to what keeps it for conditions, and has the actions of the events done that happen in
// this step, before anything observes its time: in the file's order, and again from the beginning while that makes
// others happen, each once at most.
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

// happens tells whether an event happens now. Of one that has happened in this step it looks whether its condition
// still holds, since actions may have ended that.
func (e *event) happens(now time.Duration, step int64) bool {
	if e.step == step {
		if e.holds != nil && e.after == nil { // with after it begins anew
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

// happen notes that an event happens.
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
	if s.opts.Topics != nil { // else nothing comes
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
