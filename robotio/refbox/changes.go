package refbox

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// order is a command of the game for one team, or for both teams.
type order struct {
	command game.Command
	team    physics.Team
}

// initial is the state of a game before the first command of the referee box.
var initial = game.State{Phase: game.Stopped, Half: game.PreGame}

// changes returns the commands that change a game from one state to another, in the order in which a referee gives
// them. An active game is stopped first, unless only the score changes or play starts.
func changes(was, is game.State) (all []order) {
	add := func(c game.Command, team physics.Team) {
		all = append(all, order{c, team})
		was = was.After(c, team)
	}
	if is.Half == game.PreGame && was.Half != game.PreGame {
		add(game.Reset, "")
	}
	half := game.Command(is.Half)
	ends := is.Half != was.Half && (half == game.HalfTime || half == game.EndGame || half == game.GameOver)
	same := func() bool { return is.SetPiece == was.SetPiece && is.Team == was.Team }
	starts := was.Phase == game.SetPiece && is.Phase == game.Playing
	if active(was) && (ends || !same() || is.Phase != was.Phase && !starts) {
		add(game.Stop, "")
	}
	if is.Half != was.Half {
		add(half, "")
	}
	for _, team := range bothTeams {
		for was.Score.Of(team) < is.Score.Of(team) {
			add(game.Goal, team)
		}
		for was.Score.Of(team) > is.Score.Of(team) {
			add(game.SubGoal, team)
		}
	}
	if is.Phase == game.Stopped && was.Phase != game.Stopped {
		add(game.Stop, "")
	}
	if is.Phase == game.Parked && was.Phase != game.Parked {
		add(game.Park, "")
	}
	if active(is) && !same() {
		add(is.SetPiece, is.Team)
	}
	if is.Phase == game.Playing && was.Phase != game.Playing {
		add(game.Start, "")
	}
	return all
}

// robotChanges returns the commands that change a robot's standing. Referee boxes have a command for the return of a
// robot after a repair, but none for other returns.
func robotChanges(was, is game.Standing) (all []game.Command) {
	if is.Yellow > was.Yellow {
		all = append(all, game.YellowCard)
	}
	switch {
	case is.Out == was.Out:
	case is.Out != "":
		all = append(all, is.Out)
	case was.Out == game.Repair:
		all = append(all, game.RepairEnd)
	}
	return all
}

// active reports whether the ball is in play, or a set piece is about to start.
func active(s game.State) bool { return s.Phase == game.Playing || s.Phase == game.SetPiece }
