package referee

import (
	"fmt"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// goal is the rule that decides when the whole ball has entered a goal while in play, no matter who shot it. The team
// that did not score kicks off.
func goal(m *match, d *Decision) bool {
	if !m.cameIn {
		return false
	}
	d.Goal, d.Command, d.Team = m.inGoal, game.Kickoff, m.inGoal.Rival()
	d.Reason = fmt.Sprintf("the ball is in the goal that %s attacks", m.inGoal)
	if m.last != nobody {
		d.Robots = append(d.Robots, m.name(m.last))
		d.Reason += fmt.Sprintf(", last touched by %s", m.name(m.last))
	}
	d.addBasis("behind the goal line", m.behind(), "m", 0)
	return true
}

// behind returns how far the whole ball is behind the goal line, in m. The ball must be in a goal.
func (m *match) behind() float64 {
	g := m.inGoal.Attacks(&m.model.Field)
	return g.Side*(m.now.Ball.PosW[0]-g.X) - m.model.Ball.Radius
}

// disallowed records in the decision that a robot's goal does not count. Play continues as if the ball had crossed the
// goal line beside the goal: with a goal kick, or with a corner if the robot shot into its own goal. Source: FIFA, Laws
// of the Game, the laws of the set pieces.
func (m *match) disallowed(d *Decision, robot int) {
	d.Against, d.Robots = m.team(robot), append(d.Robots, m.name(robot))
	d.Team = d.Against.Rival()
	d.Command, d.BallW = m.afterOut(d.Team, true)
	d.addBasis("behind the goal line", m.behind(), "m", 0)
}

// goalFromOwnHalf is the rule that disallows a goal shot from a team's own half, unless another robot has touched the
// ball on its way.
func goalFromOwnHalf(m *match, d *Decision) bool {
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
// ball, or if it is in the opponents' goal and the rules allow direct goals from this set piece.
func goalFromSetPiece(m *match, d *Decision) bool {
	if !m.cameIn || m.piece == "" || m.taker == nobody || m.others {
		return false
	}
	whose := "its own"
	if m.team(m.taker) == m.inGoal {
		if slices.Contains(m.rules.Direct, string(m.piece)) {
			return false
		}
		whose = "the"
	}
	m.disallowed(d, m.taker)
	d.Reason = fmt.Sprintf("%s has shot the %s into %s goal, and no other robot has touched the ball", m.name(m.taker),
		m.piece, whose)
	d.addBasis("robots that touched it", 1, "", 2)
	return true
}

// ballOut is the rule for a ball that is wholly over a line, on the floor or in the air, and in no goal. The team whose
// robot did not touch the ball last gets a throw-in, a goal kick or a corner. If no robot has touched the ball, the
// ball is dropped in the centre of the field.
func ballOut(m *match, d *Decision) bool {
	f, ball, r := &m.model.Field, m.ball(), m.model.Ball.Radius
	overSide, overEnd := math.Abs(ball[1])-r-f.Width/2, math.Abs(ball[0])-r-f.Length/2
	if overSide <= 0 && overEnd <= 0 || m.inGoal != "" {
		return false
	}
	line := "touch line"
	if overEnd > overSide { // near a corner the ball may be over both lines; the line that it crossed first counts
		line = "goal line"
	}
	d.addBasis("behind the "+line, max(overSide, overEnd), "m", 0)
	if m.last == nobody {
		d.Command = game.DropBall
		d.Reason = fmt.Sprintf("the ball is over the %s, and no robot has touched it", line)
		return true
	}
	d.Against, d.Robots = m.team(m.last), append(d.Robots, m.name(m.last))
	d.Team = d.Against.Rival()
	d.Reason = fmt.Sprintf("the ball is over the %s, last touched by %s", line, m.name(m.last))
	d.Command, d.BallW = m.afterOut(d.Team, overEnd > overSide)
	return true
}

// afterOut returns the set piece that a team gets, and the place of the set piece, after the ball went out over a goal
// line or a touch line.
func (m *match) afterOut(team physics.Team, goalLine bool) (game.Command, [2]float64) {
	f, ball := &m.model.Field, m.ball()
	x, y := f.Length/2-m.rules.Inset, f.Width/2-m.rules.Inset
	switch attacked := math.Signbit(ball[0]) == math.Signbit(team.Attacks(f).X); {
	case !goalLine:
		return game.ThrowIn, [2]float64{min(max(ball[0], -x), x), math.Copysign(y, ball[1])}
	case attacked:
		return game.Corner, [2]float64{math.Copysign(x, ball[0]), math.Copysign(y, ball[1])}
	}
	return game.GoalKick, m.goalKick(team)
}

// stuckBall is the rule for a ball that makes no progress, no matter which robot has it. The ball is dropped where it
// is, or in the centre.
func stuckBall(m *match, d *Decision) bool {
	still := m.now.Time - m.restAt
	if m.taking || still < m.rules.StuckFor {
		return false
	}
	d.Command = game.DropBall
	if !m.book.centre {
		d.BallW = m.freeKick(m.ball())
	}
	d.Reason = "the ball does not get on"
	d.addBasis("without progress", still.Seconds(), "s", m.rules.StuckFor.Seconds())
	d.addBasis("way of the ball in that time", distance(m.ball(), m.restW), "m", m.rules.StuckBy)
	return true
}
