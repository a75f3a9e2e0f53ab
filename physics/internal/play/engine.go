package play

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/ball"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Bodies simulates robots and obstacles. It is the part in which engines differ.
type Bodies interface {
	// Step advances by the model's step. After an error only Close may be called.
	Step(setpoints []Setpoint) error
	// Read sets the motion of robots and obstacles, and the state of wheels, motors and battery. It appends the touches
	// of robots and obstacles with each other and with static bodies.
	Read(now *physics.Snapshot)
	PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist)
	PlaceObstacle(obstacle int, poseWO spatial.Pose, twistWOInW spatial.Twist)
	// Push applies an impulse, N s, to a robot or an obstacle at a point, both in W, at the start of the next step.
	Push(body physics.BodyID, impulseW, atW mgl64.Vec3)
	// Exchange saves or restores the exact state between two steps. It fails if that is impossible.
	Exchange(c *keyframe.Codec) error
	Close()
}

// JointedBodies are Bodies that move the robots' joints as well. Their method Read sets the motion of joints, and the
// loads of the feet of robots at level joints.
type JointedBodies interface {
	Bodies
	// SetServos sets what the motors of a robot's joints do during the next step.
	SetServos(robot int, servos []Servo)
	// PushLink applies an impulse, like Push, to the link of a joint; -1 is the trunk.
	PushLink(robot, joint int, impulseW, atW mgl64.Vec3)
}

// Setpoint is the output of a robot's velocity controller for a step.
type Setpoint struct {
	TwistB physics.PlanarTwist
	Rates  [physics.MaxWheels]float64 // rates of the wheels, rad/s
}

var errClosed = errors.New("the engine is closed")

// Engine is a physics.Engine that uses Bodies.
type Engine struct {
	model      physics.Model
	dt         float64
	bodies     Bodies
	jointed    JointedBodies // bodies, or nil if they do not move joints
	now        physics.Snapshot
	wheels     []physics.WheelSet
	setpoints  []Setpoint
	robots     []robot
	joints     []joints          // of each robot
	walkers    []*walker         // of each robot; nil for those at other levels
	motions    []motionControl   // of each robot
	footings   []footing         // of robots with feet
	absent     []bool            // for each robot and then each obstacle, whether it is not in the world
	commands   []physics.Command // of the present step, without those of absent robots
	possession physics.Possession
	events     physics.EventDetector
	ball       *ball.Ball
	solids     solidSet
	err        error
}

// robot is the part of a robot's state that snapshots do not contain.
type robot struct {
	stuck     physics.StuckTimer
	wasStuck  bool
	wheels    bool // a wheel was stuck in the last step
	extension extensionTimer
	arms      [2]arm
	reach     physics.Reach // Reach of the robot's present command
}

var _ physics.Keeper = (*Engine)(nil)

// Open validates a model, makes its bodies, and returns an engine at the start of the model.
func Open[B Bodies](model *physics.Model, newBodies func(*physics.Model) (B, error)) (physics.Engine, error) {
	if err := model.Validate(); err != nil {
		return nil, err
	}
	bodies, err := newBodies(model)
	if err != nil {
		return nil, err
	}
	e, err := New(model, bodies)
	if err != nil {
		bodies.Close()
		return nil, err
	}
	return e, nil
}

