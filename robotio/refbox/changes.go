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

// changes returns commands by which a game comes from one state to another, as a referee gives them: while the game is
// played, it is stopped before anything but a goal that does not stop it.
func changes(was, is game.State) (all []order) {
	say := func(c game.Command, team physics.Team) {
		all = append(all, order{c, team})
		was = was.After(c, team)
	}
	if is.Half == game.PreGame && was.Half != game.PreGame {
		say(game.Reset, "")
	}
	half := game.Command(is.Half)
	ends := is.Half != was.Half && (half == game.HalfTime || half == game.EndGame || half == game.GameOver)
	same := func() bool { return is.SetPiece == was.SetPiece && is.Team == was.Team }
	begins := was.Phase == game.SetPiece && is.Phase == game.Playing
	if active(was) && (ends || !same() || is.Phase != was.Phase && !begins) {
		say(game.Stop, "")
	}
	if is.Half != was.Half {
		say(half, "")
	}
	for _, team := range bothTeams {
		for was.Score.Of(team) < is.Score.Of(team) {
			say(game.Goal, team)
		}
		for was.Score.Of(team) > is.Score.Of(team) {
			say(game.SubGoal, team)
		}
	}
	if is.Phase == game.Stopped && was.Phase != game.Stopped {
		say(game.Stop, "")
	}
	if is.Phase == game.Parked && was.Phase != game.Parked {
		say(game.Park, "")
	}
	if active(is) && !same() {
		say(is.SetPiece, is.Team)
	}
	if is.Phase == game.Playing && was.Phase != game.Playing {
		say(game.Start, "")
	}
	return all
}

// robotChanges returns the commands by which a robot's standing becomes another. That a robot comes back is told of one
// that was repaired alone: boxes have no command for the others.
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

// active tells whether a game is played, or is about to be.
func active(s game.State) bool { return s.Phase == game.Playing || s.Phase == game.SetPiece }
