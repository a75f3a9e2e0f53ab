package coach

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Mode is what a team's robots are to do. Those of set pieces are a team's own or its rival's; NuBot's MatchMode has a
// number for each.
type Mode string

const (
	Stop     Mode = "stop"
	Start    Mode = "start"
	Park     Mode = "park"
	DropBall Mode = "drop_ball"
	Test     Mode = "test" // of single robots, outside of games
)

// own and rival begin the modes of set pieces, which end with the referee box's command, as own_kickoff.
const own, rival = "own_", "rival_"

// Of returns a team's mode in a state of the game.
func Of(g game.State, team physics.Team) Mode {
	switch {
	case g.Phase == game.Playing:
		return Start
	case g.Phase == game.Parked:
		return Park
	case g.Phase != game.SetPiece:
		return Stop
	case g.SetPiece == game.DropBall:
		return DropBall
	case g.Team == team:
		return own + Mode(g.SetPiece)
	}
	return rival + Mode(g.SetPiece)
}
