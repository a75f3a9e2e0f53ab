package gamecontroller

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// target returns the state of a game that was in the state was, as a GameController tells it. It keeps the score.
func target(was game.State, c *Control, numbers Numbers) game.State {
	is := game.State{Phase: game.Stopped, Half: halfOf(was, c), Score: was.Score}
	piece := pieceOf(c)
	team := numbers.team(c.Kicking)
	switch c.State {
	case Ready:
		is.Phase = game.SetPiece
	case Set:
		is.Phase = game.InSet
	case Playing:
		is.Phase = game.Playing
		switch {
		case c.SetPlay != NoSetPlay && c.Version == Humanoid12:
			is.Phase = [...]game.Phase{StepStop: game.Stopped, StepGetReady: game.SetPiece, StepSet: game.InSet}[c.Step]
		case c.Stopped && c.SetPlay != NoSetPlay:
			is.Phase = game.SetPiece
		case c.Stopped:
			is.Phase = game.Stopped
		}
	}
	switch {
	case is.Phase == game.Stopped:
	case is.Phase == game.Playing && c.SetPlay == NoSetPlay: // it started with the set piece of before, if with one
		is.SetPiece, is.Team = was.SetPiece, was.Team
	case team == "": // a set piece of nobody
		is.SetPiece = game.DropBall
	default:
		is.SetPiece, is.Team = piece, team
	}
	return is
}

// halfOf returns the part of the game.
func halfOf(was game.State, c *Control) game.Half {
	halves := map[Phase][2]game.Command{Normal: {game.FirstHalf, game.SecondHalf},
		ExtraTime: {game.FirstHalfOvertime, game.SecondHalfOvertime}}[c.Phase]
	half := halves[1]
	if c.FirstHalf {
		half = halves[0]
	}
	waits := c.State == Initial || c.State == Standby
	switch {
	case c.Phase == Timeout:
		return was.Half
	case c.Phase == Shootout:
		return game.Half(game.EndGame)
	case waits && c.FirstHalf && c.Phase == Normal:
		return game.PreGame
	case waits && c.FirstHalf, c.State == Finished && !c.FirstHalf && c.Phase == Normal:
		return game.Half(game.EndGame)
	case waits, c.State == Finished && c.FirstHalf:
		return game.Half(game.HalfTime)
	case c.State == Finished:
		return game.Half(game.GameOver)
	}
	return game.Half(half)
}

// pieceOf returns the set piece of a set play, or before one. A kick-off is not told as a set play.
func pieceOf(c *Control) game.Command {
	switch c.SetPlay {
	case DirectFreeKick, IndirectFreeKick:
		return game.FreeKick
	case PenaltyKick:
		return game.Penalty
	case ThrowIn:
		return game.ThrowIn
	case GoalKick:
		return game.GoalKick
	case CornerKick:
		return game.Corner
	}
	if c.Phase == Shootout {
		return game.Penalty
	}
	return game.Kickoff
}

// scoreOf returns the score that a GameController tells.
func scoreOf(c *Control, numbers Numbers) (s game.Score) {
	for i := range c.Teams {
		switch numbers.team(c.Teams[i].Number) {
		case physics.Cyan:
			s.Cyan = int(c.Teams[i].Score)
		case physics.Magenta:
			s.Magenta = int(c.Teams[i].Score)
		}
	}
	return s
}
