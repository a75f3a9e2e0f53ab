package refbox

import "github.com/omnipitch/omnipitch/worlds/game"

// Command is a command of a box.
type Command string

// Commands that do not belong to the game. A command about a robot has the robot's number in the message.
const (
	// Welcome is sent to a team that has connected. Its TargetTeam is the box's name for the team.
	Welcome Command = "WELCOME"
	IsAlive Command = "IS_ALIVE" // the robot must show that it responds
	// Substitution brings in a robot from beside the field. The message does not name the robot that it replaces.
	Substitution Command = "SUBSTITUTION"
)

// gameCommands maps the box's commands to those of the game; an empty command has no effect.
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
	Substitution:  "", // all robots of a world play, so none can be substituted
	"END_PART":    "", // a question to the referee; HALF_TIME or END_GAME follows
	"TESTMODE_ON": "", "TESTMODE_OFF": "",
}

// boxCommands is the inverse of gameCommands.
var boxCommands = func() map[game.Command]Command {
	m := map[game.Command]Command{}
	for box, c := range gameCommands {
		m[c] = box
	}
	delete(m, "")
	return m
}()

// Known reports whether boxes have the command.
func (c Command) Known() bool {
	_, ok := gameCommands[c]
	return ok
}

// ForOneTeam reports whether a command needs a team.
func (c Command) ForOneTeam() bool {
	return c == Welcome || c.ForRobot() || gameCommands[c].ForOneTeam()
}

// ForRobot reports whether a command is about a robot.
func (c Command) ForRobot() bool {
	return c == IsAlive || c == Substitution || gameCommands[c].ForRobot()
}
