package condition

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
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
		by := "nobody"
		if *holder >= 0 {
			by = robots[*holder].Name
		}
		return "ball held by " + by + ", " + ball.describe()
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

// Score holds while the number of goals that a team has scored is within limits.
type Score struct {
	Team    physics.Team `toml:"team" required:"true" oneof:"cyan|magenta" doc:"team that scored the goals"`
	AtLeast *int         `toml:"at_least" range:"[0, 1000]"`
	AtMost  *int         `toml:"at_most" range:"[0, 1000]"`
}

func (c *Score) Validate(w World) error {
	switch {
	case c.AtLeast == nil && c.AtMost == nil:
		return violation("", nil, errors.New("needs at_least, at_most or both"))
	case c.AtLeast != nil && c.AtMost != nil && *c.AtLeast > *c.AtMost:
		return violation("at_most", *c.AtMost, errors.New("must be at least at_least"))
	}
	return nil
}

func (c *Score) Bind(s State) (Test, error) {
	g, least, most := s.Game(), 0, math.MaxInt
	if c.AtLeast != nil {
		least = *c.AtLeast
	}
	if c.AtMost != nil {
		most = *c.AtMost
	}
	return Test{func() bool {
		n := g.State().Score.Of(c.Team)
		return least <= n && n <= most
	}, func() string {
		score := g.State().Score
		return fmt.Sprintf("score %d : %d (cyan : magenta)", score.Cyan, score.Magenta)
	}}, nil
}

func (c *Score) String() string { return "goals of " + string(c.Team) + countText(c.AtLeast, c.AtMost) }

// GameState holds while the state of the game matches all given fields.
type GameState struct {
	Phase    game.Phase   `toml:"phase" oneof:"|stopped|set_piece|set|playing|parked" doc:"set: robots stand still on their places for a set piece, as the leagues with legs require"`
	Half     game.Half    `toml:"half" oneof:"|pre_game|first_half|half_time|second_half|end_game|first_half_overtime|second_half_overtime|game_over"`
	SetPiece game.Command `toml:"set_piece" oneof:"|kickoff|freekick|goalkick|throwin|corner|penalty|drop_ball" doc:"set piece with which play will start, or has started since the last stop"`
	Team     physics.Team `toml:"team" oneof:"|cyan|magenta" doc:"team of the set piece"`
}

func (c *GameState) Validate(w World) error {
	if *c == (GameState{}) {
		return violation("", nil, errors.New("needs phase, half, set_piece or team"))
	}
	return nil
}

func (c *GameState) Bind(s State) (Test, error) {
	g := s.Game()
	return Test{func() bool {
		x := g.State()
		return (c.Phase == "" || c.Phase == x.Phase) && (c.Half == "" || c.Half == x.Half) &&
			(c.SetPiece == "" || c.SetPiece == x.SetPiece) && (c.Team == "" || c.Team == x.Team)
	}, func() string {
		x := g.State()
		return (&GameState{x.Phase, x.Half, x.SetPiece, x.Team}).String()
	}}, nil
}

func (c *GameState) String() string {
	var parts []string
	for _, part := range []string{string(c.Phase), string(c.Half), string(c.SetPiece)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	text := "game " + strings.Join(parts, ", ")
	if c.Team != "" {
		text += " of " + string(c.Team)
	}
	return text
}

// Decided holds in each step in which the automatic referee makes a decision that matches all given fields.
type Decided struct {
	Rule    string       `toml:"rule" oneof:"|goal_from_own_half|goal_from_set_piece|goal|ball_out|set_piece_touch|double_touch|dribble_distance|dribble_halfway|ball_covered|goal_area|attackers|defenders|pushing|stuck_ball|fallen|stuck_robot|repeated_fouls|encroachment|lapse|half|ball_holding|inactive_goalkeeper|left_field|motion_in_set|illegal_position|mercy"`
	Against physics.Team `toml:"against" oneof:"|cyan|magenta" doc:"team at fault"`
	Robot   string       `toml:"robot" doc:"robot at fault, or robot that acted"`
	Command game.Command `toml:"command" oneof:"|kickoff|freekick|goalkick|throwin|corner|penalty|drop_ball|half_time|end_game|repair|penalise|yellow_card|double_yellow" doc:"command with which the game continues"`
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
