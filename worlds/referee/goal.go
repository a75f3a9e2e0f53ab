package referee

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/worlds/game"
)

// goal is one when the ball has come wholly into a goal in play, whoever shot it. The others kick off.
type goal struct{ memoryless }

func (goal) judge(m *match, d *Decision) bool {
	if !m.cameIn {
		return false
	}
	d.Goal, d.Command, d.Team = m.inGoal, game.Kickoff, other(m.inGoal)
	d.Reason = fmt.Sprintf("the ball is in the goal that %s attacks", m.inGoal)
	if m.last != nobody {
		d.Robots = append(d.Robots, m.name(m.last))
		d.Reason += fmt.Sprintf(", last touched by %s", m.name(m.last))
	}
	d.rest("behind the goal line", m.behind(), "m", 0)
	return true
}

// behind returns how far the whole ball is behind the goal line of the goal where it is, metres.
func (m *match) behind() float64 {
	g := m.inGoal.Attacks(&m.model.Field)
	return g.Side*(m.now.Ball.PosW[0]-g.X) - m.model.Ball.Radius
}

// disallowed says that a goal does not count: the defenders have a goal kick.
func (m *match) disallowed(d *Decision, robot int) {
	d.Against, d.Robots = m.team(robot), append(d.Robots, m.name(robot))
	d.Command, d.Team = game.GoalKick, other(m.inGoal)
	d.BallW = m.goalKick(d.Team)
	d.rest("behind the goal line", m.behind(), "m", 0)
}

// A shot from a team's own half is no goal, unless another robot has touched it on its way.
type goalFromOwnHalf struct{ memoryless }

func (goalFromOwnHalf) judge(m *match, d *Decision) bool {
	if !m.cameIn || m.last == nobody || m.team(m.last) != m.inGoal {
		return false
	}
	into := m.inGoal.Attacks(&m.model.Field).Side * m.lastW[0] // the opponents' half
	if into >= 0 {
		return false
	}
	m.disallowed(d, m.last)
	d.Reason = fmt.Sprintf("%s has shot from its own half", m.name(m.last))
	d.rest("inside the opponents' half", into, "m", 0)
	return true
}

// Two robots have to touch the ball after a set piece, unless a goal from it is direct.
type goalFromSetPiece struct{ memoryless }

func (goalFromSetPiece) judge(m *match, d *Decision) bool {
	direct := m.piece == "" || slices.Contains(m.rules.Direct, string(m.piece))
	if !m.cameIn || direct || m.taker == nobody || m.others || m.team(m.taker) != m.inGoal {
		return false
	}
	m.disallowed(d, m.taker)
	d.Reason = fmt.Sprintf("%s has shot the %s into the goal, and no other robot has touched the ball", m.name(m.taker),
		m.piece)
	d.rest("robots that touched it", 1, "", 2)
	return true
}
