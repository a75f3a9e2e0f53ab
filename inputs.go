package omnipitch

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/command"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/match"
)

// Input is one external input of a running world. A run depends only on its world and its inputs. A ReplaySource that
// returns the same inputs gives the same run, bit for bit. Exactly one of Command, Action, World, Message and Radio is
// set.
type Input struct {
	Step    int64  // the first step whose state depends on the input; a restart sets the count of steps to 0
	Moment  Moment // point of the step at which the input is applied
	Command *command.Robot
	Action  action.Action // any action except Pause, Resume, SetSpeed and End, which change no state
	World   *worlds.World // world that starts before the next step
	Message *TopicMessage
	Radio   *match.Message
}

// Moment is a point within a step at which the Sim applies external inputs.
type Moment uint8

// The moments of a step, in their order. An external action takes effect at once, and its Input has the next moment.
// Robots' commands, topic messages and radio messages wait for AsStepped.
const (
	BeforeStep   Moment = iota // before the step; sensors have received the last state
	AsStepped                  // when the engine takes the robots' commands
	BeforeEvents               // after the engine's step, before the world's events of the new time
	AfterEvents                // after events and timers, before sensors receive the new state
)

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
	told   func(*Input) // Options.OnInput; nil if there is none
	// mu is held during each external action, and while the world's own actions take effect.
	mu          sync.Mutex
	world       atomic.Pointer[worlds.World] // world that starts before the next step; nil: no restart is pending
	done        []Input                      // external actions that have taken effect but are not yet reported
	topics      []func(*condition.Message)   // receivers of the conditions' subscriptions
	unsubscribe []func()                     // functions that end the conditions' subscriptions
	one         Input                        // reused by tell
}

// closed reports whether a replay is running. A replay accepts no external inputs.
func (x *inputs) closed() bool { return x.source != nil && !x.source.Over() }

// accepts returns an error if the Sim accepts no external inputs.
func (s *Sim) accepts() error {
	switch {
	case s.isClosed():
		return ErrClosed
	case s.inputs.closed():
		return ErrReplaying
	}
	return nil
}

// Do carries out actions, in the order of the arguments. Any goroutine may call it with actions for which
// action.Anytime returns true; all other actions belong to the goroutine that steps (see Post). Consecutive commands
// for the same robot take effect together, in one step.
//
// Do stops at the first action that fails; that action changes nothing. It returns ErrClosed after Close, and
// ErrReplaying for an action that would change a replay.
func (s *Sim) Do(actions ...action.Action) error {
	if s.isClosed() {
		return ErrClosed
	}
	for len(actions) > 0 {
		n := sameRobot(actions)
		if err := check(actions[:max(n, 1)]); err != nil {
			return err
		}
		if n == 0 {
			if err := s.doFromOutside(actions[0]); err != nil {
				return err
			}
			n = 1
		} else if s.inputs.closed() {
			return ErrReplaying
		} else if err := s.commands.Change(commanded(actions[:n])); err != nil {
			return err
		}
		actions = actions[n:]
	}
	return nil
}

// Post carries out actions for a program outside of the goroutine that steps. It first checks all actions. If one of
// them is invalid, it returns the error and does nothing. Then it carries out the actions that are not commands, in
// their order. Actions for which action.Anytime returns true are carried out at once. The others are carried out at the
// end of the next step, or soon if the run is paused. Finally it queues all commands that change anything for the next
// step. It does not wait for that step.
//
// Post returns the error of an action that it carries out at once; the actions after it are not carried out. The
// function done, if not nil, is called once all actions are carried out, either by Post itself or by the goroutine that
// steps. The argument of done is the error of the last action that failed. If Post returns an error, done is not
// called. Any goroutine may call Post.
func (s *Sim) Post(done func(error), actions ...action.Action) error {
	_, err := s.post(done, actions, false)
	return err
}

// Ask carries out actions as Post does, waits for the step that takes their commands, and returns the outcome for the
// last commanded robot. If no command changes anything, Ask returns at once, with Outcome.Kicked set. It returns the
// error of ctx if ctx ends before that step, and ErrClosed if the Sim is closed. Any goroutine may call Ask, except the
// goroutine that steps, which would wait for itself.
func (s *Sim) Ask(ctx context.Context, done func(error), actions ...action.Action) (command.Outcome, error) {
	reply, err := s.post(done, actions, true)
	switch {
	case err != nil:
		return command.Outcome{}, err
	case reply == nil:
		return command.Outcome{Kicked: true}, nil // a request without a kick succeeds
	}
	select {
	case o := <-reply:
		return o, nil
	case <-s.commands.Closed():
		return command.Outcome{}, ErrClosed
	case <-ctx.Done():
		return command.Outcome{}, ctx.Err()
	}
}

