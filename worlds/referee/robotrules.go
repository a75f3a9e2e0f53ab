package referee

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// robotRule is a rule that judges each robot separately, at any stage of the game. It never stops play.
type robotRule interface {
	// judge judges a robot that is on the field. If the rule sends the robot off, judge describes the reason in d and
	// returns true.
	judge(m *match, robot int, d *Decision) bool
	// forget clears what the rule remembers of a robot.
	forget(robot int)
	keyframe.Exchanger
}

type namedRobotRule struct {
	name string
	robotRule
}

// inspect judges all robots by the rules about single robots. It runs in each step in which the referee leads the game.
func (r *Referee) inspect() {
	leads := r.stage != leaving && r.stage != ended
	for robot := range r.match.now.Robots {
		for i := range r.robotList {
			rule := &r.robotList[i]
			if !leads || r.match.offField(robot) {
				rule.forget(robot)
				continue
			}
			r.clear()
			if !rule.judge(&r.match, robot, &r.one) {
				continue
			}
			rule.forget(robot)
			r.one.Robots = append(r.one.Robots, r.match.name(robot))
			r.one.Command, r.one.Team = game.Repair, r.match.team(robot)
			if d := r.decide(rule.name); d.Command == game.Penalise {
				r.remove(d, robot)
			} else {
				r.orderRobot(d.Command, robot)
			}
			break
		}
	}
}

// orderRobot appends an order: a command of the referee box about a robot.
func (r *Referee) orderRobot(c game.Command, robot int) {
	of := &r.match.model.Robots[robot]
	r.orders = append(r.orders, Order{Command: c, Team: of.Team, Number: of.Number})
}

// fallen is the rule that sends off for repair a robot that lies on the floor, or leans too far to drive on.
type fallen struct{ tilted []span }

// span measures for how long a condition has held without a break.
type span struct {
	holds bool
	since time.Duration
}

// lasts records whether the condition holds at the time given by now. It returns for how long the condition has held.
func (s *span) lasts(holds bool, now time.Duration) time.Duration {
	if !s.holds {
		s.since = now
	}
	if s.holds = holds; !holds {
		return 0
	}
	return now - s.since
}

func (s *span) exchange(c *keyframe.Codec) {
	c.Bool(&s.holds)
	c.Duration(&s.since)
}

func (f *fallen) judge(m *match, robot int, d *Decision) bool {
	rot := m.now.Robots[robot].PoseWB.Rot
	// angle between the robot's own z axis and the vertical, rad
	tilt := math.Acos(min(max(1-2*(rot.V[0]*rot.V[0]+rot.V[1]*rot.V[1]), -1), 1))
	lain := f.tilted[robot].lasts(tilt > m.rules.FallenBy, m.now.Time)
	if !f.tilted[robot].holds || lain < m.rules.FallenFor {
		return false
	}
	d.Reason = m.name(robot) + " has fallen"
	d.addBasis("tilt", tilt*180/math.Pi, "deg", m.rules.FallenBy*180/math.Pi)
	d.addBasis("time", lain.Seconds(), "s", m.rules.FallenFor.Seconds())
	return true
}

func (f *fallen) forget(robot int) { f.tilted[robot] = span{} }

func (f *fallen) Exchange(c *keyframe.Codec) {
	for i := range f.tilted {
		f.tilted[i].exchange(c)
	}
}

// stuckRobot is the rule that sends off for repair a robot that has long been stuck although it is commanded to drive.
// Package physics reports which robots are stuck.
type stuckRobot struct{ robots []standstill }

// standstill is the record of a robot that is stuck, or was stuck until just now.
type standstill struct {
	on    bool
	fromW [2]float64 // position of the robot when it got stuck, in W, m
	since time.Duration
	last  time.Duration // last sim time at which the robot was stuck
}

// stuckPause is the longest pause after which a robot that has not moved away still counts as stuck. The value is a
// guess: slipping wheels jerk a stuck robot, and each jerk causes a pause.
const stuckPause = time.Second

func (s *stuckRobot) judge(m *match, robot int, d *Decision) bool {
	x, at, now := &s.robots[robot], m.robotPos(robot), m.now.Time
	way := distance(at, x.fromW)
	if way > m.rules.StuckRobotBy || now-x.last > stuckPause {
		x.on = false
	}
	if m.now.Robots[robot].Stuck {
		if !x.on {
			*x, way = standstill{on: true, fromW: at, since: now}, 0
		}
		x.last = now
	}
	if !x.on || now-x.since < m.rules.StuckRobotFor {
		return false
	}
	d.Reason = fmt.Sprintf("%s is stuck", m.name(robot))
	d.addBasis("time", (now - x.since).Seconds(), "s", m.rules.StuckRobotFor.Seconds())
	d.addBasis("way of the robot in that time", way, "m", m.rules.StuckRobotBy)
	return true
}

func (s *stuckRobot) forget(robot int) { s.robots[robot] = standstill{} }

func (s *stuckRobot) Exchange(c *keyframe.Codec) {
	for i := range s.robots {
		x := &s.robots[i]
		c.Bool(&x.on)
		c.Floats(x.fromW[:])
		c.Duration(&x.since)
		c.Duration(&x.last)
	}
}
