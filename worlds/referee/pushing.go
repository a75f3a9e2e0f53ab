package referee

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// pushing is the rule against a robot that presses against an opponent, and drives the opponent back. The opponents get
// a free kick where that happened. They get a penalty if the robot defends the penalty area in which it pushed. Two
// robots that lean against each other and do not move are not pushing.
type pushing struct {
	robots int // number of robots in the model
	pairs  []pressing
}

// pressing is a pair of opponents that press against each other, and their positions in W, in m, when that began.
type pressing struct {
	a, b         int
	fromA, fromB [2]float64
	last         time.Duration // sim time of the last contact, for humanoids
}

func (p *pushing) judge(m *match, d *Decision) bool {
	if m.book.contacts {
		p.contacts(m)
	} else {
		for i := range m.now.Events {
			p.event(m, &m.now.Events[i])
		}
	}
	for i := range p.pairs {
		pair := &p.pairs[i]
		if m.offField(pair.a) || m.offField(pair.b) { // a pair with a robot off the field no longer presses
			continue
		}
		pusher, pushed, back := pair.a, pair.b, pair.driven(m)
		if back < 0 {
			pusher, pushed, back = pushed, pusher, -back
		}
		if back > m.rules.Push {
			p.decide(m, d, pusher, pushed, back)
			return true
		}
	}
	return false
}

// event records the beginning or the end of a push.
func (p *pushing) event(m *match, e *physics.Event) {
	robots := physics.BodyID(p.robots)
	if e.Kind != physics.PushBegan && e.Kind != physics.PushEnded || e.A < 0 || e.B < 0 || e.A >= robots ||
		e.B >= robots {
		return
	}
	a, b := int(e.A), int(e.B)
	for i := range p.pairs {
		if p.pairs[i].a == a && p.pairs[i].b == b {
			p.pairs = append(p.pairs[:i], p.pairs[i+1:]...)
			break
		}
	}
	if e.Kind == physics.PushBegan && m.team(a) != m.team(b) {
		p.pairs = append(p.pairs, pressing{a: a, b: b, fromA: m.robotPos(a), fromB: m.robotPos(b)})
	}
}

// placed restarts the measured distances of the pairs with a robot, at the present positions of both robots.
func (p *pushing) placed(m *match, robot int) {
	for i := range p.pairs {
		if x := &p.pairs[i]; x.a == robot || x.b == robot {
			x.fromA, x.fromB = m.robotPos(x.a), m.robotPos(x.b)
		}
	}
}

// contactGap is the longest interruption of a contact of humanoids that does not end it: they sway as they walk. It is
// a guess.
const contactGap = 300 * time.Millisecond

// contacts updates the pairs of opponents that press against each other by their contacts. Humanoids are much lighter
// than the robots for which package physics reports pushes.
func (p *pushing) contacts(m *match) {
	p.pairs = slices.DeleteFunc(p.pairs, func(x pressing) bool { return m.now.Time-x.last > contactGap })
	for i := range m.now.Touches {
		a, b := int(m.now.Touches[i].A), int(m.now.Touches[i].B)
		if a < 0 || b < 0 || a >= p.robots || b >= p.robots || m.team(a) == m.team(b) {
			continue
		}
		k := slices.IndexFunc(p.pairs, func(x pressing) bool { return x.a == a && x.b == b })
		if k < 0 {
			k = len(p.pairs)
			p.pairs = append(p.pairs, pressing{a: a, b: b, fromA: m.robotPos(a), fromB: m.robotPos(b)})
		}
		p.pairs[k].last = m.now.Time
	}
}

// driven returns how far robot A has driven robot B back, in m. It is computed from the paths of both robots along the
// direction from A to B. It is negative if B has driven A back.
func (p *pressing) driven(m *match) float64 {
	a, b := m.robotPos(p.a), m.robotPos(p.b)
	to := [2]float64{b[0] - a[0], b[1] - a[1]}
	n := math.Hypot(to[0], to[1])
	if n == 0 {
		return 0
	}
	way := [2]float64{(a[0] - p.fromA[0] + b[0] - p.fromB[0]) / 2, (a[1] - p.fromA[1] + b[1] - p.fromB[1]) / 2}
	return (way[0]*to[0] + way[1]*to[1]) / n
}

func (p *pushing) decide(m *match, d *Decision, pusher, pushed int, back float64) {
	team := m.team(pusher)
	d.Against, d.Robots = team, append(d.Robots, m.name(pusher))
	d.Command, d.Team, d.BallW = game.FreeKick, team.Rival(), m.freeKick(m.robotPos(pushed))
	if m.inPenaltyArea(pushed, team) {
		d.Command, d.BallW = game.Penalty, m.penaltyMark(team)
	}
	d.Reason = fmt.Sprintf("%s has pushed %s", m.name(pusher), m.name(pushed))
	d.addBasis("driven back", back, "m", m.rules.Push)
}

func (p *pushing) reset() { p.pairs = p.pairs[:0] }

func (p *pushing) Exchange(c *keyframe.Codec) {
	keyframe.Slice(c, &p.pairs, func(x *pressing, c *keyframe.Codec) {
		c.Index(&x.a, 0, p.robots)
		c.Index(&x.b, 0, p.robots)
		c.Floats(x.fromA[:])
		c.Floats(x.fromB[:])
		c.Duration(&x.last)
	})
}

// recordFoul counts the foul that has just been decided; it must be of the kind that earns cards. If the robot has
// committed enough such fouls since its last card, it gets a card. The card is yellow, or a double yellow if the robot
// already has a yellow card.
func (r *Referee) recordFoul() {
	foul := &r.decisions[len(r.decisions)-1]
	if foul.Rule != pushingRule || !r.rules.inForce(repeatedFouls) {
		return
	}
	m := &r.match
	robot := m.find(foul.Robots[0])
	r.fouls[robot]++
	n := r.fouls[robot]
	if n < r.rules.FoulsForYellow {
		return
	}
	r.fouls[robot] = 0
	r.clear()
	d := &r.one
	d.Against, d.Robots = m.team(robot), append(d.Robots, m.name(robot))
	d.Command, d.Team = game.YellowCard, d.Against
	d.Reason = fmt.Sprintf("%s has committed fouls again and again", m.name(robot))
	if m.standings[robot].Yellow > 0 {
		d.Command = game.DoubleYellow
		d.Reason += ", and has a yellow card"
	}
	d.addBasis("fouls since its last card", float64(n), "", float64(r.rules.FoulsForYellow))
	r.orderRobot(r.decide(repeatedFouls).Command, robot)
}

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
	return allowance{(*match).inGoalArea, team.Rival(), 0, true, "the opponents' goal area"}
}

// attackersRule limits the robots in the opponents' penalty area. Source: simatch, auto_referee, R4.
func attackersRule(m *match, team physics.Team) allowance {
	return allowance{(*match).inPenaltyArea, team.Rival(), m.rules.Attackers, false, "the opponents' penalty area"}
}

// defendersRule limits the robots in their own penalty area (illegal defence). Source: the rule book, from memory.
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
