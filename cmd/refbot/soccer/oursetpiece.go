package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// takerDistance is the distance from the ball at which the taker waits, in m. receiverDistance is the distance from the
// ball at which the receiver waits, in m: slightly more than the rules require.
const (
	takerDistance    = 0.8
	receiverDistance = 2.5
)

// prepareOurs drives the robot to its place for an own set piece. The taker waits behind the ball and faces the
// receiver. The receiver waits where the pass will go. Any other robot goes to its waiting place.
func prepareOurs(w *world.World, r Role) Command {
	ball, to := ballSpot(w), setPieceReceiverAt(w)
	switch {
	case r == Goalkeeper:
		return KeepGoal(w)
	case w.Game.SetPiece == world.Corner && !w.Game.SpotSeen:
		return searchCorner(w)
	case w.Game.Taker == w.Me.Number:
		at := pitch.Toward(ball, to, -takerDistance)
		c := GoTo(w, DriveGoal{Pos: at, Heading: pitch.Angle(ball.Sub(at)), Ball: 0.65, Speed: 2})
		return c
	case w.Game.SetPiece == world.Penalty:
		return standAt(w, besidePenalty(w, ball), rivalsRoom)
	case isReceiver(w, to):
		return standAt(w, to, matesRoom)
	}
	return standAt(w, setPieceWaitingPlace(w, r, matesRoom+0.5), matesRoom)
}

// takeOurs makes the taker pass the ball, or shoot if the set piece is a penalty. All other robots stay at their
// places.
func takeOurs(w *world.World, r Role) Command {
	if w.Game.Taker != w.Me.Number || r == Goalkeeper || !w.Game.SpotSeen {
		return prepareOurs(w, r)
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
	return w.Pitch.OutsideAreas(ball.Add(pitch.Unit(way).Mul(receiverDistance)), 0.4)
}

// besidePenalty returns where this robot waits at a penalty that it does not take: outside of both penalty areas and
// behind the ball.
func besidePenalty(w *world.World, ball pitch.Vec) pitch.Vec {
	x := ball[0] - math.Copysign(rivalsRoom+0.3, ball[0])
	return pitch.Vec{x, float64(w.Me.Number)*1.4 - 5}
}
