package coach

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// Mode is what a team's robots should do. The mode of a set piece says whether it is the team's own or its rival's.
// NuBot's MatchMode has a number for each mode.
type Mode string

const (
	Stop     Mode = "stop"
	Start    Mode = "start"
	Park     Mode = "park"
	DropBall Mode = "drop_ball"
	Test     Mode = "test" // a test of single robots, outside of games
)

// own and rival are the prefixes of the modes of set pieces, as in own_kickoff. The rest of such a mode is the referee
// box's command.
const own, rival = "own_", "rival_"

// Of returns the mode of a team in a given state of the game.
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
