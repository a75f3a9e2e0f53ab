package refbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
)

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
