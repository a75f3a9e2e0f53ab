package game

import "github.com/omnipitch/omnipitch/physics"

// Order is a command of the game for one team, or for both teams.
type Order struct {
	Command Command
	Team    physics.Team
}

// Before returns the state of a game before a referee's first command.
func Before() State { return State{Phase: Stopped, Half: PreGame} }

// Changes returns the commands that change a game from one state to another, in the order in which a referee gives
// them. An active game is stopped first, unless only the score changes or play starts.
func Changes(was, is State) (all []Order) {
	add := func(c Command, team physics.Team) {
		all = append(all, Order{c, team})
		was = was.After(c, team)
	}
	if is.Half == PreGame && was.Half != PreGame {
		add(Reset, "")
	}
	half := Command(is.Half)
	ends := is.Half != was.Half && (half == HalfTime || half == EndGame || half == GameOver)
	same := func() bool { return is.SetPiece == was.SetPiece && is.Team == was.Team }
	starts := was.Pending() && (is.Phase == Playing || is.Phase == InSet)
	if was.active() && (ends || !same() || is.Phase != was.Phase && !starts) {
		add(Stop, "")
	}
	if is.Half != was.Half {
		add(half, "")
	}
	for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
		for was.Score.Of(team) < is.Score.Of(team) {
			add(Goal, team)
		}
		for was.Score.Of(team) > is.Score.Of(team) {
			add(SubGoal, team)
		}
	}
	if is.Phase == Stopped && was.Phase != Stopped {
		add(Stop, "")
	}
	if is.Phase == Parked && was.Phase != Parked {
		add(Park, "")
	}
	if is.active() && !same() {
		add(is.SetPiece, is.Team)
	}
	if is.Phase == InSet && was.Phase != InSet {
		add(Set, "")
	}
	if is.Phase == Playing && was.Phase != Playing {
		add(Start, "")
	}
	return all
}

// Pending reports whether a set piece is about to start.
func (s State) Pending() bool { return s.Phase == SetPiece || s.Phase == InSet }

// active reports whether the ball is in play, or a set piece is about to start.
func (s State) active() bool { return s.Phase == Playing || s.Pending() }
