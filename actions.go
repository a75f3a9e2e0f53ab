package omnipitch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Do carries out actions, in the order of the arguments. Any goroutine may call it with actions whose Anytime method
// returns true; all other actions belong to the goroutine that steps. Consecutive commands for the same robot take
// effect together, in one step.
//
// Do stops at the first action that fails; that action changes nothing. It returns ErrClosed after Close, and
// ErrReplaying for an action that would change a replay.
func (s *Sim) Do(actions ...action.Action) error {
	if s.commands.isClosed() {
		return ErrClosed
	}
	for len(actions) > 0 {
		commands, change, err := together(actions)
		if err != nil {
			return err
		}
		if commands > 0 {
			if s.inputs.closed() {
				return ErrReplaying
			}
			if err := s.commands.change(actions[0].(action.Command).Commands(), change); err != nil {
				return err
			}
			actions = actions[commands:]
			continue
		}
		if err := s.doFromOutside(actions[0]); err != nil {
			return err
		}
		actions = actions[1:]
	}
	return nil
}

// Ask gives commands to one robot, waits for the step that takes them, and returns their outcome. If the commands
// change nothing, it returns at once with Outcome.Kicked set. It returns the error of ctx if ctx ends before that step,
// and ErrClosed or ErrReplaying as Do does. It fails if commands contains other actions, or commands for several
// robots. Any goroutine may call it, except the goroutine that steps, which would wait for itself.
func (s *Sim) Ask(ctx context.Context, commands ...action.Action) (Outcome, error) {
	n, change, err := together(commands)
	switch {
	case err != nil:
		return Outcome{}, err
	case n < len(commands):
		return Outcome{}, errors.New("must be commands of one robot")
	case !slices.ContainsFunc(commands,
		func(c action.Action) bool { return c.(action.Command).Change(new(physics.Command)) }):
		return Outcome{Kicked: true}, nil // a request without a kick succeeds
	}
	if s.inputs.closed() {
		return Outcome{}, ErrReplaying
	}
	return s.commands.ask(ctx, commands[0].(action.Command).Commands(), change)
}

// together returns how many actions at the start of the slice are commands for the same robot, and a function that
// applies all of these commands. It checks these commands and returns the first error. If the first action is no
// command, it returns n = 0 and checks this action.
func together(actions []action.Action) (n int, change func(*physics.Command), err error) {
	for ; n < len(actions); n++ {
		c, ok := action.AsCommand(actions[n])
		if !ok || n > 0 && c.Commands() != actions[0].(action.Command).Commands() {
			break
		}
	}
	for i := range actions[:min(max(n, 1), len(actions))] {
		if err := action.Check(actions[i]); err != nil {
			return 0, nil, err
		}
	}
	commands := actions[:n]
	return n, func(to *physics.Command) {
		for _, c := range commands {
			c.(action.Command).Change(to)
		}
	}, nil
}

// ErrNotRecorded is the error of action Record in a run that is not recorded.
var ErrNotRecorded = errors.New("the run is not recorded: run --record FILE does")

// externalActions implements action.Simulation for actions from outside the world.
type externalActions struct{ *Sim }

// eventActions implements action.Simulation for the world's events. Their commands do not count as the robot's own in
// reports and at speed lockstep. The levels and faults that they set apply already to the frames of the event's own
// time.
type eventActions struct{ externalActions }

func (e eventActions) SetLevel(robot, sensor string, level abstraction.Level) error {
	return e.pipeline.Set(robot, sensor, &level, nil)
}

func (e eventActions) Head(robot, sensor string) (*sensors.Head, abstraction.Level, error) {
	return e.pipeline.Head(robot, sensor)
}

func (e eventActions) SetFault(robot, sensor string, fault sensors.Fault) error {
	return e.pipeline.Set(robot, sensor, nil, &fault)
}

func (e eventActions) Command(robot string, change func(*physics.Command)) error {
	return e.commands.impose(robot, change)
}

func (e externalActions) Command(robot string, change func(*physics.Command)) error {
	return e.commands.change(robot, change)
}

func (e externalActions) Clock() *timesync.Clock { return e.clock.Clock }

func (e externalActions) Field() *physics.Field { return &e.published.Load().model.Field }

func (e externalActions) Robot(name string) (*physics.Robot, error) {
	robots := e.Robots()
	for i := range robots {
		if robots[i].Name == name {
			return &robots[i], nil
		}
	}
	return nil, fmt.Errorf("robot = %q: there is no such robot", name)
}

