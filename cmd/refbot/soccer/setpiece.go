package soccer

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// rooms are distances between the centres of robots and the ball during a set piece, in m. The first three are those
// that the rules require, plus the error of vision.
type rooms struct {
	mates, rivals, dropped float64
	taker                  float64 // where the taker waits
	takersWay              float64 // least distance of the taker on its way there
	receiver               float64 // where the receiver waits
}

var roomsByLeague = [...]rooms{
	pitch.MiddleSize: {2.3, 3.3, 1.3, 0.8, 0.65, 2.5},
	pitch.Humanoid:   {0.6, 1.2, 1.2, 0.45, 0.35, 1.5}, // at dropped balls, robots go to their places at a kick-off
}

// roomsOf returns the rooms of the world's league.
func roomsOf(w *world.World) *rooms { return &roomsByLeague[w.Pitch.League] }

// TakePositions returns the command while the robots take their positions for a set piece. The field robot closest to
// the ball takes the set piece.
func TakePositions(w *world.World, r Role) Command {
	switch {
	case w.Game.SetPiece == world.DroppedBall:
		return keepAway(w, r, roomsOf(w).dropped)
	case w.Game.Ours:
		return prepareOurs(w, r)
	}
	return keepAway(w, r, roomsOf(w).rivals)
}

// goOnFor is the time for which a humanoid goes on to its place after the command that all must stand still. The
// referee allows 2 s, and a robot that has just crossed the halfway line would sway back over it.
const goOnFor = 1500 * time.Millisecond

// mayGoOn reports whether a humanoid still goes to its place although all must stand still.
func mayGoOn(w *world.World) bool {
	return w.OnLegs() && w.Game.Phase == world.Stopped && w.Game.SetPiece != world.NoSetPiece &&
		w.Now-w.Game.Since < goOnFor
}

// StartPlay returns the command from the start of a set piece until the ball is in play.
func StartPlay(w *world.World, r Role) Command {
	if w.Game.Ours {
		return takeOurs(w, r)
	}
	return keepAway(w, r, roomsOf(w).rivals)
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
		roomsOf(w).mates/2)
	return GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, at), Speed: 2.8})
}

// standAt drives a robot to a position, facing the ball, and keeps a distance from the ball.
func standAt(w *world.World, at pitch.Vec, room float64) Command {
	return GoTo(w, DriveGoal{Pos: at, Heading: Facing(w, ballSpot(w)), Ball: room, Speed: 2.8})
}

// keepDistance moves a position so that it is on the field and at least a distance of room, in m, from the ball.
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

// setPieceWaitingPlace returns the waiting place of a robot without a task in the set piece. The robot waits at the
// place of its role, but at least room metres from the ball. At a kick-off, and on legs at a dropped ball, each robot
// has a fixed place instead, because all robots have to return to their own half within seconds.
func setPieceWaitingPlace(w *world.World, r Role, room float64) pitch.Vec {
	if w.Game.SetPiece != world.Kickoff && !(w.OnLegs() && w.Game.SetPiece == world.DroppedBall) {
		return keepDistance(w, WaitingPlace(r, w), room)
	}
	return w.Pitch.KickoffPlace(int(w.Me.Number))
}

// prepareOurs drives the robot to its place for an own set piece. The taker waits behind the ball and faces the
// receiver, or on legs the opponents' goal. The receiver waits where the pass will go. Any other robot goes to its
// waiting place.
func prepareOurs(w *world.World, r Role) Command {
	ball, to, rooms := ballSpot(w), setPieceReceiverAt(w), roomsOf(w)
	switch {
	case r == Goalkeeper:
		return KeepGoal(w)
	case w.Game.SetPiece == world.Corner && !w.Game.SpotSeen:
		return searchCorner(w)
	case w.Game.Taker == w.Me.Number:
		if w.OnLegs() {
			to = w.Pitch.TheirGoal()
		}
		at := pitch.Toward(ball, to, -rooms.taker)
		c := GoTo(w, DriveGoal{Pos: at, Heading: pitch.Angle(ball.Sub(at)), Ball: rooms.takersWay, Speed: 2})
		return c
	case w.Game.SetPiece == world.Penalty:
		return standAt(w, besidePenalty(w, ball), rooms.rivals)
	case isReceiver(w, to):
		return standAt(w, to, rooms.mates)
	}
	return standAt(w, setPieceWaitingPlace(w, r, rooms.mates+0.5), rooms.mates)
}

