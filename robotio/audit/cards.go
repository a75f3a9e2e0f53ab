package audit

import (
	"slices"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// decided judges the cards among the decisions of a step, and carries out what is decided about robots.
func (r *roster) decided(step int64, decisions []msg.Decision) {
	var due *verdict
	missed := func() {
		if due != nil {
			r.report.Findings = append(r.report.Findings, r.finding(step, due.rule, Missed,
				"by the states "+r.text(due)))
		}
		due = nil
	}
	for i := range decisions {
		d := &decisions[i]
		robot := nobody
		if len(d.Robots) > 0 {
			robot = r.Match.find(d.Robots[0])
		}
		switch {
		case d.Rule == "repeated_fouls" && due == nil:
			r.report.Findings = append(r.report.Findings, r.finding(step, d.Rule, Unjustified,
				"nothing is to be decided: no foul in this step calls for a card"))
		case d.Rule == "repeated_fouls":
			r.card(step, due, d)
			due = nil
		case due != nil:
			missed()
		}
		if robot == nobody {
			continue
		}
		switch {
		case slices.Contains(robotRules, d.Rule):
			r.command(game.Command(d.Command), robot, step)
		case d.Rule == "pushing":
			if r.robots[robot].fouls++; r.on("repeated_fouls") &&
				r.robots[robot].fouls == r.world.Rules.FoulsForYellow {
				due = r.cardDue(robot)
				r.robots[robot].fouls = 0
			}
		}
	}
	missed()
}

// cardDue is the card that a robot gets.
func (r *roster) cardDue(robot int) *verdict {
	v := &verdict{rule: "repeated_fouls", against: r.team(robot), robots: []int{robot}, command: game.YellowCard,
		team: r.team(robot)}
	if r.robots[robot].yellow {
		v.command = game.DoubleYellow
	}
	v.rests("fouls since its last card", float64(r.world.Rules.FoulsForYellow), float64(r.world.Rules.FoulsForYellow))
	return v
}

// card compares a card with what it had to be. Where others may have given one that the recording does not tell, each
// of both is right.
func (r *roster) card(step int64, v *verdict, d *msg.Decision) {
	if c := game.Command(d.Command); r.unknown && (c == game.YellowCard || c == game.DoubleYellow) {
		v.command = c
	}
	differ := r.Match.compare(v, step, d)
	for _, text := range differ {
		r.report.Findings = append(r.report.Findings, r.finding(step, d.Rule, Differs, text))
	}
	if len(differ) == 0 {
		r.report.Agreed[d.Rule]++
	}
}
