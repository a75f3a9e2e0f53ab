// Package setplay is how robots take their places for set pieces, and begin them: ours.go, theirs.go. As the skills it
// is functions of the world model alone. Who takes a set piece is the field robot nearest to the ball; all see that
// alike, more or less, and need not talk.
package setplay

import (
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/role"
	"github.com/omnipitch/omnipitch/cmd/refbot/skill"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// How far robots keep from the ball, m, centre to centre: what the league asks for, and what the errors of vision may
// take away.
const (
	matesRoom   = 2.3
	rivalsRoom  = 3.3
	droppedRoom = 1.3
)

// TakePlace returns the command while the referee waits for all to take their places.
func TakePlace(w *world.World, r role.Role) skill.Command {
	switch {
	case w.Game.SetPiece == world.DroppedBall:
		return keepAway(w, r, droppedRoom)
	case w.Game.Ours:
		return prepare(w, r)
	}
	return keepAway(w, r, rivalsRoom)
}

// Begin returns the command from the start of a set piece until the ball is in play.
func Begin(w *world.World, r role.Role) skill.Command {
	if w.Game.Ours {
		return take(w, r)
	}
	return keepAway(w, r, rivalsRoom)
}

// spot is where the ball lies, or is to be expected.
func spot(w *world.World) pitch.Vec {
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
	lookFor  = 4 * time.Second
	lookFrom = 2.5
)

// lookForCorner goes to where the robot sees one of the corners: mates of odd and of even number begin on different
// sides.
func lookForCorner(w *world.World) skill.Command {
	side := 1.0
	if (int(w.Me.Number)+int((w.Now-w.Game.Since)/lookFor))%2 == 0 {
		side = -1
	}
	at := w.Pitch.OutsideAreas(w.Pitch.Clamp(pitch.Vec{w.Pitch.Length, side * w.Pitch.Width}, lookFrom), matesRoom/2)
	return skill.GoTo(w, skill.Goal{Pos: at, Heading: skill.Facing(w, at), Speed: 2.8})
}

// stand returns the command that takes a robot to a place, turned to the ball, without coming near to that.
func stand(w *world.World, at pitch.Vec, room float64) skill.Command {
	return skill.GoTo(w, skill.Goal{Pos: at, Heading: skill.Facing(w, spot(w)), Ball: room, Speed: 2.8})
}

// apart returns a place near one that is at least so far from the ball, and on the field.
func apart(w *world.World, at pitch.Vec, room float64) pitch.Vec {
	ball := spot(w)
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

// waitsAt is where a robot that does not take part waits: where its role has it, but so far from the ball as the rules
// ask for. At a kick-off, for which all have to come back to their half in some seconds, each has a place of its own.
func waitsAt(w *world.World, r role.Role, room float64) pitch.Vec {
	if w.Game.SetPiece != world.Kickoff {
		return apart(w, role.At(r, w), room)
	}
	return kickoffPlaces[int(w.Me.Number)%len(kickoffPlaces)]
}

// kickoffPlaces are those of the numbers 4, 5, 2 and 3, m: far enough from the ball for either team's kick-off.
var kickoffPlaces = [...]pitch.Vec{{-3.7, -1}, {-3.9, 1.2}, {-1, -3.5}, {-1, 3.5}}
