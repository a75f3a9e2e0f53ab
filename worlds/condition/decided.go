package condition

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// Decided holds in each step in which the automatic referee makes a decision that matches all given fields.
type Decided struct {
	Rule    string       `toml:"rule" oneof:"|goal_from_own_half|goal_from_set_piece|goal|ball_out|set_piece_touch|double_touch|dribble_distance|dribble_halfway|ball_covered|goal_area|attackers|defenders|pushing|stuck_ball|fallen|stuck_robot|repeated_fouls|encroachment|lapse|half"`
	Against physics.Team `toml:"against" oneof:"|cyan|magenta" doc:"team at fault"`
	Robot   string       `toml:"robot" doc:"robot at fault, or robot that acted"`
	Command game.Command `toml:"command" oneof:"|kickoff|freekick|goalkick|throwin|corner|penalty|drop_ball|half_time|end_game|repair|yellow_card|double_yellow" doc:"command with which the game continues"`
	Team    physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"team of that command"`
}

func (c *Decided) Validate(w World) error {
	if err := w.FindReferee(); err != nil {
		return violation("", nil, err)
	}
	if c.Robot != "" {
		if _, err := w.FindRobot(c.Robot); err != nil {
			return violation("robot", c.Robot, err)
		}
	}
	if c.Command != "" && !c.Command.ForOneTeam() && c.Team != "" {
		return violation("team", string(c.Team), errors.New("command "+string(c.Command)+" is for both teams"))
	}
	return nil
}

func (c *Decided) Bind(s State) (Test, error) {
	decisions, err := s.Decisions()
	return Test{func() bool {
		for _, d := range decisions() {
			if c.is(&d) {
				return true
			}
		}
		return false
	}, func() string {
		if list := decisions(); len(list) > 0 {
			return "decided " + list[0].String()
		}
		return "the referee decided nothing of the kind"
	}}, err
}

func (c *Decided) is(d *referee.Decision) bool {
	robot := c.Robot == ""
	for _, r := range d.Robots {
		robot = robot || r == c.Robot
	}
	return robot && (c.Rule == "" || c.Rule == d.Rule) && (c.Against == "" || c.Against == d.Against) &&
		(c.Command == "" || c.Command == d.Command) && (c.Team == "" || c.Team == d.Team)
}

func (c *Decided) String() string {
	text := "referee decides"
	for _, part := range []struct{ text, value string }{{"%s", c.Rule}, {"against %s", string(c.Against)},
		{"of robot %s", c.Robot}, {"for %s", string(c.Command)}, {"of %s", string(c.Team)}} {
		if part.value != "" {
			text += " " + fmt.Sprintf(part.text, part.value)
		}
	}
	return text
}
