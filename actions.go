package omnipitch

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/coach"
	"github.com/omnipitch/omnipitch/worlds/command"
	"github.com/omnipitch/omnipitch/worlds/condition"
	"github.com/omnipitch/omnipitch/worlds/player"
)

// ErrNotRecorded is the error of action Record in a run that is not recorded.
var ErrNotRecorded = errors.New("the run is not recorded: run --record FILE does")

// externalActions implements action.Simulation for actions from outside the world. New methods of action.Simulation are
// methods of externalActions. The other types override a method only if the effect of the action must wait for a step
// or a frame.
type externalActions struct{ *Sim }

func (e externalActions) Command(robot string, change func(*physics.Command)) error {
	return e.commands.Change(robot, change)
}

func (e externalActions) Clock() *timesync.Clock  { return e.clock.Clock }
func (e externalActions) Field() *physics.Field   { return &e.published.Load().model.Field }
func (e externalActions) Robots() []physics.Robot { return e.published.Load().model.Robots }

func (e externalActions) Robot(name string) (*physics.Robot, error) {
	model := e.published.Load().model
	i, err := model.FindRobot(name)
	if err != nil {
		return nil, err
	}
	return &model.Robots[i], nil
}

func (e externalActions) SetBallHandling(robot string, enable bool) error {
	return e.commands.SetBallHandling(robot, enable)
}

