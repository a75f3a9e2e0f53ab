package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Distances from the ball, centre to centre, m: what the rules require plus the error of vision.
const (
	matesRoom   = 2.3
	rivalsRoom  = 3.3
	droppedRoom = 1.3
)

// TakePositions returns the command while the robots take their positions for a set piece. The field robot closest to
// the ball takes it.
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

// ballSpot returns where the ball lies, or where it is expected.
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

// Guesses for an own corner with an unseen ball: how long the robots search at one corner, and their distance from the
// lines, m.
const (
	cornerSearchTime   = 4 * time.Second
	cornerSearchMargin = 2.5
)

// searchCorner drives to where the robot sees one of the corners. Robots with odd and even numbers start on different
// sides.
func searchCorner(w *world.World) Command {
	side := 1.0
	if (int(w.Me.Number)+int((w.Now-w.Game.Since)/cornerSearchTime))%2 == 0 {
		side = -1
	}
	at := w.Pitch.OutsideAreas(w.Pitch.Clamp(pitch.Vec{w.Pitch.Length, side * w.Pitch.Width}, cornerSearchMargin),
		matesRoom/2)
	return GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, at), Speed: 2.8})
}

// standAt drives a robot to a position, facing the ball, and keeps a distance from the ball.
func standAt(w *world.World, at pitch.Vec, room float64) Command {
	return GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, ballSpot(w)), Ball: room, Speed: 2.8})
}

// keepDistance moves a position onto the field and away from the ball.
func keepDistance(w *world.World, at pitch.Vec, room float64) pitch.Vec {
	ball := ballSpot(w)
	for range 3 { // each rule may move the position against the other
		if pitch.Distance(at, ball) < room {
			at = pitch.Toward(ball, at, room)
		}
		if !w.Pitch.Inside(at, 0.3) {
			at = pitch.Toward(w.Pitch.Clamp(at, 0.3), pitch.Vec{-1, 0}, 0.5)
		}
	}
	return at
}

// setPieceWaitingPlace returns where a robot without a task waits: at the place of its role, but as far from the ball
// as the rules require. At a kick-off all have to return to their half within seconds, so each has its own place.
func setPieceWaitingPlace(w *world.World, r Role, room float64) pitch.Vec {
	if w.Game.SetPiece != world.Kickoff {
		return keepDistance(w, WaitingPlace(r, w), room)
	}
	return kickoffPlaces[int(w.Me.Number)%len(kickoffPlaces)]
}

// kickoffPlaces are the places of robots 4, 5, 2 and 3, m. They are far enough from the ball for either team's
// kick-off.
var kickoffPlaces = [...]pitch.Vec{{-3.7, -1}, {-3.9, 1.2}, {-1, -3.5}, {-1, 3.5}}
