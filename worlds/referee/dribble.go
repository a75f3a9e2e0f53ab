package referee

import (
	"fmt"

	"github.com/omnipitch/omnipitch/worlds/game"
)

// foul records in the decision that a robot is at fault. The opponents of the robot get a free kick.
func (m *match) foul(d *Decision, robot int) {
	d.Against, d.Robots = m.team(robot), append(d.Robots, m.name(robot))
	d.Command, d.Team = game.FreeKick, other(d.Against)
	d.BallW = m.freeKick(m.ball())
}

// carried reports whether a robot holds the ball now. A loose ball, as after a shot, is not carried, even if the robot
// may get hold of it again.
func (m *match) carried() bool { return m.now.Ball.HeldBy >= 0 }

// dribbleDistance is the rule that limits how far a robot may carry the ball from the place where it took the ball.
// Source: simatch, auto_referee, R1.
type dribbleDistance struct{ memoryless }

func (dribbleDistance) judge(m *match, d *Decision) bool {
	if !m.carried() {
		return false
	}
	far := distance(m.ball(), m.heldFromW)
	if far <= m.rules.Dribble {
		return false
	}
	m.foul(d, m.holder)
	d.Reason = fmt.Sprintf("%s has carried the ball too far", m.name(m.holder))
	d.addBasis("from where it took the ball", far, "m", m.rules.Dribble)
	return true
}

// dribbleHalfway is the rule that forbids a robot to carry the ball wholly across the halfway line. A setting can allow
// it. Source: simatch, auto_referee, R2, which is switched off there.
type dribbleHalfway struct{ memoryless }

func (dribbleHalfway) judge(m *match, d *Decision) bool {
	if !m.carried() || m.rules.Across {
		return false
	}
	r, across := m.model.Ball.Radius, m.ball()[0]
	switch from := m.heldFromW[0]; {
	case from > r:
		across = -across
	case from >= -r: // the ball was on the halfway line, as at a kick-off
		return false
	}
	if across <= r {
		return false
	}
	m.foul(d, m.holder)
	d.Reason = fmt.Sprintf("%s has carried the ball across the halfway line", m.name(m.holder))
	d.addBasis("centre of the ball behind the line", across, "m", r)
	return true
}
