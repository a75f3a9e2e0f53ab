package refbox

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// order is a command of the game, to one team or both.
type order struct {
	command game.Command
	team    physics.Team
}

// before is a game before a box's first command.
var before = game.State{Phase: game.Stopped, Half: game.PreGame}

// changes returns commands by which a game comes from one state to another, as a referee gives them: nothing follows on play without a stop.
func changes(was, is game.State) (all []order) {
	say := func(c game.Command, team physics.Team) { all = append(all, order{c, team}) }
	stop := func() {
		if was.Phase != game.Stopped {
			say(game.Stop, "")
		}
		was.Phase, was.SetPiece, was.Team = game.Stopped, "", ""
	}
	if is.Half == game.PreGame && was.Half != game.PreGame {
		say(game.Reset, "")
		was = before
	}
	switch half := game.Command(is.Half); {
	case is.Half == was.Half:
	case half == game.HalfTime || half == game.EndGame || half == game.GameOver:
		stop()
		say(half, "")
	default:
		say(half, "")
	}
	for _, team := range bothTeams {
		for n := was.Score.Of(team); n < is.Score.Of(team); n++ {
			say(game.Goal, team)
		}
		for n := was.Score.Of(team); n > is.Score.Of(team); n-- {
			say(game.SubGoal, team)
		}
	}
	another := is.SetPiece != was.SetPiece || is.Team != was.Team
	switch is.Phase {
	case game.Stopped:
		stop()
	case game.Parked:
		if was.Phase != game.Parked {
			stop()
			say(game.Park, "")
		}
	case game.SetPiece, game.Playing:
		if is.Phase == was.Phase && !another {
			return all
		}
		if another || was.Phase == game.Playing {
			if was.Phase != game.Parked {
				stop()
			}
			if is.SetPiece != "" {
				say(is.SetPiece, is.Team)
			}
		}
		if is.Phase == game.Playing {
			say(game.Start, "")
		}
	}
	return all
}