// takeOurs makes the taker pass the ball, or shoot if the set piece is a penalty. All other robots stay at their
// places.
func takeOurs(w *world.World, r Role) Command {
	if w.Game.Taker != w.Me.Number || r == Goalkeeper || !w.Game.SpotSeen {
		return prepareOurs(w, r)
	}
	if w.OnLegs() {
		return takeOnLegs(w)
	}
	if !w.Hold.Is {
		return Fetch(w)
	}
	if w.Game.SetPiece == world.Penalty {
		at, _ := Aim(w)
		return Shoot(w, at, pitch.Vec{})
	}
	at, mate := passTarget(w)
	return PassTo(w, mate, at, EasyPass)
}

// passTarget returns the position and number of the teammate closest to the receiver's place. If no teammate is near
// that place, it returns the place and number 0.
func passTarget(w *world.World) (at pitch.Vec, mate uint8) {
	to := setPieceReceiverAt(w)
	at, least := to, 1.5
	w.Mates(func(m *world.Robot) {
		if far := pitch.Distance(m.Pos, to); m.Number != 1 && far < least {
			at, least, mate = m.Pos, far, m.Number
		}
	})
	return at, mate
}

// isReceiver reports whether this robot receives the pass: of all robots of its team except for the taker and the
// goalkeeper, it is the closest to the position where the pass goes.
func isReceiver(w *world.World, to pitch.Vec) bool {
	mine, first := pitch.Distance(w.Me.Pos, to), true
	w.Mates(func(m *world.Robot) {
		if m.Number != 1 && m.Number != w.Game.Taker && pitch.Distance(m.Pos, to) < mine {
			first = false
		}
	})
	return first
}

// setPieceReceiverAt returns the position to which the taker passes the ball. At a kick-off it is behind the ball and
// to the side, at a corner in front of the opponents' goal. At a goal kick it is forward and towards the touchline. At
// other set pieces it is towards the long axis of the field and slightly forward.
func setPieceReceiverAt(w *world.World) pitch.Vec {
	ball := ballSpot(w)
	side := 1.0 // y direction away from the touchline; 1 if the ball is near the long axis
	if ball[1] > 0.4 {
		side = -1
	}
	way := pitch.Vec{0.4, side}
	switch w.Game.SetPiece {
	case world.Kickoff:
		way = pitch.Vec{-0.4, 1}
	case world.Corner:
		way = pitch.Vec{-0.8, side}
	case world.GoalKick:
		way = pitch.Vec{1, -side}
	}
	return w.Pitch.OutsideAreas(ball.Add(pitch.Unit(way).Mul(roomsOf(w).receiver)), 0.4)
}

// besidePenalty returns where this robot waits while another robot takes a penalty: outside of both penalty areas and
// behind the ball.
func besidePenalty(w *world.World, ball pitch.Vec) pitch.Vec {
	x := ball[0] - math.Copysign(roomsOf(w).rivals+0.3, ball[0])
	return pitch.Vec{x, float64(w.Me.Number)*1.4 - 5}
}

// keepAway drives the robot to the place of its role, but keeps it at least room metres from the ball. The goalkeeper
// may stay in its goal even if the ball is closer.
func keepAway(w *world.World, r Role, room float64) Command {
	if r == Goalkeeper {
		return Block(w)
	}
	if w.Game.SetPiece == world.Penalty {
		return standAt(w, besidePenalty(w, ballSpot(w)), room)
	}
	c := standAt(w, setPieceWaitingPlace(w, r, room), room)
	c.Dribble = false
	return c
}
