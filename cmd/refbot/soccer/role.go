package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Role is what a robot does for its team while the ball is in play. Robots that hear each other by radio agree on one
// attacker. Robots that only see each other may disagree for a moment, and then two of the robots attack.
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

// Assigner chooses a robot's role. It remembers which robot is the attacker. The attacker keeps its role until another
// robot can reach the ball clearly earlier.
type Assigner struct{ attacker uint8 }

// takeoverMargin is how much earlier than the present attacker another robot has to reach the ball to become the
// attacker, in s. 0.4 is a guess.
const takeoverMargin = 0.4

// Assign returns the robot's present role. Number 1 is the goalkeeper. The robot that reaches the ball first is the
// attacker. Of the remaining robots, the rearmost is the sweeper, the foremost is the supporter, and the robots between
// them are markers. Robots with the same information choose the same roles, and no robot has to cross the field to its
// place.
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

// fastest returns the number of the own team's field robot that reaches the ball first. It does not consider the taker
// of a set piece, which must not play the ball again.
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

// timeToBall returns the time until a robot reaches the ball, in s, and whether the robot is the attacker. If the robot
// has sent a radio message, timeToBall uses the values in the message, even for this robot itself, so that all robots
// that hear the message agree.
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

// TimeToBall returns the time until the robot r can reach the ball, in s, by what this robot sees. For the taker of a
// set piece, which must not play the ball again, it returns NeverReaches, in s.
func TimeToBall(w *world.World, r *world.Robot) float64 {
	if r.Number == w.Game.Taker {
		return world.NeverReaches.Seconds()
	}
	if pitch.Distance(r.Pos, w.Ball.Pos) < world.HoldDistance+0.1 {
		return 0 // the robot has the ball
	}
	_, in := Intercept(w, r.Pos)
	return in
}

// announcedReceiver returns the number of the robot to which a pass is on its way, or 0 if there is no such pass. If
// two robots have announced passes, the pass of the robot with the lower number counts.
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
