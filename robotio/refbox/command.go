package refbox

import "github.com/omnipitch/omnipitch/worlds/game"

// Command is what a box commands.
type Command string

// Commands that are none of the game's. Those that concern a robot have its number in the message.
const (
	// to a team that has connected: its TargetTeam is how the box calls that team from then on
	Welcome Command = "WELCOME"
	IsAlive Command = "IS_ALIVE" // the robot is to show that it obeys
	// Substitution has a robot come in that is beside the field; for whom, the message does not say.
	Substitution Command = "SUBSTITUTION"
)

// gameCommands are what the box's commands do to the game; empty: nothing.
var gameCommands = map[Command]game.Command{
	"START": game.Start, "STOP": game.Stop, "DROP_BALL": game.DropBall, "PARK": game.Park,
	"FIRST_HALF": game.FirstHalf, "HALF_TIME": game.HalfTime, "SECOND_HALF": game.SecondHalf, "END_GAME": game.EndGame,
	"FIRST_HALF_OVERTIME": game.FirstHalfOvertime, "SECOND_HALF_OVERTIME": game.SecondHalfOvertime,
	"GAMEOVER": game.GameOver, "RESET": game.Reset,
	"KICKOFF": game.Kickoff, "FREEKICK": game.FreeKick, "GOALKICK": game.GoalKick, "THROWIN": game.ThrowIn,
	"CORNER":  game.Corner,
	"PENALTY": game.Penalty, "GOAL": game.Goal, "SUBGOAL": game.SubGoal,

	"REPAIR": game.Repair, "REPAIR_END": game.RepairEnd, "YELLOW_CARD": game.YellowCard,
	"DOUBLE_YELLOW": game.DoubleYellow, "RED_CARD": game.RedCard,

	Welcome: "", IsAlive: "",
	Substitution:  "", // all robots of a world play: none waits beside the field to come in
	"END_PART":    "", // asks the referee; HALF_TIME or END_GAME follows
	"TESTMODE_ON": "", "TESTMODE_OFF": "",
}

// boxCommands are the same the other way round.
var boxCommands = func() map[game.Command]Command {
	m := map[game.Command]Command{}
	for box, c := range gameCommands {
		m[c] = box
	}
	delete(m, "")
	return m
}()

// Known tells whether boxes have such a command.
func (c Command) Known() bool {
	_, ok := gameCommands[c]
	return ok
}

// ForOneTeam tells whether a command needs a team: the game's does, or a robot of it is meant.
func (c Command) ForOneTeam() bool {
	return c == Welcome || c.ForRobot() || gameCommands[c].ForOneTeam()
}

// ForRobot tells whether a robot is meant.
func (c Command) ForRobot() bool {
	return c == IsAlive || c == Substitution || gameCommands[c].ForRobot()
}
