package condition

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
)

// BallHeld holds while a robot dribbles the ball: a given robot, any robot of a given team, or any robot at all.
type BallHeld struct {
	Robot string       `toml:"robot" doc:"name of the robot; left out, any robot"`
	Team  physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"team of the robot; left out, either team"`
}

func (c *BallHeld) Validate(w World) error {
	switch {
	case c.Robot != "" && c.Team != "":
		return violation("team", string(c.Team), errors.New("cannot be combined with robot"))
	case c.Robot != "":
		robot, err := w.FindRobot(c.Robot)
		if err == nil && robot.Dribbler == nil {
			err = errors.New("has no dribbler")
		}
		return violation("robot", c.Robot, err)
	}
	return nil
}

func (c *BallHeld) Bind(s State) (Test, error) {
	robots := s.Model().Robots
	counts, known := make([]bool, len(robots)), c.Robot == ""
	for i := range robots {
		counts[i] = (c.Robot == "" || c.Robot == robots[i].Name) && (c.Team == "" || c.Team == robots[i].Team)
		known = known || c.Robot == robots[i].Name
	}
	if !known {
		return Test{}, fmt.Errorf("robot = %q: there is no such robot", c.Robot)
	}
	ball, err := findBody(s, "ball")
	holder := &s.Truth().Ball.HeldBy
	return Test{func() bool { return *holder >= 0 && counts[*holder] }, func() string {
		if *holder >= 0 {
			return "ball held by " + robots[*holder].Name
		}
		return "ball held by nobody, " + ball.describe()
	}}, err
}

func (c *BallHeld) String() string {
	switch {
	case c.Robot != "":
		return "ball held by " + c.Robot
	case c.Team != "":
		return "ball held by team " + string(c.Team)
	}
	return "ball held"
}