func (e externalActions) Robots() []physics.Robot { return e.published.Load().model.Robots }

func (e externalActions) SetBallHandling(robot string, enable bool) error {
	return e.commands.setBallHandling(robot, enable)
}

func (e externalActions) SetWired(robot string, wired bool) error {
	return e.commands.setWired(robot, wired)
}

func (e externalActions) SetLevel(robot, sensor string, level abstraction.Level) error {
	return e.pipeline.SetLevel(robot, sensor, level)
}

func (e externalActions) SetFault(robot, sensor string, fault sensors.Fault) error {
	return e.pipeline.SetFault(robot, sensor, fault)
}

func (e externalActions) Head(robot, sensor string) (*sensors.Head, abstraction.Level, error) {
	head, _, err := e.pipeline.Head(robot, sensor)
	if err != nil {
		return nil, "", err
	}
	level, err := e.sensors.Level(robot, sensor)
	return head, level, err
}

func (e externalActions) Place(name string, poseWB spatial.Pose, twistInW spatial.Twist) error {
	if err := e.place(name, poseWB, twistInW); err != nil {
		return err
	}
	e.engine.Snapshot(&e.truth)
	e.pipeline.Moved()
	if name == "ball" {
		e.officials.ballPlaced(e.truth.Ball.PosW)
	}
	return nil
}

func (e externalActions) End() {
	if e.hidden() {
		return
	}
	e.clock.end.asked.Store(true)
	if end := e.clock.end.stop.Load(); end != nil {
		(*end)()
	}
}

func (e externalActions) SetSpeed(speed timesync.Speed) error {
	if speed == timesync.Lockstep {
		if err := e.World().FindAnswers(); err != nil {
			return fmt.Errorf("speed = %q: %w", speed, err)
		}
	}
	if !e.hidden() {
		e.clock.speed.Store(&speed)
	}
	return nil
}

func (e externalActions) Record(on bool) error {
	if e.opts.OnRecord == nil {
		return ErrNotRecorded
	}
	return e.opts.OnRecord(on)
}

// Record switches the recording for an event. Its failure never ends the run.
func (e eventActions) Record(on bool) error {
	_ = e.externalActions.Record(on) // a recording that has failed has reported it
	return nil
}

func (e externalActions) GameCommand(c game.Command, team physics.Team, number int) error {
	if c.ForRobot() {
		return e.commandRobot(c, team, number)
	}
	e.officials.game.Command(c, team)
	if c == game.Reset {
		e.officials.roster.Reset(e.truth.Time)
	}
	e.coach.Commanded()
	return nil
}

func (e externalActions) TellTeam(team physics.Team, word coach.Word) { e.coach.Tell(team, word) }

// place moves the ball, a robot or an obstacle in the engine. The ball stays above the floor.
func (s *Sim) place(name string, poseWB spatial.Pose, twistInW spatial.Twist) error {
	if name == "ball" {
		poseWB.Pos[2] = max(poseWB.Pos[2], s.model.Ball.Radius)
		return s.engine.PlaceBall(poseWB.Pos, twistInW)
	}
	for i := range s.model.Robots {
		if s.model.Robots[i].Name == name {
			return s.engine.PlaceRobot(i, poseWB, twistInW)
		}
	}
	for i := range s.model.Obstacles {
		if s.model.Obstacles[i].Name == name {
			return s.engine.PlaceObstacle(i, poseWB, twistInW)
		}
	}
	return fmt.Errorf("name = %q: there is no such robot or obstacle, and it is not \"ball\"", name)
}

func (e externalActions) Hang(board string, poseWB spatial.Pose) error {
	for i := range e.world.Boards {
		if e.world.Boards[i].Name == board {
			e.scenery.Hang(i, poseWB)
			return nil
		}
	}
	return fmt.Errorf("name = %q: there is no such board", board)
}

func (e externalActions) ChangeLight(change func(*render.FadingLight) error) error {
	if err := change(e.light); err != nil {
		return err
	}
	e.relight()
	return nil
}

// relight applies the present light to images and to perception without images.
func (s *Sim) relight() {
	s.scenery.SetLight(s.light.Lighting)
	s.pipeline.SetLight(s.light.Brightness())
}

func (e externalActions) PaintBall(color render.Color) error   { return e.scenery.PaintBall(color) }
func (e externalActions) PaintCarpet(color render.Color) error { return e.scenery.PaintCarpet(color) }
