package referee

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// crowd is the rule against more robots of a team in an area than are allowed there. It decides when there have been
// too many for longer than robots need to leave. A robot is in the area if its centre is.
type crowd struct {
	allowed func(m *match, team physics.Team) allowance
	since   [2]time.Duration // for cyan and magenta: sim time since which too many robots have been in the area
	broken  [2]bool
}

// allowance is the number of robots of a team that may be in an area.
type allowance struct {
	in   func(m *match, robot int, of physics.Team) bool
	of   physics.Team // team that defends the area
	most int
	all  bool // whether robots with number 1, the goalkeepers, count too
	text string
}

// goalAreaRule allows no robot in the opponents' goal area. Source: simatch, auto_referee, R4.
func goalAreaRule(m *match, team physics.Team) allowance {
	return allowance{(*match).inGoalArea, other(team), 0, true, "the opponents' goal area"}
}

// attackersRule limits the robots in the opponents' penalty area. Source: simatch, auto_referee, R4.
func attackersRule(m *match, team physics.Team) allowance {
	return allowance{(*match).inPenaltyArea, other(team), m.rules.Attackers, false, "the opponents' penalty area"}
}

// defendersRule limits the robots in their own penalty area (illegal defence). Source: the rule book, recalled.
func defendersRule(m *match, team physics.Team) allowance {
	return allowance{(*match).inPenaltyArea, team, m.rules.Defenders, false, "their own penalty area"}
}

// counts reports whether a robot belongs to the team, is in the area, and counts towards the limit.
func (a *allowance) counts(m *match, robot int, team physics.Team) bool {
	return m.team(robot) == team && !m.offField(robot) && (a.all || !m.keeper(robot)) && a.in(m, robot, a.of)
}

func (c *crowd) judge(m *match, d *Decision) bool {
	for i, team := range [...]physics.Team{physics.Cyan, physics.Magenta} {
		a := c.allowed(m, team)
		n := 0
		for robot := range m.now.Robots {
			if a.counts(m, robot, team) {
				n++
			}
		}
		was := c.broken[i]
		if c.broken[i] = n > a.most; !c.broken[i] {
			continue
		}
		if !was {
			c.since[i] = m.now.Time
		}
		if m.now.Time-c.since[i] < m.rules.AreaFor {
			continue
		}
		c.decide(m, d, team, &a, n, m.now.Time-c.since[i])
		return true
	}
	return false
}

func (c *crowd) decide(m *match, d *Decision, team physics.Team, a *allowance, n int, stayed time.Duration) {
	last := nobody
	for robot := range m.now.Robots {
		if a.counts(m, robot, team) {
			last = robot
			if len(d.Robots) < n-1 {
				d.Robots = append(d.Robots, m.name(robot))
			}
		}
	}
	m.foul(d, last)
	d.Reason = fmt.Sprintf("%s has a robot too many in %s", team, a.text)
	if more := n - a.most; more > 1 {
		d.Reason = fmt.Sprintf("%s has %d robots too many in %s", team, more, a.text)
	}
	d.addBasis("robots that count", float64(n), "", float64(a.most))
	d.addBasis("time there", stayed.Seconds(), "s", m.rules.AreaFor.Seconds())
}

func (c *crowd) reset() { c.broken = [2]bool{} }

func (c *crowd) Exchange(k *keyframe.Codec) {
	for i := range c.since {
		k.Duration(&c.since[i])
		k.Bool(&c.broken[i])
	}
}