// New returns an engine at the start of a model, which must be valid. It copies the model's slices, and places the
// bodies.
func New(model *physics.Model, bodies Bodies) (*Engine, error) {
	e := &Engine{model: *model, dt: model.Step.Seconds(), bodies: bodies}
	e.jointed, _ = bodies.(JointedBodies)
	e.model.Robots = slices.Clone(model.Robots)
	e.model.Obstacles = slices.Clone(model.Obstacles)
	n := len(e.model.Robots)
	e.wheels = make([]physics.WheelSet, n)
	e.setpoints = make([]Setpoint, n)
	e.robots = make([]robot, n)
	e.commands = make([]physics.Command, n)
	e.absent = make([]bool, n+len(e.model.Obstacles))
	e.possession = physics.NewPossession(&e.model)
	e.events = physics.NewEventDetector(&e.model)
	for i := range e.model.Robots {
		j, err := newJoints(&e.model, i, e.dt, e.jointed != nil)
		if err != nil {
			return nil, fmt.Errorf("robot[%d].drive.walk: %w", i, err)
		}
		e.joints = append(e.joints, j)
		w, err := newWalker(&e.model, i, e.dt)
		if err != nil {
			return nil, fmt.Errorf("robot[%d].drive.walk: %w", i, err)
		}
		e.walkers = append(e.walkers, w)
		e.motions = append(e.motions, newMotionControl(&e.model.Robots[i]))
	}
	e.now = *e.model.Start()
	e.footings = newFootings(&e.model, &e.now, e.jointed != nil)
	for i := range e.footings {
		f := &e.footings[i]
		copy(e.now.Feet[f.first:], f.still[:])
	}
	e.linkWalkers()
	e.ball = ball.New(&e.model)
	e.solids = newSolidSet(&e.model)
	for i := range e.model.Robots {
		wheels, err := e.model.Robots[i].Drive.WheelSet()
		if err != nil {
			return nil, fmt.Errorf("robot[%d].drive: %w", i, err)
		}
		e.wheels[i] = wheels
		if err := e.PlaceRobot(i, e.now.Robots[i].PoseWB, spatial.Twist{}); err != nil {
			return nil, err
		}
	}
	for i := range e.model.Obstacles {
		if err := e.PlaceObstacle(i, e.now.Obstacles[i].PoseWO, spatial.Twist{}); err != nil {
			return nil, err
		}
	}
	return e, e.PlaceBall(model.BallStart())
}

// Close frees the bodies. Snapshot still returns the last state.
func (e *Engine) Close() {
	if e.err != errClosed {
		e.bodies.Close()
		e.err = errClosed
	}
}

// Step advances the state by one step of the model. Once Bodies has failed, every later call fails.
func (e *Engine) Step(commands []physics.Command) error {
	if e.err != nil {
		return e.err
	}
	if err := e.check(commands); err != nil {
		return err // nothing has changed, so the engine remains usable
	}
	commands = e.ofPresent(commands)
	e.now.Touches, e.now.Events = e.now.Touches[:0], e.now.Events[:0]
	e.moveOn(commands)
	e.kick(commands)
	e.possession.Update(&e.now, commands)
	e.control(commands)
	e.solids.savePoses(&e.now)
	e.pushBodies()
	e.setServos()
	if err := e.bodies.Step(e.setpoints); err != nil {
		e.err = fmt.Errorf("step %d: %w", e.now.Step, err)
		return e.err
	}
	e.now.Step++
	e.now.Time = time.Duration(e.now.Step) * e.model.Step
	e.readRobots()
	e.moveJoints()
	e.loadFeet()
	if !e.model.Ball.Absent {
		e.solids.computeMotion(&e.now, e.possession.Holder(), e.ball.Pos, e.ball.Twist.Lin, e.dt)
		e.moveBall()
	}
	e.report(commands)
	return nil
}

func (e *Engine) check(commands []physics.Command) error {
	if len(commands) != len(e.model.Robots) {
		return fmt.Errorf("%d commands for %d robots", len(commands), len(e.model.Robots))
	}
	for i := range commands {
		if err := commands[i].Validate(); err != nil {
			return fmt.Errorf("robot[%d] %s: command: %w", i, e.model.Robots[i].Name, err)
		}
	}
	return nil
}

// kick charges the kickers. If a robot is commanded to kick and can kick the ball, kick shoots the ball.
func (e *Engine) kick(commands []physics.Command) {
	for i := range e.model.Robots {
		r := &e.now.Robots[i]
		if k := e.model.Robots[i].Kicker; k != nil && r.Charge < 1 {
			r.Charge = min(1, r.Charge+e.dt/max(k.Charge.Seconds(), e.dt))
		}
	}
	i := e.shooter(commands)
	if i < 0 {
		return
	}
	r := &e.now.Robots[i]
	shot := e.model.Launch(i, commands[i].Kick, r.Charge, r.PoseWB.Heading(), e.ball.Pos, e.ball.Twist.Lin,
		e.ball.Twist.Ang)
	e.ball.Twist.Lin = shot.VelW // the kick acts through the ball's centre, so the spin stays
	r.Charge = max(0, r.Charge-shot.Energy)
	r.Kicks++
	e.possession.Kicked(i, e.now.Step)
}

