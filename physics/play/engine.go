package play

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/ball"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Bodies moves robots and obstacles: all that an engine has to bring.
type Bodies interface {
	// Step moves them by the model's step. After an error nothing but Close may follow.
	Step(setpoints []Setpoint) error
	// Read fills the motion of robots and obstacles, the wheels, motors and battery, and appends the touches between
	// them and with what stands still.
	Read(now *physics.Snapshot)
	PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist)
	PlaceObstacle(obstacle int, poseWO spatial.Pose)
	// Push gives a robot or an obstacle an impulse at a point, in N s and W, when the next step starts.
	Push(body physics.BodyID, impulseW, atW mgl64.Vec3)
	Close()
}

// Setpoint is what a robot's velocity controller asks of its drive for a step.
type Setpoint struct {
	TwistB physics.PlanarTwist
	Rates  [physics.MaxWheels]float64 // of the wheels, rad/s
}

var errClosed = errors.New("the engine is closed")

// Engine is a physics.Engine around Bodies.
type Engine struct {
	model      physics.Model
	dt         float64
	bodies     Bodies
	now        physics.Snapshot
	wheels     []physics.WheelSet
	setpoints  []Setpoint
	robots     []robot
	possession physics.Possession
	events     physics.EventDetector
	ball       *ball.Ball
	around     surroundings
	err        error
}

// robot is what an engine remembers about one.
type robot struct {
	stuck    physics.StuckTimer
	wasStuck bool
	wheels   bool // some were stuck
	frame    frameTimer
	arms     [2]arm
}

var _ physics.Engine = (*Engine)(nil)

// New starts a model with bodies that stand where the model says. It keeps its own copy of the slices. The model must
// be valid.
func New(model *physics.Model, bodies Bodies) (*Engine, error) {
	e := &Engine{model: *model, dt: model.Step.Seconds(), bodies: bodies}
	e.model.Robots = slices.Clone(model.Robots)
	e.model.Obstacles = slices.Clone(model.Obstacles)
	n := len(e.model.Robots)
	e.wheels = make([]physics.WheelSet, n)
	e.setpoints = make([]Setpoint, n)
	e.robots = make([]robot, n)
	e.possession = physics.NewPossession(&e.model)
	e.events = physics.NewEventDetector(&e.model)
	e.now.Robots = make([]physics.RobotState, n)
	e.now.Obstacles = make([]physics.ObstacleState, len(e.model.Obstacles))
	e.ball = ball.New(&e.model)
	e.around = newSurroundings(&e.model)
	for i := range e.model.Robots {
		wheels, err := e.model.Robots[i].Drive.WheelSet()
		if err != nil {
			return nil, fmt.Errorf("robot[%d].drive: %w", i, err)
		}
		e.wheels[i] = wheels
		e.now.Robots[i].Charge = 1
		if e.model.Robots[i].Drive.Motor != nil {
			supply := e.model.Robots[i].Drive.Supply()
			e.now.Robots[i].BatteryV = supply.Voltage
		}
		if err := e.PlaceRobot(i, e.model.Robots[i].Pose, spatial.Twist{}); err != nil {
			return nil, err
		}
	}
	for i := range e.model.Obstacles {
		if err := e.PlaceObstacle(i, e.model.Obstacles[i].Pose); err != nil {
			return nil, err
		}
	}
	b := &e.model.Ball
	return e, e.PlaceBall(mgl64.Vec3{b.X, b.Y, b.Z + b.Radius}, spatial.Twist{Lin: mgl64.Vec3{b.VX, b.VY, b.VZ}})
}

// Close frees the bodies. Snapshot goes on to return the last state.
func (e *Engine) Close() {
	if e.err != errClosed {
		e.bodies.Close()
		e.err = errClosed
	}
}

// Step advances by the model's step. Once bodies have failed it fails for good.
func (e *Engine) Step(commands []physics.Command) error {
	if e.err != nil {
		return e.err
	}
	if err := e.check(commands); err != nil {
		return err // nothing has happened yet: the engine stays usable
	}
	e.now.Touches, e.now.Events = e.now.Touches[:0], e.now.Events[:0]
	e.kick(commands)
	e.possession.Update(&e.now, commands)
	e.control(commands)
	e.around.begin(&e.now)
	if err := e.bodies.Step(e.setpoints); err != nil {
		e.err = fmt.Errorf("step %d: %w", e.now.Step, err)
		return e.err
	}
	e.now.Step++
	e.now.Time = time.Duration(e.now.Step) * e.model.Step
	e.readRobots()
	e.around.end(&e.now, e.possession.Holder(), e.ball.Pos, e.ball.Twist.Lin, e.dt)
	e.moveBall()
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

// kick charges the kickers and shoots the ball if its holder asks for it.
func (e *Engine) kick(commands []physics.Command) {
	for i := range e.model.Robots {
		r := &e.now.Robots[i]
		if k := e.model.Robots[i].Kicker; k != nil && r.Charge < 1 {
			r.Charge = min(1, r.Charge+e.dt/max(k.Charge.Seconds(), e.dt))
		}
	}
	i := e.possession.Holder()
	if i < 0 || commands[i].Kick.Mode == physics.NoKick || e.model.Robots[i].Kicker == nil {
		return
	}
	r := &e.now.Robots[i]
	shot := e.model.Launch(i, commands[i].Kick, r.Charge, r.PoseWB.Heading(), e.ball.Pos, e.ball.Twist.Lin, e.ball.Twist.Ang)
	e.ball.Twist.Lin = shot.VelW // the push goes through the ball's centre, so its spin stays
	r.Charge = max(0, r.Charge-shot.Energy)
	r.Kicks++
	e.possession.Lose(e.now.Step)
}

// control runs the robots' own velocity controllers and frames.
func (e *Engine) control(commands []physics.Command) {
	for i := range commands {
		drive, wheels, r := &e.model.Robots[i].Drive, &e.wheels[i], &e.now.Robots[i]
		setpoint := &e.setpoints[i]
		from := drive.LimitWindup(setpoint.TwistB, wheels.Twist(r.WheelRadS))
		setpoint.TwistB = drive.NextTwist(from, commands[i].TwistB, wheels, e.dt)
		setpoint.Rates = wheels.Speeds(setpoint.TwistB)
		if f := e.model.Robots[i].Extension; f != nil {
			r.Extension = e.robots[i].frame.update(f, commands[i].Extend, e.dt)
		}
	}
}

func (e *Engine) readRobots() {
	for i := range e.now.Robots {
		r := &e.now.Robots[i]
		r.AccelWBInW, r.AngAccelWBInW = r.TwistWBInW.Lin, r.TwistWBInW.Ang // of before, until the new ones are known
	}
	e.bodies.Read(&e.now)
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

// report finds out who is stuck and who pushes whom.
func (e *Engine) report(commands []physics.Command) {
	for i := range e.now.Robots {
		r, m := &e.now.Robots[i], &e.robots[i]
		r.Stuck = m.stuck.Update(commands[i].TwistB, math.Hypot(r.TwistWBInW.Lin[0], r.TwistWBInW.Lin[1]), e.dt)
		e.change(i, &m.wasStuck, r.Stuck, physics.StuckBegan, physics.StuckEnded)
		e.change(i, &m.wheels, slices.Contains(r.WheelStuck[:], true), physics.WheelsStuckBegan, physics.WheelsStuckEnded)
	}
	e.events.Update(&e.now, e.dt)
}

// change reports the beginning or the end of something about a robot.
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
