package audit

import (
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// scorer returns who attacks the goal in which a ball is as a whole: behind the line, before the net, between the
// posts, under the bar.
func (m *Match) scorer(ballW [3]float64) physics.Team {
	f := &m.model.Field
	behind := math.Abs(ballW[0]) - f.Length/2 - m.model.Ball.Radius
	if !m.beyond(behind, 0) || behind >= f.GoalDepth || math.Abs(ballW[1]) >= f.GoalWidth/2 ||
		ballW[2] >= f.GoalHeight {
		return ""
	}
	if ballW[0] > 0 {
		return physics.Cyan
	}
	return physics.Magenta
}

// goal finds where the ball came into a goal, and that is decided by a rule.
func (p *play) goal(rule string, until int64) (int64, *verdict) {
	for n := p.start + 1; n <= until; n++ {
		team := p.scorer(p.states[n].ball)
		if team == "" || p.scorer(p.states[n-1].left) != "" {
			continue
		}
		by, v := p.goalRule(n, team)
		if by == rule {
			v.rests("behind the goal line", math.Abs(p.states[n].ball[0])-p.model.Field.Length/2-p.model.Ball.Radius, 0)
			return n, v
		}
	}
	return 0, nil
}

// goalRule tells by which rule a goal counts or not.
func (p *play) goalRule(n int64, team physics.Team) (string, *verdict) {
	shooter, shot := p.lastTouch(n)
	disallowed := func(robot int) *verdict {
		return &verdict{against: p.team(robot), robots: []int{robot}, command: game.GoalKick, team: against(team),
			ballW: p.goalKick(against(team), p.states[n].floor())}
	}
	if shooter != nobody && p.team(shooter) == team && p.on("goal_from_own_half") {
		if into := attack(team) * p.states[shot].ball[0]; into < -p.slack {
			v := disallowed(shooter)
			v.rests("inside the opponents' half", into, 0)
			return "goal_from_own_half", v
		}
	}
	if piece := p.pieceAt(n); piece != "" && !slices.Contains(p.world.Rules.Direct, string(piece)) {
		if all := p.touchers(n); len(all) == 1 && p.team(all[0]) == team && p.on("goal_from_set_piece") {
			v := disallowed(all[0])
			v.rests("robots that touched it", 1, 2)
			return "goal_from_set_piece", v
		}
	}
	v := &verdict{goal: team, command: game.Kickoff, team: against(team)}
	if shooter != nobody {
		v.robots = []int{shooter}
	}
	return "goal", v
}

// out finds where the ball was wholly over a line, and in no goal.
func (p *play) out(until int64) (int64, *verdict) {
	f, r := &p.model.Field, p.model.Ball.Radius
	for n := p.start + 1; n <= until; n++ {
		ball := p.states[n].ball
		side, end := math.Abs(ball[1])-r-f.Width/2, math.Abs(ball[0])-r-f.Length/2
		if !p.beyond(max(side, end), 0) || p.scorer(ball) != "" {
			continue
		}
		v := &verdict{command: game.DropBall}
		if end > side {
			v.rests("behind the goal line", end, 0)
		} else {
			v.rests("behind the touch line", side, 0)
		}
		if last, _ := p.lastTouch(n); last != nobody {
			v.robots, v.against, v.team = []int{last}, p.team(last), against(p.team(last))
			p.bringIn(v, ball, end > side)
		}
		return n, v
	}
	return 0, nil
}

// bringIn says how a team goes on that gets a ball which is out.
func (p *play) bringIn(v *verdict, ball [3]float64, goalLine bool) {
	f := &p.model.Field
	x, y := f.Length/2-p.world.Rules.Inset, f.Width/2-p.world.Rules.Inset
	switch {
	case !goalLine:
		v.command, v.ballW = game.ThrowIn, [2]float64{math.Max(-x, math.Min(x, ball[0])), math.Copysign(y, ball[1])}
	case ball[0]*attack(v.team) > 0:
		v.command, v.ballW = game.Corner, [2]float64{math.Copysign(x, ball[0]), math.Copysign(y, ball[1])}
	default:
		v.command, v.ballW = game.GoalKick, p.goalKick(v.team, [2]float64{ball[0], ball[1]})
	}
}