// shooter returns the index of the robot that kicks the ball in this step: the robot that holds the ball, or the first
// robot in the model's order that reaches it. It returns −1 if no robot kicks.
func (e *Engine) shooter(commands []physics.Command) int {
	kicks := func(i int) bool {
		return commands[i].Kick.Mode != physics.NoKick && e.model.Robots[i].Kicker != nil
	}
	if holder := e.possession.Holder(); holder >= 0 && kicks(holder) {
		return holder
	}
	for i := range commands {
		reach := commands[i].Kick.Reach
		if reach.Distance > 0 && kicks(i) && e.possession.Ready(i, e.now.Step) && e.model.Robots[i].Within(reach,
			e.now.Robots[i].PoseWB, e.ball.Pos, e.model.Ball.Radius) {
			return i
		}
	}
	return -1
}

// control updates the robots' own velocity controllers and extensions.
func (e *Engine) control(commands []physics.Command) {
	for i := range commands {
		drive, wheels, r := &e.model.Robots[i].Drive, &e.wheels[i], &e.now.Robots[i]
		setpoint := &e.setpoints[i]
		from := drive.LimitWindup(setpoint.TwistB, wheels.Twist(r.WheelRadS))
		if w := e.walkers[i]; w != nil {
			setpoint.TwistB = w.advance(commands[i].TwistB)
		} else {
			setpoint.TwistB = drive.NextTwist(from, commands[i].TwistB, wheels, e.dt)
		}
		setpoint.Rates = wheels.Speeds(setpoint.TwistB)
		if !e.absent[i] {
			e.joints[i].moveLegs(commands[i].TwistB, r, e.now.Step)
		}
		e.robots[i].reach = commands[i].Reach
		if f := e.model.Robots[i].Extension; f != nil {
			r.Extension = e.robots[i].extension.update(f, commands[i].Extend, e.dt)
		}
	}
}

func (e *Engine) readRobots() {
	for i := range e.now.Robots {
		r := &e.now.Robots[i]
		// these fields hold the old velocities until the new velocities are known
		r.AccelWBInW, r.AngAccelWBInW = r.TwistWBInW.Lin, r.TwistWBInW.Ang
	}
	e.bodies.Read(&e.now)
	e.sway()
	e.keepAbsent()
	for i := range e.now.Robots {
		r := &e.now.Robots[i]
		perSecond := 1 / e.dt
		for k := range 3 {
			r.AccelWBInW[k] = (r.TwistWBInW.Lin[k] - r.AccelWBInW[k]) * perSecond
			r.AngAccelWBInW[k] = (r.TwistWBInW.Ang[k] - r.AngAccelWBInW[k]) * perSecond
		}
		for k := range e.wheels[i].Len() {
			r.WheelRad[k] += r.WheelRadS[k] * e.dt
		}
	}
}

// report detects stuck robots, and derives events from touches.
func (e *Engine) report(commands []physics.Command) {
	for i := range e.now.Robots {
		r, m := &e.now.Robots[i], &e.robots[i]
		wanted := commands[i].TwistB
		if w := &e.joints[i].legs; w.gait != nil {
			wanted = w.state.Twist // before the first step a robot stands
		}
		r.Stuck = m.stuck.Update(wanted, math.Hypot(r.TwistWBInW.Lin[0], r.TwistWBInW.Lin[1]), e.dt)
		e.change(i, &m.wasStuck, r.Stuck, physics.StuckBegan, physics.StuckEnded)
		e.change(i, &m.wheels, slices.Contains(r.WheelStuck[:], true), physics.WheelsStuckBegan,
			physics.WheelsStuckEnded)
	}
	e.events.Update(&e.now, e.dt)
}

// change compares the new value of a condition with its old value, and stores the new value. If they differ, change
// reports the robot's event began or ended.
func (e *Engine) change(robot int, was *bool, is bool, began, ended physics.EventKind) {
	if *was == is {
		return
	}
	*was = is
	kind := ended
	if is {
		kind = began
	}
	e.now.Events = append(e.now.Events, physics.Event{Kind: kind, Touch: physics.Touch{
		A: e.model.RobotID(robot), B: physics.Static, PosW: e.now.Robots[robot].PoseWB.Pos}})
}
