package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Role is what a robot does for its team while the ball is in play. Robots that hear each other agree on one attacker.
// Two that only see each other may for a moment both attack.
type Role uint8

const (
	Goalkeeper Role = iota
	Attacker        // plays the ball
	Supporter       // offers itself for a pass
	Marker          // stays with an opponent
	Sweeper         // stays between the ball and the own goal
)

func (r Role) String() string {
	return [...]string{"goalkeeper", "attacker", "supporter", "marker", "sweeper"}[r]
}

// Assigner chooses a robot's role. It remembers the attacker, who keeps the role unless another robot is clearly
// faster.
type Assigner struct{ attacker uint8 }

// takeoverMargin is how much faster another robot has to reach the ball to become the attacker, s. Guess.
const takeoverMargin = 0.4

// Assign returns the robot's present role. Number 1 is the goalkeeper. The robot that reaches the ball first attacks.
// Of the others, the rearmost sweeps, the foremost supports, and those between mark. Robots with the same information
// agree, and none has to cross the field.
func (a *Assigner) Assign(w *world.World) Role {
	if w.Me.Number == 1 {
		return Goalkeeper
	}
	if w.Ball.Known {
		a.attacker = a.fastest(w)
	}
	if a.attacker == w.Me.Number && w.Ball.Known {
		return Attacker
	}
	behind, before := 0, 0
	w.Mates(func(m *world.Robot) {
		switch {
		case m.Number == 1 || m.Number == a.attacker:
		case m.Pos[0] < w.Me.Pos[0], m.Pos[0] == w.Me.Pos[0] && m.Number < w.Me.Number:
			behind++
		default:
			before++
		}
	})
	switch {
	case w.Attacking() && behind > 0:
		return Supporter
	case behind == 0 && before == 0 && w.Ball.Pos[0] > 0, before == 0 && behind > 0:
		return Supporter
	case behind == 0:
		return Sweeper
	}
	return Marker
}

// fastest returns the number of the field robot that reaches the ball first. The taker of a set piece must leave the
// ball to others.
func (a *Assigner) fastest(w *world.World) (number uint8) {
	if w.Hold.Is {
		return w.Me.Number
	}
	if to := announcedReceiver(w); to != 0 {
		return to
	}
	least := math.Inf(1)
	consider := func(r *world.Robot) {
		in, attacks := a.timeToBall(w, r)
		if r.Number <= 1 || in >= world.NeverReaches.Seconds() {
			return
		}
		if attacks {
			in -= takeoverMargin
		}
		if in < least || in == least && r.Number < number {
			least, number = in, r.Number
		}
	}
	consider(&w.Me)
	w.Mates(consider)
	return number
}

// timeToBall returns the time until a robot reaches the ball, s, and whether it attacks. For teammates with radio it
// uses what they have sent, and for this robot what it has sent, so that all receivers agree.
func (a *Assigner) timeToBall(w *world.World, r *world.Robot) (in float64, attacks bool) {
	told := w.Said
	if h := w.MessageFrom(r.Number); h != nil {
		told = h.RadioMessage
	} else if r.Number != w.Me.Number || len(w.Heard) == 0 {
		told = nil
	}
	switch {
	case told != nil && told.Holding:
		return -1, true
	case told != nil:
		return told.Reach.Seconds(), Role(told.Role) == Attacker
	}
	return TimeToBall(w, r), r.Number == a.attacker
}

// TimeToBall returns the time until a robot can reach the ball as seen by this robot, s. The taker of a set piece must
// not play it.
func TimeToBall(w *world.World, r *world.Robot) float64 {
	if r.Number == w.Game.Taker {
		return world.NeverReaches.Seconds()
	}
	if pitch.Distance(r.Pos, w.Ball.Pos) < world.HoldDistance+0.1 {
		return 0 // it has the ball
	}
	_, in := Intercept(w, r.Pos)
	return in
}

// announcedReceiver returns the number of the robot to which a pass is on its way, or 0. Of two passes, that of the
// passer with the lower number counts.
func announcedReceiver(w *world.World) (to uint8) {
	if len(w.Heard) == 0 {
		return 0
	}
	from := uint8(math.MaxUint8)
	consider := func(m *world.RadioMessage) {
		if m.Pass.Kicked && m.Number < from {
			to, from = m.Pass.To, m.Number
		}
	}
	if w.Said != nil {
		consider(w.Said)
	}
	for i := range w.Heard {
		consider(w.Heard[i].RadioMessage)
	}
	return to
}

// PlayRole returns the command of a robot with a role while the ball is in play.
func PlayRole(r Role, w *world.World) Command {
	switch {
	case r == Goalkeeper:
		return KeepGoal(w)
	case !w.Ball.Known:
		return Search(w)
	}
	if at, ok := announcedPass(w); ok && r != Attacker {
		return receiveAt(w, at)
	}
	switch r {
	case Attacker:
		return Attack(w)
	case Supporter:
		return Support(w)
	case Marker:
		return Mark(w)
	}
	return Sweep(w)
}

// WaitingPlace returns where a robot with a role waits while it must not play the ball.
func WaitingPlace(r Role, w *world.World) pitch.Vec {
	switch r {
	case Goalkeeper:
		return goalkeeperHome(w)
	case Supporter:
		return supportAt(w)
	case Marker:
		return markerAt(w)
	}
	return sweeperAt(w)
}
