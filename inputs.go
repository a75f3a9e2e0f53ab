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

// Input is one external input of a running world. A run depends only on its world and its inputs. A ReplaySource that
// returns the same inputs gives the same run, bit for bit. Exactly one of Command, Action, World, Message and Radio is
// set.
type Input struct {
	Step    int64  // the first step whose state depends on the input; a restart sets the count of steps to 0
	Moment  Moment // when the step takes the input
	Command *RobotCommand
	Action  action.Action // not Pause, Resume, SetSpeed or End, which change no state
	World   *worlds.World // the world that starts before the next step
	Message *TopicMessage
	Radio   *RadioMessage
}

// Moment is a point of a step at which it takes inputs.
type Moment uint8

// The moments of a step, in their order. An external action takes effect at once, and its Input has the next moment.
// Robots' commands, topic messages and radio messages wait for AsStepped.
const (
	BeforeStep   Moment = iota // before the step; sensors have received the last state
	AsStepped                  // when the engine takes the robots' commands
	BeforeEvents               // after the engine's step, before the world's events of the new time
	AfterEvents                // after events and timers, before sensors receive the new state
)

// RobotCommand is the newest command of a robot's own programs.
type RobotCommand struct {
	Robot string // name of the robot
	physics.Command
}

// TopicMessage is a message that a condition of the world receives.
type TopicMessage struct {
	// index among the subscriptions of the world's events and expectations, in the order in which they subscribe
	Subscription int
	Topic        string
	condition.Message
}

// inputs reports external inputs to Options.OnInput, in the order in which they take effect.
type inputs struct {
	source ReplaySource // nil: inputs come from outside
	told   func(*Input) // Options.OnInput; may be nil
	// mu is held during each external action, and while the world's own actions take effect.
	mu     sync.Mutex
	done   []Input                    // external actions that have taken effect but are not yet reported
	topics []func(*condition.Message) // receivers of the conditions' subscriptions
	one    Input                      // reused by tell
}

// closed reports whether a replay is running. A replay accepts no external inputs.
func (x *inputs) closed() bool { return x.source != nil && !x.source.Over() }

// tell reports an input that takes effect now to Options.OnInput.
func (s *Sim) tell(moment Moment, input Input) {
	if s.inputs.told == nil {
		return
	}
	input.Step, input.Moment = s.inputStep(moment), moment
	s.inputs.one = input
	s.inputs.told(&s.inputs.one)
}

// inputStep returns the value of Input.Step for inputs that take effect now, at a moment of a step.
func (s *Sim) inputStep(moment Moment) int64 {
	if moment < BeforeEvents {
		return s.truth.Step + 1
	}
	return s.truth.Step
}

// doFromOutside carries out an external action that is no robot's command.
func (s *Sim) doFromOutside(a action.Action) error {
	toldElsewhere := false // the action is reported when it takes effect
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
		kept := reflect.New(reflect.TypeOf(a).Elem()) // a copy: the caller may change a
		kept.Elem().Set(reflect.ValueOf(a).Elem())
		s.inputs.done = append(s.inputs.done, Input{Action: kept.Interface().(action.Action)})
	}
	return err
}

// takeInputs applies the queued external inputs, and reports all inputs that have taken effect since the previous call
// of takeInputs. At AsStepped it sets s.commands.taken to the commands for the engine.
func (s *Sim) takeInputs(moment Moment) error {
	if s.inputs.closed() {
		err := s.repeatInputs(moment)
		if moment == AsStepped {
			s.commands.collect(&s.truth, func(*RobotCommand) {}) // a replay queues no commands
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

// tellDone reports the external actions that have already taken effect. It is called with s.inputs.mu held.
func (s *Sim) tellDone(moment Moment) {
	for i := range s.inputs.done {
		s.tell(moment, s.inputs.done[i])
	}
	clear(s.inputs.done)
	s.inputs.done = s.inputs.done[:0]
}

// withoutInputs takes the inputs of a moment, and then calls f, which carries out actions of the world itself. No
// external action takes effect during f.
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

// repeatInputs applies the inputs that the ReplaySource returns for a moment.
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

// replayedActions implements action.Simulation for replayed external actions. A level or fault takes effect at once,
// since the recording holds the moment at which it took effect. Head ignores the camera's present level: the recorded
// run has allowed the action.
type replayedActions struct{ externalActions }

func (e replayedActions) Head(robot, sensor string) (*sensors.Head, abstraction.Level, error) {
	head, _, err := e.pipeline.Head(robot, sensor)
	return head, abstraction.Truth, err
}

// Record does nothing: a replayed action does not switch a recording of the replay.
func (e replayedActions) Record(bool) error { return nil }

func (e replayedActions) SetLevel(robot, sensor string, level abstraction.Level) error {
	return e.pipeline.Set(robot, sensor, &level, nil)
}

func (e replayedActions) SetFault(robot, sensor string, fault sensors.Fault) error {
	return e.pipeline.Set(robot, sensor, nil, &fault)
}
