package referee

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/worlds/game"
)

// goal is the rule that decides when the whole ball has entered a goal while in play, no matter who shot it. The team
// that did not score kicks off.
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
	d.addBasis("behind the goal line", m.behind(), "m", 0)
	return true
}

// behind returns how far the whole ball is behind the goal line of the goal that it is in, in m.
func (m *match) behind() float64 {
	g := m.inGoal.Attacks(&m.model.Field)
	return g.Side*(m.now.Ball.PosW[0]-g.X) - m.model.Ball.Radius
}

// disallowed records in the decision that a goal does not count. The defending team gets a goal kick.
func (m *match) disallowed(d *Decision, robot int) {
	d.Against, d.Robots = m.team(robot), append(d.Robots, m.name(robot))
	d.Command, d.Team = game.GoalKick, other(m.inGoal)
	d.BallW = m.goalKick(d.Team)
	d.addBasis("behind the goal line", m.behind(), "m", 0)
}

// goalFromOwnHalf is the rule that disallows a goal shot from a team's own half, unless another robot has touched the
// ball on its way.
type goalFromOwnHalf struct{ memoryless }

func (goalFromOwnHalf) judge(m *match, d *Decision) bool {
	if !m.cameIn || m.last == nobody || m.team(m.last) != m.inGoal {
		return false
	}
	// distance in m of the last touch from the halfway line, positive in the opponents' half
	into := m.inGoal.Attacks(&m.model.Field).Side * m.lastW[0]
	if into >= 0 {
		return false
	}
	m.disallowed(d, m.last)
	d.Reason = fmt.Sprintf("%s has shot from its own half", m.name(m.last))
	d.addBasis("inside the opponents' half", into, "m", 0)
	return true
}

// goalFromSetPiece is the rule that disallows a goal from a set piece. The goal counts if two robots have touched the
// ball, or if the rules allow direct goals from this set piece.
type goalFromSetPiece struct{ memoryless }

func (goalFromSetPiece) judge(m *match, d *Decision) bool {
	direct := m.piece == "" || slices.Contains(m.rules.Direct, string(m.piece))
	if !m.cameIn || direct || m.taker == nobody || m.others || m.team(m.taker) != m.inGoal {
		return false
	}
	m.disallowed(d, m.taker)
	d.Reason = fmt.Sprintf("%s has shot the %s into the goal, and no other robot has touched the ball", m.name(m.taker),
		m.piece)
	d.addBasis("robots that touched it", 1, "", 2)
	return true
}
