package refbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Command is a command of a referee box.
type Command string

// Commands that do not belong to the game. A command about a robot has the robot's number in the message.
const (
	// Welcome is sent to a team that has connected. Its TargetTeam is the box's name for the team.
	Welcome Command = "WELCOME"
	IsAlive Command = "IS_ALIVE" // the robot must show that it responds
	// Substitution brings in a robot from beside the field. The message does not name the robot that it replaces.
	Substitution Command = "SUBSTITUTION"
)

// gameCommands maps the box's commands to the commands of the game. A box command that is mapped to "" has no effect.
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
	Substitution:  "", // all robots of a world play, so no robot can be substituted
	"END_PART":    "", // only asks the referee; HALF_TIME or END_GAME follows
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

// ParseLine parses a line that an operator types: a command, its team if it needs one, and optionally a robot's number
// if it is about a robot. Examples are "START", "kickoff cyan", "SUBSTITUTION magenta 4".
func ParseLine(line string) (c Command, team physics.Team, robot *int, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return "", "", nil, fmt.Errorf("%.40q: must be a command", line)
	}
	c = Command(strings.ToUpper(words[0]))
	words = words[1:]
	if !c.Known() {
		return "", "", nil, fmt.Errorf("%.40q: must be one of %s", string(c), strings.Join(commands(), ", "))
	}
	if c.ForOneTeam() {
		if len(words) == 0 || !slices.Contains(bothTeams, physics.Team(strings.ToLower(words[0]))) {
			return "", "", nil, fmt.Errorf("%s: must be followed by cyan or magenta", c)
		}
		team, words = physics.Team(strings.ToLower(words[0])), words[1:]
	}
	if c.ForRobot() && len(words) > 0 {
		n, err := strconv.Atoi(words[0])
		if err != nil || n < 0 {
			return "", "", nil, fmt.Errorf("%s %s %.40q: must be a robot's number", c, team, words[0])
		}
		robot, words = &n, words[1:]
	}
	if len(words) > 0 {
		return "", "", nil, fmt.Errorf("%s: nothing may follow, as %.40q does", c, words[0])
	}
	return c, team, robot, nil
}

// commands returns all commands, sorted.
func commands() (all []string) {
	for c := range gameCommands {
		all = append(all, string(c))
	}
	slices.Sort(all)
	return all
}
