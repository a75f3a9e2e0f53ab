package omnipitch

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/condition"
)

// Input is something that comes from outside of the world while it runs. With the world, its inputs are all that a run
// depends on: who gives them back (Options.Replay) has the same run again, to the last bit. Just one of Command,
// Action, World, Message and Radio is set.
type Input struct {
	Step    int64 // whose state is the first to depend on it; after World counted anew
	Moment  Moment
	Command *RobotCommand
	Action  action.Action // none that only concerns how fast a run goes
	World   *worlds.World // that is to begin again, before the next step
	Message *TopicMessage
	Radio   *RadioMessage
}

// Moment is where in a step inputs are taken.
type Moment uint8

const (
	BeforeStep   Moment = iota // since the state before was shown to sensors
	AsStepped                  // since then, when the engine takes commands
	BeforeEvents               // since then, when the new state is there, before the world's events of its time
	AfterEvents                // since then, when sensors are to see the new state: timers have been called
)

// RobotCommand is the newest command of a robot's own programs.
type RobotCommand struct {
	Robot string
	physics.Command
}

// TopicMessage is a message for a condition.
type TopicMessage struct {
	Subscription int // of conditions, counted in the order in which the world's events and expectations ask for them
	Topic        string
	condition.Message
}

// inputs pass on what comes from outside, in the order in which it has its effect.
type inputs struct {
	source ReplaySource // nil: they come from outside
	told   func(*Input) // nil: nobody asks
	// held while an action from outside has its effect, and while the world's own have
	mu     sync.Mutex
	done   []Input                    // such actions that have not been told
	topics []func(*condition.Message) // that conditions have subscribed
	one    Input                      // memory
}

// closed tells whether nothing is taken from outside.
func (x *inputs) closed() bool { return x.source != nil && !x.source.Over() }

// tell tells of an input that takes effect now.
func (s *Sim) tell(moment Moment, input Input) {
	if s.inputs.told == nil {
		return
	}
	input.Step, input.Moment = s.inputStep(moment), moment
	s.inputs.one = input
	s.inputs.told(&s.inputs.one)
}

// inputStep is the step that takes the inputs of a moment now.
func (s *Sim) inputStep(moment Moment) int64 {
	if moment < BeforeEvents {
		return s.truth.Step + 1
	}
	return s.truth.Step
}

// doFromOutside does an action that is neither the world's nor a robot's command.
func (s *Sim) doFromOutside(a action.Action) error {
	toldElsewhere := false // when it takes effect, or not at all: how fast a run goes is no input
	switch a.(type) {
	case *action.Pause, *action.Resume, *action.SetSpeed, *action.End:
		return a.Do(externalActions{s})
	case *action.SetLevel, *action.BreakSensor, *action.HealSensor, *action.Reset:
		toldElsewhere = true
	}
	switch {
	case s.inputs.closed():
		return ErrReplaying
	case toldElsewhere || s.inputs.told == nil:
		return a.Do(externalActions{s})
	}
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	err := a.Do(externalActions{s})
	if err == nil {
		kept := reflect.New(reflect.TypeOf(a).Elem()) // a is the caller's
		kept.Elem().Set(reflect.ValueOf(a).Elem())
		s.inputs.done = append(s.inputs.done, Input{Action: kept.Interface().(action.Action)})
	}
	return err
}

// takeInputs has what has come from outside take effect that does not at once, and tells all that has since it was
// called last. AsStepped it leaves in s.commands.taken what the step's engine gets.
func (s *Sim) takeInputs(moment Moment) error {
	if s.inputs.closed() {
		err := s.repeatInputs(moment)
		if moment == AsStepped {
			s.commands.collect(&s.truth, func(*RobotCommand) {}) // none has come
		}
		return err
	}
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	s.tellDone(moment)
	s.pipeline.TakeSettings(func(robot, sensor string, level *abstraction.Level, fault *sensors.Fault) {
		switch {
		case level != nil:
			s.tell(moment, Input{Action: &action.SetLevel{Robot: robot, Sensor: sensor, Level: *level}})
		case *fault != "":
			s.tell(moment, Input{Action: &action.BreakSensor{Robot: robot, Sensor: sensor, Fault: *fault}})
		default:
			s.tell(moment, Input{Action: &action.HealSensor{Robot: robot, Sensor: sensor}})
		}
	})
	if moment == AsStepped {
		if s.opts.Topics != nil {
			s.opts.Topics.Take(s.truth.Time)
		}
		s.commands.collect(&s.truth, func(c *RobotCommand) { s.tell(moment, Input{Command: c}) })
		return s.takeRadio()
	}
	return nil
}

// tellDone tells what has had its effect already. It is called with s.inputs.mu held.
func (s *Sim) tellDone(moment Moment) {
	for i := range s.inputs.done {
		s.tell(moment, s.inputs.done[i])
	}
	clear(s.inputs.done)
	s.inputs.done = s.inputs.done[:0]
}

// withoutInputs calls f, with what the world itself does, after the inputs of a moment and while nothing from outside
// has an effect.
func (s *Sim) withoutInputs(moment Moment, f func() error) error {
	if s.inputs.closed() {
		if err := s.repeatInputs(moment); err != nil {
			return err
		}
		return f()
	}
	s.inputs.mu.Lock()
	defer s.inputs.mu.Unlock()
	s.tellDone(moment)
	return f()
}

// repeatInputs has the source's inputs of a moment take effect.
func (s *Sim) repeatInputs(moment Moment) error {
	for {
		in, err := s.inputs.source.Next(s.inputStep(moment), moment)
		if in == nil || err != nil {
			return err
		}
		if s.inputs.told != nil {
			s.inputs.told(in)
		}
		if err := s.repeatInput(in); err != nil {
			return fmt.Errorf("input of step %d: %w", in.Step, err)
		}
	}
}

func (s *Sim) repeatInput(in *Input) error {
	switch {
	case in.Command != nil:
		return s.commands.repeat(in.Command)
	case in.Action != nil:
		if err := action.Check(in.Action); err != nil {
			return err
		}
		return in.Action.Do(replayedActions{externalActions{s}})
	case in.World != nil:
		if err := s.canRestart(in.World); err != nil {
			return err
		}
		s.restartNext(in.World)
	case in.Message != nil:
		if i := in.Message.Subscription; i < 0 || i >= len(s.inputs.topics) {
			return fmt.Errorf("message on %s: the world's conditions have %d subscriptions, not %d", in.Message.Topic,
				len(s.inputs.topics), i+1)
		}
		s.inputs.topics[in.Message.Subscription](&in.Message.Message)
	case in.Radio != nil:
		return s.transmit(in.Radio)
	}
	return nil
}

// repeated is effects for actions from outside that are repeated: levels and faults are set when they took effect, and
// who could command a head then can.
type replayedActions struct{ externalActions }

func (e replayedActions) Head(robot, sensor string) (*sensors.Head, abstraction.Level, error) {
	head, _, err := e.pipeline.Head(robot, sensor)
	return head, abstraction.Truth, err
}

// Record does nothing: a replay is not recorded by itself.
func (e replayedActions) Record(bool) error { return nil }

func (e replayedActions) SetLevel(robot, sensor string, level abstraction.Level) error {
	return e.pipeline.Set(robot, sensor, &level, nil)
}

func (e replayedActions) SetFault(robot, sensor string, fault sensors.Fault) error {
	return e.pipeline.Set(robot, sensor, nil, &fault)
}
