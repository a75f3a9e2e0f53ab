package condition

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
)

// BallHeld holds while a robot dribbles the ball: a given one, one of a team, or any.
type BallHeld struct {
	Robot string       `toml:"robot" doc:"by this one; by any robot without robot and team"`
	Team  physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"by one of this team"`
}

func (c *BallHeld) Validate(w World) error {
	switch {
	case c.Robot != "" && c.Team != "":
		return wrong("team", string(c.Team), errors.New("goes without robot"))
	case c.Robot != "":
		robot, err := w.FindRobot(c.Robot)
		if err == nil && robot.Dribbler == nil {
			err = errors.New("has no dribbler")
		}
		return wrong("robot", c.Robot, err)
	}
	return nil
}

func (c *BallHeld) Bind(s State) (func() bool, error) {
	robots := s.Model().Robots
	counts, known := make([]bool, len(robots)), c.Robot == ""
	for i := range robots {
		counts[i] = (c.Robot == "" || c.Robot == robots[i].Name) && (c.Team == "" || c.Team == robots[i].Team)
		known = known || c.Robot == robots[i].Name
	}
	if !known {
		return nil, fmt.Errorf("robot = %q: there is no such robot", c.Robot)
	}
	truth := s.Truth()
	return func() bool { held := truth.Ball.HeldBy; return held >= 0 && counts[held] }, nil
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

func (c *BallHeld) Now(s State) string {
	if held := s.Truth().Ball.HeldBy; held >= 0 {
		return "ball held by " + s.Model().Robots[held].Name
	}
	return "ball held by nobody, " + where(s, "ball")
}