func (e externalActions) SetWired(robot string, wired bool) error {
	return e.commands.SetWired(robot, wired)
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

func (e externalActions) MoveJoints(robot string, joints []int, to []physics.JointTarget) error {
	i, err := e.model.FindRobot(robot)
	if err == nil {
		err = e.engine.MoveJoints(i, joints, to)
	}
	if err != nil {
		return err
	}
	for _, joint := range joints {
		e.pipeline.ReleaseHeads(i, joint)
	}
	return nil
}

func (e externalActions) PlayAnimation(robot string, animation int) error {
	i, err := e.model.FindRobot(robot)
	if err != nil {
		return err
	}
	return e.engine.PlayAnimation(i, animation)
}

// Place moves a body, and updates the state, the pipeline and the referee. Every action that moves a body in the engine
// calls Place.
func (e externalActions) Place(name string, poseWB spatial.Pose, twistInW spatial.Twist) error {
	body, err := e.present(name)
	if err != nil {
		return err
	}
	return e.put(body, poseWB, twistInW)
}

// put is Place for any pose, and for absent bodies, too.
func (e externalActions) put(body physics.BodyID, poseWB spatial.Pose, twistInW spatial.Twist) error {
	if err := e.model.PlaceBody(e.engine, body, poseWB, twistInW); err != nil {
		return err
	}
	e.engine.Snapshot(&e.truth)
	e.pipeline.Moved()
	switch i := int(body); {
	case body == e.model.BallID():
		e.match.BallPlaced()
	case i < len(e.model.Robots):
		e.match.RobotPlaced(i)
	}
	return nil
}

// present returns the body with a name. It fails if the body is absent, or if there is no such body.
func (e externalActions) present(name string) (physics.BodyID, error) {
	body, err := e.model.FindBody(name)
	if err == nil && e.absent(body) {
		err = fmt.Errorf("name = %q: is absent: action spawn brings it", name)
	}
	return body, err
}

func (e externalActions) absent(body physics.BodyID) bool {
	pose := e.truth.Pose(body)
	return pose.Absent()
}

func (e externalActions) Spawn(name string, poseWB spatial.Pose, twistInW spatial.Twist) error {
	body, err := e.model.FindBody(name)
	if err != nil {
		return err
	}
	wasAbsent := e.absent(body)
	if err := e.put(body, poseWB, twistInW); err != nil || !wasAbsent {
		return err
	}
	return e.setWired(name, true)
}

func (e externalActions) Delete(name string) error {
	body, err := e.model.FindBody(name)
	if err != nil {
		return err
	}
	e.commands.StopPushes(body)
	return errors.Join(e.setWired(name, false), e.put(body, spatial.Absent(int(body)), spatial.Twist{}))
}

// setWired is SetWired, and does nothing for an obstacle.
func (e externalActions) setWired(name string, wired bool) error {
	if _, err := e.Robot(name); err != nil {
		return nil
	}
	return e.SetWired(name, wired)
}

func (e externalActions) End() {
	if e.hidden() {
		return
	}
	e.clock.end.asked.Store(true)
	if run := e.clock.end.run.Load(); run != nil {
		run.end()
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

func (e externalActions) GameCommand(c *action.GameCommand) error { return e.match.GameCommand(c) }

func (e externalActions) TellTeam(team physics.Team, word coach.Word) { e.match.TellTeam(team, word) }
func (e externalActions) Speak(s action.Speak)                        { e.match.Speak(s) }

func (e externalActions) SetRadio(robot string, team physics.Team, on bool) error {
	return e.match.SetRadio(robot, team, on)
}

// Play starts a player for an external action. The player starts after the commands that the robot's own programs gave
// before the action.
func (e externalActions) Play(robot string, b player.Behaviour, once bool) error {
	if c := e.commands.YieldTo(robot); c != nil && e.inputs.told != nil && !e.inputs.closed() {
		e.inputs.done = append(e.inputs.done, Input{Command: c})
	}
	return e.commands.Play(robot, b, once)
}

// reseeded returns the running world with another seed. If the run ends while random values are drawn, ended is true.
func (e externalActions) reseeded(seed *uint64) (world *worlds.World, ended bool, err error) {
	ctx := e.clock.end.context()
	world, err = e.World().Reseeded(ctx, seed)
	return world, err != nil && err == ctx.Err(), err
}

func (e externalActions) Restart(seed *uint64) error {
	world, ended, err := e.reseeded(seed)
	switch {
	case ended:
		return errors.New("the run has ended before random values were found")
	case err != nil:
		return err
	}
	return e.Sim.Restart(world)
}

func (e externalActions) ResetBodies() error {
	err := e.engine.PlaceBall(e.model.BallStart())
	for i := range e.model.Robots {
		if !e.truth.Robots[i].PoseWB.Absent() {
			err = errors.Join(err, e.engine.PlaceRobot(i, e.match.StartPose(i), spatial.Twist{}))
		}
	}
	for i := range e.model.Obstacles {
		if !e.truth.Obstacles[i].PoseWO.Absent() {
			err = errors.Join(err, e.engine.PlaceObstacle(i, e.model.Obstacles[i].Pose, spatial.Twist{}))
		}
	}
	e.engine.Snapshot(&e.truth)
	e.pipeline.Moved()
	e.match.BallPlaced()
	for i := range e.model.Robots {
		e.match.RobotPlaced(i)
	}
	return err
}

func (e externalActions) Push(name string, forceW, torqueW mgl64.Vec3, from, d time.Duration) error {
	body, err := e.present(name)
	if err != nil || d == 0 {
		return err
	}
	step := e.world.Time.Step
	p := command.Push{Body: body, ForceW: forceW, TorqueW: torqueW,
		From: max(e.truth.Time, (from+step-1)/step*step), Until: -1}
	if d > 0 {
		p.Until = p.From + d
	}
	if err := e.commands.Push(p); err != nil {
		return fmt.Errorf("name = %q: %w", name, err)
	}
	return nil
}

func (e externalActions) StopPushes(name string) error {
	body, err := e.model.FindBody(name)
	if err == nil {
		e.commands.StopPushes(body)
	}
	return err
}

func (e externalActions) Pose(name string) (spatial.Pose, error) {
	body, err := e.present(name)
	if err != nil {
		return spatial.Pose{}, err
	}
	return e.truth.Pose(body), nil
}

// stepActions implements action.Simulation for the actions of a step: those of the world's events, and replayed ones.
// Their levels and faults already apply to frames of the present time.
type stepActions struct{ externalActions }

func (e stepActions) SetLevel(robot, sensor string, level abstraction.Level) error {
	return e.pipeline.Set(robot, sensor, &level, nil)
}

func (e stepActions) SetFault(robot, sensor string, fault sensors.Fault) error {
	return e.pipeline.Set(robot, sensor, nil, &fault)
}

// eventActions implements action.Simulation for the world's events. Reports and speed lockstep do not count an event's
// commands as the robot's own.
type eventActions struct{ stepActions }

func (e eventActions) Head(robot, sensor string) (*sensors.Head, abstraction.Level, error) {
	return e.pipeline.Head(robot, sensor)
}

func (e eventActions) Command(robot string, change func(*physics.Command)) error {
	return e.commands.Impose(robot, change)
}

// Record switches the recording for an event. An error of the recording does not end the run.
func (e eventActions) Record(on bool) error {
	_ = e.externalActions.Record(on) // the recording has already reported its error
	return nil
}

// Play starts a player for an event. If commands of the robot's own programs are waiting for the next step, they take
// effect after the player has started, and stop it.
func (e eventActions) Play(robot string, b player.Behaviour, once bool) error {
	return e.commands.Play(robot, b, once)
}

// Restart restarts the world for an event. Unlike Sim.Restart, it does not record the restart as an external input. If
// the run has ended, the world does not restart: the next step never comes.
func (e eventActions) Restart(seed *uint64) error {
	world, ended, err := e.reseeded(seed)
	if ended {
		return nil
	}
	if err == nil {
		err = e.canRestart(world)
	}
	if err == nil {
		e.restartNext(world)
	}
	return err
}

// replayedActions implements action.Simulation for replayed external actions. Head reports a level at which the action
// is allowed, because the recorded run has already checked the camera's level.
type replayedActions struct{ stepActions }

func (e replayedActions) Head(robot, sensor string) (*sensors.Head, abstraction.Level, error) {
	head, _, err := e.pipeline.Head(robot, sensor)
	return head, abstraction.Truth, err
}

// Record does nothing: a replayed action does not switch a recording of the replay.
func (e replayedActions) Record(bool) error { return nil }

// directed implements match.Simulation, through which a match.Director reaches the Sim.
type directed struct{ *Sim }

func (d directed) Accepts() error { return d.accepts() }

func (d directed) Do(a action.Action) error {
	return a.Do(eventActions{stepActions{externalActions{d.Sim}}})
}

func (d directed) Place(name string, poseWB spatial.Pose, twistInW spatial.Twist) error {
	e := externalActions{d.Sim}
	body, err := e.present(name)
	if err != nil {
		return nil // the referee moves no absent robot
	}
	return e.put(body, poseWB, twistInW)
}

func (d directed) PlaceObstacle(obstacle int, poseWO spatial.Pose, twistInW spatial.Twist) error {
	return d.engine.PlaceObstacle(obstacle, poseWO, twistInW)
}

func (d directed) Level(robot, sensor string) (func() abstraction.Level, error) {
	return d.pipeline.LevelOf(robot, sensor)
}

func (d directed) Listen(robot, sensor string, accepts func(abstraction.Level) bool,
	observe func(*sensors.Observation)) (remove func(), err error) {
	return d.sensors.Listen(robot, sensor, Listener{Observe: observe, Wants: accepts})
}

func (d directed) Subscribe(topic string, fields []string, receive func(*condition.Message)) {
	x := &d.inputs
	n := len(x.topics)
	x.topics = append(x.topics, receive)
	if x.told != nil {
		receive = func(m *condition.Message) {
			d.tell(AsStepped, Input{Message: &TopicMessage{n, topic, *m}})
			x.topics[n](m)
		}
	}
	if d.opts.Topics != nil { // without Topics, no messages arrive
		x.unsubscribe = append(x.unsubscribe, d.opts.Topics.Subscribe(topic, fields, receive))
	}
}

func (d directed) Unsubscribe() {
	for _, end := range d.inputs.unsubscribe {
		end()
	}
	d.inputs.topics, d.inputs.unsubscribe = nil, nil
}

func (d directed) Hidden() bool { return d.hidden() }
