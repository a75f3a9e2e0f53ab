package physics

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// BodyID is the index of a body of a model: robots first, then obstacles, in the model's order, then the ball.
type BodyID int

// Static is the BodyID of all static bodies: boards, goals and floor.
const Static BodyID = -1

// RobotID, ObstacleID and BallID return the BodyIDs of a model's bodies.
func (s *Model) RobotID(robot int) BodyID       { return BodyID(robot) }
func (s *Model) ObstacleID(obstacle int) BodyID { return BodyID(len(s.Robots) + obstacle) }
func (s *Model) BallID() BodyID                 { return BodyID(len(s.Robots) + len(s.Obstacles)) }

// BallID returns the ball's BodyID in Touches and Events.
func (s *Snapshot) BallID() BodyID { return BodyID(len(s.Robots) + len(s.Obstacles)) }

// BodyName returns a body's name as in world files.
func (s *Model) BodyName(id BodyID) string {
	switch n := len(s.Robots); {
	case id == Static:
		return "hall"
	case int(id) < n:
		return s.Robots[id].Name
	case id == s.BallID():
		return "ball"
	default:
		return s.Obstacles[int(id)-n].Name
	}
}

// FindBody returns the ball, whose name is "ball", or the robot or obstacle with a name. It fails if the model has no
// such body.
func (s *Model) FindBody(name string) (BodyID, error) {
	for id := range s.BallID() {
		if s.BodyName(id) == name {
			return id, nil
		}
	}
	switch {
	case name != "ball":
		return 0, fmt.Errorf("name = %q: there is no such robot or obstacle, and it is not \"ball\"", name)
	case s.Ball.Absent:
		return 0, errors.New(`name = "ball": the world has no ball`)
	}
	return s.BallID(), nil
}

// FindRobot returns the index of the robot with a name. It fails if there is no such robot.
func (s *Model) FindRobot(name string) (int, error) {
	for i := range s.Robots {
		if s.Robots[i].Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("robot = %q: there is no such robot", name)
}

// Pose returns the pose of a body's frame in W: on the floor for robots and obstacles, at the centre for the ball.
func (s *Snapshot) Pose(id BodyID) spatial.Pose {
	switch n := len(s.Robots); {
	case int(id) < n:
		return s.Robots[id].PoseWB
	case id == s.BallID():
		return spatial.Pose{Pos: s.Ball.PosW, Rot: s.Ball.RotW}
	default:
		return s.Obstacles[int(id)-n].PoseWO
	}
}

// PlaceBody sets the pose and the twist of a body in W between two steps. The ball stays above the floor, and has no
// orientation.
func (s *Model) PlaceBody(e Engine, id BodyID, poseW spatial.Pose, twistInW spatial.Twist) error {
	switch n := len(s.Robots); {
	case int(id) < n:
		return e.PlaceRobot(int(id), poseW, twistInW)
	case id != s.BallID():
		return e.PlaceObstacle(int(id)-n, poseW, twistInW)
	}
	poseW.Pos[2] = max(poseW.Pos[2], s.Ball.Radius)
	return e.PlaceBall(poseW.Pos, twistInW)
}
