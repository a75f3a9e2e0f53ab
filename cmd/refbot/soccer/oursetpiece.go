package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// takerDistance is how far from the ball the taker waits, m; passTo is how far the receiver is: a little more than the rules
// ask for.
const (
	takerDistance    = 0.8
	receiverDistance = 2.5
)

// prepareOurs has the taker stand behind the ball, looking at the receiver over it, the receiver where it gets the pass,
// and the others at their places.
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

// takeOurs has the taker pass the ball, or at a penalty shoot; the others stay where they are.
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

// passTarget is the mate nearest to where the receiver is to be, or that place if none is seen near it.
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

// isReceiver tells whether the robot is the one to receive: of all but taker and goalkeeper the nearest to the place.
func isReceiver(w *world.World, to pitch.Vec) bool {
	mine, first := pitch.Distance(w.Me.Pos, to), true
	w.Mates(func(m *world.Robot) {
		if m.Number != 1 && m.Number != w.Game.Taker && pitch.Distance(m.Pos, to) < mine {
			first = false
		}
	})
	return first
}

// setPieceReceiverAt is where the pass goes: at a kick-off back and to the side, at a corner to before the goal, else towards
// the middle and a little forward.
func setPieceReceiverAt(w *world.World) pitch.Vec {
	ball := ballSpot(w)
	side := 1.0 // away from the touch-line, and the same for all robots where the ball lies in the middle
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

// besidePenalty is where robots wait at a penalty: outside of both areas, and behind the ball.
func besidePenalty(w *world.World, ball pitch.Vec) pitch.Vec {
	x := ball[0] - math.Copysign(rivalsRoom+0.3, ball[0])
	return pitch.Vec{x, float64(w.Me.Number)*1.4 - 5}
}
