package referee

import (
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// inactive is the rule against a goalkeeper in its own goal area that does not go to a ball near it. Source: the
// referee of the Humanoid League's simulated games.
type inactive struct{ robots []approach }

// approach is the record of a goalkeeper that is near the ball.
type approach struct {
	span
	farthest float64 // largest distance from the ball since then, m
}

func (x *inactive) judge(m *match, robot int, d *Decision) bool {
	a, far := &x.robots[robot], distance(m.robotPos(robot), m.ball())
	near := m.inPlay && m.keeper(robot) && m.inGoalArea(robot, m.team(robot)) && far <= m.rules.InactiveReach
	if !a.holds || a.farthest-far > m.rules.InactiveBy {
		a.span, a.farthest = span{}, far
	}
	a.farthest = max(a.farthest, far)
	waited := a.lasts(near, m.now.Time)
	if !near || waited < m.rules.InactiveFor {
		return false
	}
	d.Reason = m.name(robot) + " does not go to the ball"
	d.addBasis("nearer than before", a.farthest-far, "m", m.rules.InactiveBy)
	d.addBasis("time", waited.Seconds(), "s", m.rules.InactiveFor.Seconds())
	return true
}

func (x *inactive) forget(robot int) { x.robots[robot] = approach{} }

func (x *inactive) Exchange(c *keyframe.Codec) {
	for i := range x.robots {
		x.robots[i].exchange(c)
		c.Float(&x.robots[i].farthest)
	}
}