// post implements Post. If the argument asks is true, the channel receives the outcome for the last commanded robot.
// The channel is nil if no command changes anything.
func (s *Sim) post(done func(error), actions []action.Action, asks bool) (reply <-chan command.Outcome, err error) {
	if s.isClosed() {
		return nil, ErrClosed
	}
	if err := check(actions); err != nil {
		return nil, err
	}
	var commands, others []action.Action
	for _, a := range actions {
		if c, ok := action.AsCommand(a); !ok {
			others = append(others, a)
			if action.Anytime(a) {
				continue // if it names something the world does not have, carrying it out fails at once
			}
			if err := a.Validate(s.World()); err != nil {
				return nil, err
			}
		} else if c.Change(new(physics.Command)) {
			commands = append(commands, a)
		}
	}
	if done == nil {
		done = func(error) {}
	}
	var later []action.Action
	for _, a := range others {
		if !action.Anytime(a) {
			later = append(later, a)
		} else if err := s.Do(a); err != nil {
			return nil, err
		}
	}
	for len(commands) > 0 && err == nil {
		n := sameRobot(commands)
		switch robot, change := commanded(commands[:n]); {
		case s.inputs.closed():
			return nil, ErrReplaying
		case asks:
			reply, err = s.commands.Ask(robot, change)
		default:
			err = s.commands.Change(robot, change)
		}
		commands = commands[n:]
	}
	if err != nil {
		return nil, err
	}
	if len(later) == 0 {
		done(nil)
		return reply, nil
	}
	s.clock.After(0, func(time.Duration) {
		var failed error
		for _, a := range later {
			if err := s.Do(a); err != nil {
				failed = err
			}
		}
		done(failed)
	})
	return reply, nil
}

// check returns the first violation of the rules in the tags of actions' fields.
func check(actions []action.Action) error {
	for _, a := range actions {
		if err := action.Check(a); err != nil {
			return err
		}
	}
	return nil
}

// sameRobot returns how many actions at the start of the slice are commands for the same robot.
func sameRobot(actions []action.Action) (n int) {
	for ; n < len(actions); n++ {
		c, ok := action.AsCommand(actions[n])
		if !ok || n > 0 && c.Commands() != actions[0].(action.Command).Commands() {
			break
		}
	}
	return n
}

// commanded returns the robot of commands, and a function that applies all of them.
func commanded(commands []action.Action) (robot string, change func(*physics.Command)) {
	return commands[0].(action.Command).Commands(), func(to *physics.Command) {
		for _, c := range commands {
			c.(action.Command).Change(to)
		}
	}
}

// tell reports an input, which takes effect now, to Options.OnInput.
func (s *Sim) tell(moment Moment, input Input) {
	if s.inputs.told == nil {
		return
	}
	input.Step, input.Moment = s.inputStep(moment), moment
	s.inputs.one = input
	s.inputs.told(&s.inputs.one)
}

// inputStep returns Input.Step for inputs that take effect now, at the given moment.
func (s *Sim) inputStep(moment Moment) int64 {
	if moment < BeforeEvents {
		return s.truth.Step + 1
	}
	return s.truth.Step
}

// doFromOutside carries out an external action that is not a command of a robot.
func (s *Sim) doFromOutside(a action.Action) error {
	toldElsewhere := false // takeInputs reports the action, when it takes effect
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
		kept := reflect.New(reflect.TypeOf(a).Elem()) // a copy, because the caller may change *a later
		kept.Elem().Set(reflect.ValueOf(a).Elem())
		s.inputs.done = append(s.inputs.done, Input{Action: kept.Interface().(action.Action)})
	}
	return err
}

// takeInputs applies the queued external inputs, and reports all inputs that have taken effect since the previous call
// of takeInputs. At AsStepped it sets s.commands.Taken to the commands for the engine.
func (s *Sim) takeInputs(moment Moment) error {
	if s.inputs.closed() {
		err := s.repeatInputs(moment)
		if moment == AsStepped {
			s.commands.Collect(&s.truth, func(*command.Robot) {}) // a replay queues no commands
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
		s.commands.Collect(&s.truth, func(c *command.Robot) { s.tell(moment, Input{Command: c}) })
		return s.match.TakeRadio(func(m *match.Message) { s.tell(AsStepped, Input{Radio: m}) })
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
		return s.commands.Repeat(in.Command)
	case in.Action != nil:
		if err := action.Check(in.Action); err != nil {
			return err
		}
		return in.Action.Do(replayedActions{stepActions{externalActions{s}}})
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
		return s.match.Transmit(in.Radio)
	}
	return nil
}
