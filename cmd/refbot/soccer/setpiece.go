package soccer

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Distances between the centres of a robot and the ball during a set piece, in m. Each is the distance that the rules
// require plus the error of vision.
const (
	matesRoom   = 2.3
	rivalsRoom  = 3.3
	droppedRoom = 1.3
)

// TakePositions returns the command while the robots take their positions for a set piece. The field robot closest to
// the ball takes the set piece.
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

// ballSpot returns where the ball lies for the set piece. If the robot has not seen the ball, ballSpot returns where
// the ball is expected.
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

// Guesses for an own corner while the ball is not seen. cornerSearchTime is how long a robot searches at one corner.
// cornerSearchMargin is the robot's distance from the lines while it searches, in m.
const (
	cornerSearchTime   = 4 * time.Second
	cornerSearchMargin = 2.5
)

// searchCorner drives to a position from which the robot sees one of the opponents' corners. Robots with odd numbers
// start at one corner, robots with even numbers at the other corner.
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

// keepDistance returns a position near the argument at that is on the field and at least the distance room from the
// ball, in m.
func keepDistance(w *world.World, at pitch.Vec, room float64) pitch.Vec {
	ball := ballSpot(w)
	for range 3 { // moving the position for one rule may violate the other rule
		if pitch.Distance(at, ball) < room {
			at = pitch.Toward(ball, at, room)
		}
		if !w.Pitch.Inside(at, 0.3) {
			at = pitch.Toward(w.Pitch.Clamp(at, 0.3), pitch.Vec{-1, 0}, 0.5)
		}
	}
	return at
}

// setPieceWaitingPlace returns where a robot waits that has no task in the set piece. It waits at the place of its
// role, but at least the distance room from the ball. At a kick-off each robot has a fixed place instead, because all
// robots have to return to their own half within seconds.
func setPieceWaitingPlace(w *world.World, r Role, room float64) pitch.Vec {
	if w.Game.SetPiece != world.Kickoff {
		return keepDistance(w, WaitingPlace(r, w), room)
	}
	return kickoffPlaces[int(w.Me.Number)%len(kickoffPlaces)]
}

// kickoffPlaces are the places of robots 4, 5, 2 and 3 at a kick-off, in this order, in m. The places are far enough
// from the ball whichever team takes the kick-off.
var kickoffPlaces = [...]pitch.Vec{{-3.7, -1}, {-3.9, 1.2}, {-1, -3.5}, {-1, 3.5}}
