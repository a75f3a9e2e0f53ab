package soccer

import (
	"math"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Role is what a robot does for its team.
type Role uint8

const (
	Goalkeeper Role = iota
	Attacker        // goes for the ball
	Supporter       // goalOffsets itself for a pass
	Marker          // stays with an opponent
	Sweeper         // stays between the ball and the goal
)

func (r Role) String() string {
	return [...]string{"goalkeeper", "attacker", "supporter", "marker", "sweeper"}[r]
}

// Assigner finds a robot's role. It remembers who attacked last: who has begun goes on, unless another is clearly
// faster.
type Assigner struct{ attacker uint8 }

// takeoverMargin is by how much faster another has to be to take over, s. Guess.
const takeoverMargin = 0.4

// Assign returns the robot's role now. Number 1 keeps the goal. Whoever reaches the ball first attacks. Of the others,
// who is farthest back sweeps, who is farthest forward supports, and who is between marks: robots that see the same
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

// fastest returns the number of the field robot that reaches the ball first. Who has just taken a set piece must leave
// the ball to others.
func (a *Assigner) fastest(w *world.World) (number uint8) {
	if w.Hold.Is {
		return w.Me.Number
	}
	if to := announcedReceiver(w); to != 0 {
		return to
	}
	least := math.Inf(1)
	consider := func(r *world.Robot) {
		in, attacks := a.reach(w, r)
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

// reach returns in how long a robot can be at the ball, s, and whether it attacks. Of who is heard that is what it has
// told, and of this robot what it has told them, so that all who have heard the same agree.
func (a *Assigner) reach(w *world.World, r *world.Robot) (in float64, attacks bool) {
	told := w.Said
	if h := w.Told(r.Number); h != nil {
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

// TimeToBall is in how long a robot can be at the ball as far as this one sees, s; who has just taken a set piece must not.
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

// announcedReceiver returns the number of the robot to which a pass is on its way; 0: to none. Should two say so, the one of the
// lower number is believed.
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

// PlayRole returns the command of a robot with a role.
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

// WaitingPlace returns where a robot with a role waits while the ball is not to be played.
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
