package play

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// standing returns the pose that Bodies get for a pose. Absent bodies stand on the floor, far away.
func standing(pose spatial.Pose) spatial.Pose {
	if pose.Absent() {
		pose.Pos[2] = 0
	}
	return pose
}

// ofPresent returns the commands of a step. Those of absent robots are empty, and those of robots with legs that do
// not walk have no velocity.
func (e *Engine) ofPresent(commands []physics.Command) []physics.Command {
	copy(e.commands, commands)
	for i := range e.commands {
		switch {
		case e.absent[i]:
			e.commands[i] = physics.Command{}
		case e.model.Robots[i].Drive.Level == physics.JointsDrive && e.joints[i].legs.gait == nil:
			e.commands[i].TwistB = physics.PlanarTwist{}
		}
	}
	return e.commands
}

// keepAbsent sets the state of absent bodies after a step: they have not moved.
func (e *Engine) keepAbsent() {
	for i, absent := range e.absent {
		switch {
		case !absent:
		case i < len(e.robots):
			r := &e.now.Robots[i]
			r.PoseWB, r.TwistWBInW = spatial.Absent(i), spatial.Twist{}
			r.WheelRadS, r.WheelStuck, r.MotorA = [physics.MaxWheels]float64{}, [physics.MaxWheels]bool{}, 0
		default:
			e.now.Obstacles[i-len(e.robots)] = physics.ObstacleState{PoseWO: spatial.Absent(i)}
		}
	}
}
