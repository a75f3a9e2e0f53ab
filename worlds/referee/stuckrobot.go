package referee

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

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
