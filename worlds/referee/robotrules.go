package referee

import (
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

// theRobotRules returns the rules about single robots, in the order in which they judge. The first rule that decides
// sends the robot off.
func theRobotRules(robots int) []namedRobotRule {
	return []namedRobotRule{
		{"fallen", &fallen{make([]span, robots)}},
		{"stuck_robot", &stuckRobot{make([]standstill, robots)}},
	}
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
			r.orderRobot(r.decide(rule.name).Command, robot)
			break
		}
	}
}

// orderRobot appends an order: a command of the referee box about a robot.
func (r *Referee) orderRobot(c game.Command, robot int) {
	of := &r.match.model.Robots[robot]
	r.orders = append(r.orders, Order{Command: c, Team: of.Team, Number: of.Number})
}
