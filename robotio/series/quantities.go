package series

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// kind is the kind of a body.
type kind uint8

const (
	isBall kind = 1 << iota
	isRobot
	isObstacle
	isAny = isBall | isRobot | isObstacle
)

// state is the state of a body at an instant.
type state struct {
	spatial.Pose
	spatial.Twist                     // in the world's axes
	robot         *physics.RobotState // of a robot with exact states; else nil
}

// quantity is a number that bodies have.
type quantity struct {
	name, unit string
	of         kind
	exact      bool // only exact states have it
	value      func(*state) float64
}

// quantities are the quantities of bodies. Pose and velocity are in the world's frame. vx, vy and omega are in the
// body's own axes, as in commands.
var quantities = []quantity{
	{"pose.x", "m", isAny, false, func(s *state) float64 { return s.Pos[0] }},
	{"pose.y", "m", isAny, false, func(s *state) float64 { return s.Pos[1] }},
	{"pose.z", "m", isAny, false, func(s *state) float64 { return s.Pos[2] }},
	{"pose.yaw", "rad", isRobot | isObstacle, false, func(s *state) float64 { return s.Heading() }},
	{"velocity.x", "m/s", isAny, false, func(s *state) float64 { return s.Lin[0] }},
	{"velocity.y", "m/s", isAny, false, func(s *state) float64 { return s.Lin[1] }},
	{"velocity.z", "m/s", isAny, false, func(s *state) float64 { return s.Lin[2] }},
	{"speed", "m/s", isAny, false, func(s *state) float64 { return s.Lin.Len() }},
	{"spin", "rad/s", isBall, false, func(s *state) float64 { return s.Ang.Len() }},
	{"vx", "m/s", isRobot | isObstacle, false, func(s *state) float64 { return s.Unrotate(s.Lin)[0] }},
	{"vy", "m/s", isRobot | isObstacle, false, func(s *state) float64 { return s.Unrotate(s.Lin)[1] }},
	{"omega", "rad/s", isRobot | isObstacle, false, func(s *state) float64 { return s.Ang[2] }},
	{"acceleration", "m/s²", isRobot, true, func(s *state) float64 { return s.robot.AccelWBInW.Len() }},
	{"current", "A", isRobot, true, func(s *state) float64 { return s.robot.MotorA }},
	{"voltage", "V", isRobot, true, func(s *state) float64 { return s.robot.BatteryV }},
	{"charge", "", isRobot, true, func(s *state) float64 { return s.robot.Charge }},
}

// quantitiesOf returns the quantities of a kind of body with a number of wheels.
func quantitiesOf(of kind, wheels int, exact bool) (all []quantity) {
	for _, q := range quantities {
		if q.of&of != 0 && (exact || !q.exact) {
			all = append(all, q)
		}
	}
	for i := range wheels {
		all = append(all, quantity{fmt.Sprintf("wheel%d", i), "rad/s", isRobot, true,
			func(s *state) float64 { return s.robot.WheelRadS[i] }})
	}
	return all
}
