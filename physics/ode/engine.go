package ode

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// blockedDepth is how deep, in metres, a held ball may be pressed into something before its robot loses it. Guess:
// a firm push at a wall passes, a ball wedged between two robots pops out.
const blockedDepth = 0.03

var errClosed = errors.New("ode: the engine is closed")

// Engine is a physics.Engine on libode.
type Engine struct {
	scene      physics.Scene
	dt         float64
	world      *world
	now        physics.Snapshot
	wheels     []physics.OmniWheels
	stuck      []physics.StuckTimer
	possession physics.Possession
	err        error
}

var _ physics.Engine = (*Engine)(nil)

// New starts a scene. It keeps its own copy of the slices. It fails when the scene is not valid, or libode cannot be
// started.
func New(scene *physics.Scene) (*Engine, error) {
	if err := scene.Validate(); err != nil {
		return nil, err
	}
	e := &Engine{scene: *scene, dt: scene.Step.Seconds()}
	e.scene.Robots = slices.Clone(scene.Robots)
	e.scene.Obstacles = slices.Clone(scene.Obstacles)
	n := len(e.scene.Robots)
	e.wheels = make([]physics.OmniWheels, n)
	e.stuck = make([]physics.StuckTimer, n)
	e.possession = physics.NewPossession(&e.scene)
	e.now.Robots = make([]physics.RobotState, n)
	e.now.Obstacles = make([]physics.ObstacleState, len(e.scene.Obstacles))
	for i := range e.scene.Robots {
		wheels, err := e.scene.Robots[i].Drive.OmniWheels()
		if err != nil {
			return nil, fmt.Errorf("ode: robot[%d].drive: %w", i, err)
		}
		e.wheels[i] = wheels
	}
	world, err := newWorld(&e.scene, e.wheels)
	if err != nil {
		return nil, err
	}
	e.world = world
	for i := range e.scene.Robots {
		e.PlaceRobot(i, e.scene.Robots[i].Pose, spatial.Twist{})
	}
	for i := range e.scene.Obstacles {
		e.PlaceObstacle(i, e.scene.Obstacles[i].Pose)
	}
	b := &e.scene.Ball
	e.PlaceBall(mgl64.Vec3{b.X, b.Y, b.Z + b.Radius}, spatial.Twist{Lin: mgl64.Vec3{b.VX, b.VY, b.VZ}})
	return e, nil
}

// Close frees the world. Snapshot goes on to return the last state.
func (e *Engine) Close() {
	if e.world != nil {
		e.world.free()
		e.world = nil
	}
	if e.err == nil {
		e.err = errClosed
	}
}

// Step advances by the scene's step. Once it has failed it fails for good.
func (e *Engine) Step(commands []physics.Command) error {
	if e.err != nil {
		return e.err
	}
	if err := e.check(commands); err != nil {
		return err // nothing has happened yet: the engine stays usable
	}
	e.kick(commands)
	e.possession.Update(&e.now, commands)
	e.drive(commands)
	pressed, err := e.world.step(e.dt, e.possession.Holder())
	if err != nil {
		e.err = fmt.Errorf("ode: step %d: %w", e.now.Step, err)
		return e.err
	}
	e.now.Step++
	e.now.Time = time.Duration(e.now.Step) * e.scene.Step
	e.readRobots(commands)
	for i := range e.now.Obstacles {
		o := &e.now.Obstacles[i]
		o.PoseWO, o.TwistWOInW = e.world.obstacle(i).get()
	}
	e.readBall(pressed)
	return nil
}

func (e *Engine) check(commands []physics.Command) error {
	if len(commands) != len(e.scene.Robots) {
		return fmt.Errorf("ode: %d commands for %d robots", len(commands), len(e.scene.Robots))
	}
	for i := range commands {
		c := &commands[i]
		if sum := c.TwistB.VX*0 + c.TwistB.VY*0 + c.TwistB.Omega*0 + c.Kick.Speed*0; sum != 0 {
			return fmt.Errorf("ode: command[%d] = %+v: must be finite", i, *c)
		}
	}
	return nil
}

