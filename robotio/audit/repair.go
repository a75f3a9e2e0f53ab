package audit

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// robotRules decide about a robot, and leave the course of the game as it is. The first two are judged in each step,
// the last after a foul.
var robotRules = []string{"fallen", "stuck_robot", "repeated_fouls"}

// ofNobody finds decisions about robots that name none.
func (m *Match) ofNobody(report *Report) {
	for i := range m.decisions {
		d := &m.decisions[i]
		if slices.Contains(robotRules[:2], d.Rule) && int64(d.Step) <= m.last() && !slices.ContainsFunc(d.Robots,
			func(name string) bool { return m.find(name) != nobody }) {
			report.Findings = append(report.Findings, m.finding(int64(d.Step), d.Rule, Unjustified,
				"it names no robot of the world"))
		}
	}
}

// repairs judges the decisions by which robots leave the field for repair.
func (c *course) repairs(all *Match) {
	for robot := range all.model.Robots {
		var first outcome
		for i, slack := range [...]float64{0, rounding, -rounding} {
			all.slack = slack
			o := c.repairsOf(all, robot)
			all.slack = 0
			if i == 0 || len(o.findings) == 0 {
				first = o
			}
			if len(o.findings) == 0 {
				break
			}
		}
		c.report.add(&first)
	}
}

// unfit is what is found of a robot, from one step to the next.
type unfit struct {
	fell  int64      // the step since which it is tilted too far; none: it is not
	stuck int64      // the step in which it got stuck; none: it has not, or has got on
	last  int64      // the last step in which it was stuck
	atW   [2]float64 // where it was when it got stuck
	muted string     // the rule by which a decision was missed
}

const none = -1

// repairsOf judges one robot.
func (c *course) repairsOf(m *Match, robot int) (o outcome) {
	u := unfit{fell: none, stuck: none}
	for n := int64(0); n <= m.last(); n++ {
		var v *verdict
		if m.isOff(robot, n) || c.idle(n) {
			u = unfit{fell: none, stuck: none}
		} else {
			v = u.judge(m, robot, n)
		}
		decided := m.decided(n, robot, "fallen", "stuck_robot")
		switch {
		case v != nil && len(decided) == 0:
			o.findings = append(o.findings, c.finding(n, v.rule, Missed, "by the states "+m.text(v)))
			u.muted = v.rule
			continue
		case v != nil:
			differ := m.compare(v, n, &decided[0])
			for _, text := range differ {
				o.findings = append(o.findings, c.finding(n, decided[0].Rule, Differs, text))
			}
			if len(differ) == 0 {
				o.agreed = append(o.agreed, v.rule)
			}
			decided = decided[1:]
			u = unfit{fell: none, stuck: none}
		}
		for i := range decided {
			o.findings = append(o.findings, c.finding(n, decided[i].Rule, Unjustified,
				"nothing is to be decided about "+m.name(robot)))
		}
	}
	return o
}

// judge looks at the next state.
func (u *unfit) judge(m *Match, robot int, n int64) (v *verdict) {
	s, rules := &m.states[n], &m.world.Rules
	angle := 0.0
	if i := slices.IndexFunc(s.tilted, func(t tilted) bool { return t.robot == robot }); i >= 0 {
		angle = s.tilted[i].angle
	}
	switch {
	case !m.beyond(angle, rules.FallenBy):
		u.fell = none
		u.heal("fallen")
	case u.fell == none:
		u.fell = n
	}
	if u.stuck != none && (m.beyond(far(s.robots[robot], u.atW), rules.StuckRobotBy) || !slices.Contains(s.stuck,
		robot) && m.elapsed(u.last, n) > time.Second) {
		u.stuck = none
		u.heal("stuck_robot")
	}
	if slices.Contains(s.stuck, robot) {
		if u.stuck == none {
			u.stuck, u.atW = n, s.robots[robot]
		}
		u.last = n
	}
	repair := func(rule string) *verdict {
		return &verdict{rule: rule, robots: []int{robot}, command: game.Repair, team: m.team(robot)}
	}
	if u.fell != none && u.muted != "fallen" && m.on("fallen") && m.elapsed(u.fell, n) >= rules.FallenFor {
		v = repair("fallen")
		v.rests("tilt", angle*180/math.Pi, rules.FallenBy*180/math.Pi)
		v.rests("time", m.elapsed(u.fell, n).Seconds(), rules.FallenFor.Seconds())
		return v
	}
	if u.stuck != none && u.muted != "stuck_robot" && m.on("stuck_robot") &&
		m.elapsed(u.stuck, n) >= rules.StuckRobotFor {
		v = repair("stuck_robot")
		v.rests("time", m.elapsed(u.stuck, n).Seconds(), rules.StuckRobotFor.Seconds())
		v.rests("way of the robot in that time", far(s.robots[robot], u.atW), rules.StuckRobotBy)
	}
	return v
}

// heal ends that a rule is muted.
func (u *unfit) heal(rule string) {
	if u.muted == rule {
		u.muted = ""
	}
}

// idle tells whether the referee looks at no robot in a step: somebody else commands the game, or it is over.
func (c *course) idle(step int64) bool {
	for _, l := range c.lefts {
		if l.from <= step && step <= l.to {
			return true
		}
	}
	half := c.known(step).Half
	return half == game.Half(game.EndGame) || half == game.Half(game.GameOver)
}

// decided returns the decisions of a step about a robot, by some rules.
func (m *Match) decided(step int64, robot int, rules ...string) (all []msg.Decision) {
	i, _ := slices.BinarySearchFunc(m.decisions, step,
		func(d msg.Decision, step int64) int { return cmp.Compare(int64(d.Step), step) })
	for ; i < len(m.decisions) && int64(m.decisions[i].Step) == step; i++ {
		if d := &m.decisions[i]; slices.Contains(rules, d.Rule) && slices.Contains(d.Robots, m.name(robot)) {
			all = append(all, *d)
		}
	}
	return all
}
