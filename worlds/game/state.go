package game

import "github.com/omnipitch/omnipitch/physics"

// Phase says what the robots of both teams should do.
type Phase string

const (
	Stopped  Phase = "stopped"
	SetPiece Phase = "set_piece" // take their places for a set piece, which the command start begins
	Playing  Phase = "playing"
	Parked   Phase = "parked" // leave the field
)

// Half is a part of the game. It is the part named by the last command that names one.
type Half string

// PreGame is before the first half.
const PreGame Half = "pre_game"

// State is the state of a game, as a referee box knows it.
type State struct {
	Phase Phase
	Half  Half
	// set piece with which play will start, or with which it has started since the last stop; empty if there is none
	SetPiece Command
	Team     physics.Team // team of the set piece; empty if the set piece is for both teams, such as a dropped ball
	Score    Score
}

// Score is the number of goals of each team.
type Score struct{ Cyan, Magenta int }

// Of returns the number of goals of a team.
func (s Score) Of(team physics.Team) int { return *s.goals(team) }

func (s *Score) goals(team physics.Team) *int {
	if team == physics.Magenta {
		return &s.Magenta
	}
	return &s.Cyan
}
