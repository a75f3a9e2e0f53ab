package ode

import (
	"errors"
	"fmt"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/internal/play"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// New returns an engine in the start state of a model. It fails if the model is not valid, or if libode cannot be
// initialised.
func New(model *physics.Model) (physics.Engine, error) { return play.Open(model, newBodies) }

// bodies are robots and obstacles on libode.
type bodies struct {
	dt      float64
	world   *world
	chassis []bool // reports for each robot whether its drive is at level chassis or walk
	rollers bool   // the drive of a robot is at level rollers
	wheels  []physics.WheelSet
}

var _ play.Bodies = (*bodies)(nil)

func newBodies(model *physics.Model) (*bodies, error) {
	b := &bodies{dt: model.Step.Seconds()}
	for i := range model.Robots {
		wheels, err := model.Robots[i].Drive.WheelSet()
		if err != nil {
			return nil, fmt.Errorf("ode: robot[%d].drive: %w", i, err)
		}
		b.wheels = append(b.wheels, wheels)
		level := model.Robots[i].Drive.Level
		b.chassis = append(b.chassis, level == physics.ChassisDrive || level == physics.WalkDrive)
		b.rollers = b.rollers || model.Robots[i].Drive.Level == physics.RollersDrive
	}
	var err error
	b.world, err = newWorld(model, b.wheels)
	return b, err
}

var errClosed = errors.New("ode: closed")

// Step implements play.Bodies.
func (b *bodies) Step(setpoints []play.Setpoint) error {
	if b.world == nil {
		return errClosed
	}
	for i := range setpoints {
		b.world.robot(i).setSetpoint(&setpoints[i])
	}
	if err := b.world.step(b.dt); err != nil {
		return fmt.Errorf("ode: %w", err)
	}
	return nil
}

// Read implements play.Bodies.
func (b *bodies) Read(now *physics.Snapshot) {
	for i := range now.Robots {
		r, body := &now.Robots[i], b.world.robot(i)
		r.PoseWB, r.TwistWBInW = body.get()
		if b.chassis[i] {
			r.WheelRadS = b.wheels[i].Speeds(r.TwistWBInB())
			continue
		}
		body.readWheels(r)
	}
	for i := range now.Obstacles {
		o := &now.Obstacles[i]
		o.PoseWO, o.TwistWOInW = b.world.obstacle(i).get()
	}
	now.Touches = b.world.readTouches(now.Touches)
}

// PlaceRobot implements play.Bodies.
func (b *bodies) PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist) {
	body := b.world.robot(robot)
	body.put(poseWB, twistWBInW)
	v := poseWB.Unrotate(twistWBInW.Lin)
	body.setRates(b.wheels[robot].Speeds(physics.PlanarTwist{VX: v[0], VY: v[1], Omega: twistWBInW.Ang[2]}))
}

// PlaceObstacle implements play.Bodies.
func (b *bodies) PlaceObstacle(obstacle int, poseWO spatial.Pose, twistWOInW spatial.Twist) {
	b.world.obstacle(obstacle).put(poseWO, twistWOInW)
}

// Push implements play.Bodies.
func (b *bodies) Push(id physics.BodyID, impulseW, atW mgl64.Vec3) {
	b.world.body(id).push(impulseW, atW)
}

// Close frees the world.
func (b *bodies) Close() {
	if b.world != nil {
		b.world.free()
		b.world = nil
	}
}
