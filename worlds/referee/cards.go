package referee

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// recordFoul counts the foul that has just been decided; it must be of the kind that earns cards. If the robot has
// committed enough such fouls since its last card, it gets a card. The card is yellow, or a double yellow if the robot
// already has a yellow card.
func (r *Referee) recordFoul() {
	foul := &r.decisions[len(r.decisions)-1]
	if foul.Rule != pushingRule || !r.rules.inForce(repeatedFouls) {
		return
	}
	m := &r.match
	robot := slices.IndexFunc(m.model.Robots, func(x physics.Robot) bool { return x.Name == foul.Robots[0] })
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