// kick shoots the ball if its holder asks for it.
func (e *Engine) kick(commands []physics.Command) {
	i := e.possession.Holder()
	if i < 0 || commands[i].Kick.Mode == physics.NoKick || e.scene.Robots[i].Kicker == nil {
		return
	}
	ball := &e.now.Ball
	// The push goes through the ball's centre, so its spin stays.
	ball.TwistInW.Lin = e.scene.Launch(i, commands[i].Kick, e.now.Robots[i].PoseWB.Heading(), ball.PosW, ball.TwistInW.Lin)
	e.world.ball().put(spatial.Pose{Pos: ball.PosW, Rot: ball.RotW}, ball.TwistInW)
	e.possession.Lose(e.now.Step)
	e.now.Robots[i].Kicks++
}

// drive runs the robots' own velocity controllers.
func (e *Engine) drive(commands []physics.Command) {
	for i := range commands {
		drive, wheels := &e.scene.Robots[i].Drive, &e.wheels[i]
		// It ramps from what the encoders say: a robot that is held back does not wind up.
		now := wheels.Twist(e.now.Robots[i].WheelRadS)
		e.world.robot(i).setDrive(drive.Next(now, commands[i].TwistB, wheels, e.dt), wheels)
	}
}

func (e *Engine) readRobots(commands []physics.Command) {
	for i := range e.now.Robots {
		r, body := &e.now.Robots[i], e.world.robot(i)
		before := r.TwistWBInW.Lin
		r.PoseWB, r.TwistWBInW = body.get()
		r.AccelWBInW = r.TwistWBInW.Lin.Sub(before).Mul(1 / e.dt)
		twistB := r.TwistWBInB()
		if e.scene.Robots[i].Drive.Level == physics.ChassisDrive {
			r.WheelRadS = e.wheels[i].Speeds(twistB)
		} else {
			r.WheelRadS = body.wheelRates(&e.wheels[i])
		}
		for k := range e.wheels[i].Len() {
			r.WheelRad[k] += r.WheelRadS[k] * e.dt
		}
		r.Stuck = e.stuck[i].Update(commands[i].TwistB, twistB, e.dt)
	}
}

// readBall takes the ball's state from libode, or carries it along with its holder.
func (e *Engine) readBall(pressed float64) {
	ball, holder := &e.now.Ball, e.possession.Holder()
	if holder < 0 {
		pose, twist := e.world.ball().get()
		ball.PosW, ball.RotW, ball.TwistInW, ball.HeldBy = pose.Pos, pose.Rot, twist, -1
		return
	}
	r := &e.now.Robots[holder]
	ball.PosW, ball.TwistInW = e.scene.Robots[holder].Held(r.PoseWB, r.TwistWBInW, e.scene.Ball.Radius)
	ball.RotW = turned(ball.RotW, ball.TwistInW.Ang, e.dt)
	e.world.ball().put(spatial.Pose{Pos: ball.PosW, Rot: ball.RotW}, ball.TwistInW)
	if pressed > blockedDepth || r.PoseWB.Rotate(mgl64.Vec3{0, 0, 1})[2] < uprightCos {
		e.possession.Lose(e.now.Step)
	}
	ball.HeldBy = e.possession.Holder()
}

// turned returns an orientation after it has turned at a constant rate, in world axes, for dt seconds.
func turned(rot mgl64.Quat, rate mgl64.Vec3, dt float64) mgl64.Quat {
	angle := rate.Len() * dt
	if angle == 0 {
		return rot
	}
	sin, cos := math.Sincos(angle / 2)
	return mgl64.Quat{W: cos, V: rate.Mul(sin * dt / angle)}.Mul(rot).Normalize()
}
