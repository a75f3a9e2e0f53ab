package role

import (
	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/skill"
	"github.com/omnipitch/omnipitch/cmd/refbot/world"
)

// Role is what a robot does for its team.
type Role uint8

const (
	Goalkeeper Role = iota
	Attacker        // goes for the ball
	Supporter       // offers itself for a pass
	Marker          // stays with an opponent
	Sweeper         // stays between the ball and the goal
)

func (r Role) String() string {
	return [...]string{"goalkeeper", "attacker", "supporter", "marker", "sweeper"}[r]
}

// Assigner finds a robot's role. It remembers who attacked last: who has begun goes on, unless another is clearly faster.
type Assigner struct{ attacker uint8 }

// goesOn is by how much faster another has to be to take over, s. Guess.
const goesOn = 0.4

// Assign returns the robot's role now. Number 1 keeps the goal. Whoever reaches the ball first attacks. Of the others, who is farthest back sweeps,
// who is farthest forward supports, and who is between marks: robots that see the same agree, and none has to cross the field.
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
	case behind == 0 && before == 0 && w.Ball.Pos[0] > 0, before == 0 && behind > 0:
		return Supporter
	case behind == 0:
		return Sweeper
	}
	return Marker
}

// fastest returns the number of the field robot that reaches the ball first. Who has just taken a set piece must leave the ball to others.
func (a *Assigner) fastest(w *world.World) (number uint8) {
	if w.Hold.Is {
		return w.Me.Number
	}
	least := 1e3
	consider := func(r *world.Robot) {
		if r.Number <= 1 || r.Number == w.Game.Taker {
			return
		}
		_, in := skill.Meeting(w, r.Pos)
		if pitch.Distance(r.Pos, w.Ball.Pos) < world.HoldDistance+0.1 {
			in = 0 // it has the ball
		}
		if r.Number == a.attacker {
			in -= goesOn
		}
		if in < least || in == least && r.Number < number {
			least, number = in, r.Number
		}
	}
	consider(&w.Me)
	w.Mates(consider)
	return number
}

// Play returns the command of a robot with a role.
func Play(r Role, w *world.World) skill.Command {
	switch {
	case r == Goalkeeper:
		return KeepGoal(w)
	case !w.Ball.Known:
		return Search(w)
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

// At returns where a robot with a role waits while the ball is not to be played.
func At(r Role, w *world.World) pitch.Vec {
	switch r {
	case Goalkeeper:
		return home(w)
	case Supporter:
		return supportAt(w)
	case Marker:
		return markerAt(w)
	}
	return sweeperAt(w)
}
