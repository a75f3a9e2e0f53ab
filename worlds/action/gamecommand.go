package action

import (
	"errors"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// GameCommand is a command of a referee. It changes the state of the game, or makes a robot leave the field; see
// package game.
type GameCommand struct {
	Command game.Command `toml:"command" required:"true" oneof:"start|stop|set|drop_ball|park|first_half|half_time|second_half|end_game|first_half_overtime|second_half_overtime|game_over|reset|kickoff|freekick|goalkick|throwin|corner|penalty|goal|subgoal|repair|repair_end|yellow_card|double_yellow|red_card|penalise|unpenalise" doc:"command; goal and subgoal correct the score, because goals of the ball count by themselves"`
	Team    physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"team of a kickoff and the commands after it in the list; the other commands concern both"`
	Number  int          `toml:"number" range:"[0, 500]" doc:"number of the robot, for repair and the commands after it in the list"`
	Robot   string       `toml:"robot" doc:"name of that robot, instead of its team and number"`
	Offence game.Offence `toml:"offence" oneof:"|illegal_position|motion_in_set|local_game_stuck|incapable|ball_holding|leaving_the_field|playing_with_hands|pushing" doc:"why command penalise penalises the robot; programs are told"`
	// For is 0 if the robot is penalised until the command unpenalise.
	For time.Duration `toml:"for_s" range:"[0, 100000]" doc:"time for which command penalise penalises the robot; 0: until unpenalise"`
}

func (c *GameCommand) Validate(w World) error {
	removal := errors.Join(violation("offence", string(c.Offence), c.wrongRemoval(c.Offence != "")),
		violation("for_s", c.For.Seconds(), c.wrongRemoval(c.For != 0)))
	if c.Robot != "" {
		_, err := w.FindRobot(c.Robot)
		return errors.Join(violation("robot", c.Robot, errors.Join(c.wrongRobot(), err)), removal)
	}
	err := errors.Join(violation("team", string(c.Team), c.wrongTeam()), violation("number", c.Number, c.wrongNumber()),
		removal)
	if err == nil && c.Command.ForRobot() {
		err = violation("number", c.Number, w.FindNumber(c.Team, c.Number))
	}
	return err
}

// wrongRobot returns an error if a robot's name is given and cannot be.
func (c *GameCommand) wrongRobot() error {
	switch {
	case !c.Command.ForRobot():
		return errors.New("command " + string(c.Command) + " is for no single robot")
	case c.Team != "" || c.Number != 0:
		return errors.New("replaces team and number: leave them out")
	}
	return nil
}

func (c *GameCommand) wrongTeam() error {
	switch one := c.Command.ForOneTeam(); {
	case one && c.Team == "":
		return errors.New("must be cyan or magenta with command " + string(c.Command))
	case !one && c.Team != "":
		return errors.New("command " + string(c.Command) + " is for both teams")
	}
	return nil
}

func (c *GameCommand) wrongNumber() error {
	switch one := c.Command.ForRobot(); {
	case one && c.Number == 0:
		return errors.New("must be a robot's with command " + string(c.Command))
	case !one && c.Number != 0:
		return errors.New("command " + string(c.Command) + " is for no single robot")
	}
	return nil
}

func (c *GameCommand) wrongRemoval(given bool) error {
	if given && c.Command != game.Penalise {
		return errors.New("goes with command penalise alone")
	}
	return nil
}

func (c *GameCommand) Do(s Simulation) error {
	if err := c.wrongRemoval(c.Offence != "" || c.For != 0); err != nil {
		return err
	}
	if c.Robot != "" {
		r, err := s.Robot(c.Robot)
		if err = errors.Join(c.wrongRobot(), err); err != nil {
			return violation("robot", c.Robot, err)
		}
		of := *c
		of.Team, of.Number = r.Team, r.Number
		return s.GameCommand(&of)
	}
	if err := errors.Join(c.wrongTeam(), c.wrongNumber()); err != nil {
		return err
	}
	return s.GameCommand(c)
}
