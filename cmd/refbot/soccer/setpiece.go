// Package setplay is how robots take their places for set pieces, and begin them: ours.go, theirs.go. As the skills it
// is functions of the world model alone. Who takes a set piece is the field robot nearest to the ball; all see that
// alike, more or less, and need not talk.
package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// How far robots keep from the ball, m, centre to centre: what the league asks for, and what the errors of vision may
// takeOurs away.
const (
	matesRoom   = 2.3
	rivalsRoom  = 3.3
	droppedRoom = 1.3
)

// TakePositions returns the command while the referee waits for all to take their places.
func TakePositions(w *world.World, r Role) Command {
	switch {
	case w.Game.SetPiece == world.DroppedBall:
		return keepAway(w, r, droppedRoom)
	case w.Game.Ours:
		return prepareOurs(w, r)
	}
	return keepAway(w, r, rivalsRoom)
}

// StartPlay returns the command from the start of a set piece until the ball is in play.
func StartPlay(w *world.World, r Role) Command {
	if w.Game.Ours {
		return takeOurs(w, r)
	}
	return keepAway(w, r, rivalsRoom)
}

// ballSpot is where the ball lies, or is to be expected.
func ballSpot(w *world.World) pitch.Vec {
	switch {
	case w.Game.SpotSeen:
		return w.Game.Spot
	case w.Game.SetPiece == world.Kickoff:
		return pitch.Vec{}
	case w.Game.SetPiece == world.Penalty && w.Game.Ours:
		return w.Pitch.TheirGoal().Sub(pitch.Vec{w.Pitch.PenaltyMark(), 0})
	case w.Game.SetPiece == world.Penalty:
		return w.Pitch.OwnGoal().Add(pitch.Vec{w.Pitch.PenaltyMark(), 0})
	}
	return w.Ball.Pos
}

// Guesses of where robots look for the ball of an own corner that they do not see: how long at one corner before they
// go to the other, and how far from the lines, m, where they see the ball and are in nobody's way.
const (
	cornerSearchTime   = 4 * time.Second
	cornerSearchMargin = 2.5
)

// searchCorner goes to where the robot sees one of the corners: mates of odd and of even number begin on different
// sides.
func searchCorner(w *world.World) Command {
	side := 1.0
	if (int(w.Me.Number)+int((w.Now-w.Game.Since)/cornerSearchTime))%2 == 0 {
		side = -1
	}
	at := w.Pitch.OutsideAreas(w.Pitch.Clamp(pitch.Vec{w.Pitch.Length, side * w.Pitch.Width}, cornerSearchMargin), matesRoom/2)
	return GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, at), Speed: 2.8})
}

// standAt returns the command that takes a robot to a place, turned to the ball, without coming near to that.
func standAt(w *world.World, at pitch.Vec, room float64) Command {
	return GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, ballSpot(w)), Ball: room, Speed: 2.8})
}

// keepDistance returns a place near one that is at least so far from the ball, and on the field.
func keepDistance(w *world.World, at pitch.Vec, room float64) pitch.Vec {
	ball := ballSpot(w)
	for range 3 { // each of the rules may move it against the other
		if pitch.Distance(at, ball) < room {
			at = pitch.Toward(ball, at, room)
		}
		if !w.Pitch.Inside(at, 0.3) {
			at = pitch.Toward(w.Pitch.Clamp(at, 0.3), pitch.Vec{-1, 0}, 0.5)
		}
	}
	return at
}

// setPieceWaitingPlace is where a robot that does not take part waits: where its role has it, but so far from the ball as the rules
// ask for. At a kick-off, for which all have to come back to their half in some seconds, each has a place of its own.
func setPieceWaitingPlace(w *world.World, r Role, room float64) pitch.Vec {
	if w.Game.SetPiece != world.Kickoff {
		return keepDistance(w, WaitingPlace(r, w), room)
	}
	return kickoffPlaces[int(w.Me.Number)%len(kickoffPlaces)]
}

// kickoffPlaces are those of the numbers 4, 5, 2 and 3, m: far enough from the ball for either team's kick-off.
var kickoffPlaces = [...]pitch.Vec{{-3.7, -1}, {-3.9, 1.2}, {-1, -3.5}, {-1, 3.5}}
