package game

import "github.com/omnipitch/omnipitch/physics"

// Phase is what the robots are to do.
type Phase string

const (
	Stopped  Phase = "stopped"
	SetPiece Phase = "set_piece" // take their places for one, which begins with the start
	Playing  Phase = "playing"
	Parked   Phase = "parked" // leave the field
)

// Half is a part of the game: that of the last command that named one, or before the game.
type Half string

// PreGame is before the first half.
const PreGame Half = "pre_game"

// State is what a referee box knows of a game.
type State struct {
	Phase    Phase
	Half     Half
	SetPiece Command      // by which play is to begin, or has begun since the last stop; empty: by none
	Team     physics.Team // whose set piece that is; empty of one of both, as of a dropped ball
	Score    Score
}

// Score is the goals of each team.
type Score struct{ Cyan, Magenta int }

// Of returns a team's goals.
func (s Score) Of(team physics.Team) int { return *s.of(team) }

func (s *Score) of(team physics.Team) *int {
	if team == physics.Magenta {
		return &s.Magenta
	}
	return &s.Cyan
}
