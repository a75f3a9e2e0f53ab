package action

import (
	"errors"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// GameCommand is a command of the referee box. It changes the state of the game and moves nothing; see package game.
type GameCommand struct {
	Command game.Command `toml:"command" required:"true" oneof:"start|stop|drop_ball|park|first_half|half_time|second_half|end_game|first_half_overtime|second_half_overtime|game_over|reset|kickoff|freekick|goalkick|throwin|corner|penalty|goal|subgoal" doc:"goals that the ball scores count by themselves: goal and subgoal correct the score"`
	Team    physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"of a kickoff and what follows it there; the others are for both"`
}

func (c *GameCommand) Validate(World) error { return wrong("team", string(c.Team), c.wrongTeam()) }

func (c *GameCommand) wrongTeam() error {
	switch one := c.Command.ForOneTeam(); {
	case one && c.Team == "":
		return errors.New("must be cyan or magenta with command " + string(c.Command))
	case !one && c.Team != "":
		return errors.New("command " + string(c.Command) + " is for both teams")
	}
	return nil
}

func (c *GameCommand) Do(s Simulation) error {
	if err := c.wrongTeam(); err != nil {
		return err
	}
	s.GameCommand(c.Command, c.Team)
	return nil
}

func (c *GameCommand) Anytime() bool { return false }
