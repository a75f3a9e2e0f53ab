package condition

import (
	"errors"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// GameState holds while the state of the game matches all given fields.
type GameState struct {
	Phase    game.Phase   `toml:"phase" oneof:"|stopped|set_piece|playing|parked"`
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
