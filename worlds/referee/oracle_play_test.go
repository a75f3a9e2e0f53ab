package referee_test

import (
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// play lasts from a start to the next stop.
type play struct {
	*match
	start  int64        // step of the start: later states are judged
	piece  game.Command // the set piece that it began with; empty: none
	whose  physics.Team // the team whose set piece it was; empty: both teams'
	placeW [2]float64   // the ball's place for it
}

// verdict is a decision as the states demand it.
type verdict struct {
	rule    string
	step    int64
	against physics.Team
	robots  []int
	goal    physics.Team
	command game.Command
	team    physics.Team
	ballW   [2]float64
	removal game.Removal // of the first robot
	basis   []quantity
}

type quantity struct {
	name         string
	value, limit float64
}

func (v *verdict) rests(name string, value, limit float64) *verdict {
	v.basis = append(v.basis, quantity{name, value, limit})
	return v
}

type rule struct {
	name string
	find func(p *play, rule string, until int64) *verdict
}

// rules are in the order of docs/match.md: if two decide in the same step, the first one counts. Each function returns
// the first decision of its rule up to a step, or nil.
func (m *match) rules() []rule {
	if m.humanoid() {
		return []rule{
			{"goal_from_set_piece", (*play).goal},
			{"goal", (*play).goal},
			{"ball_out", (*play).out},
			{"set_piece_touch", (*play).earlyTouch},
			{"ball_holding", (*play).covering},
			{"pushing", (*play).charging},
			{"stuck_ball", (*play).stuck},
		}
	}
	return wheeled
}

var wheeled = []rule{
	{"goal_from_own_half", (*play).goal},
	{"goal_from_set_piece", (*play).goal},
	{"goal", (*play).goal},
	{"ball_out", (*play).out},
	{"set_piece_touch", (*play).earlyTouch},
	{"double_touch", (*play).secondTouch},
	{"dribble_distance", (*play).carried},
	{"dribble_halfway", (*play).carried},
	{"ball_covered", (*play).covering},
	{"goal_area", (*play).crowded},
	{"attackers", (*play).crowded},
	{"defenders", (*play).crowded},
	{"pushing", (*play).pushing},
	{"stuck_ball", (*play).stuck},
}

// decided returns the first decision that stops the play up to a step, or nil.
func (p *play) decided(until int64) (v *verdict) {
	for _, r := range p.rules() {
		if !p.enabled(r.name) {
			continue
		}
		if got := r.find(p, r.name, until); got != nil && (v == nil || got.step < v.step) {
			v, got.rule, until = got, r.name, got.step
		}
	}
	return v
}

// first returns the verdict of the first step of the play, up to a step, for which judge returns one.
func (p *play) first(until int64, judge func(n int64, s *state) *verdict) *verdict {
	for n := p.start + 1; n <= until; n++ {
		if v := judge(n, &p.states[n]); v != nil {
			v.step = n
			return v
		}
	}
	return nil
}

// taken returns the step in which a set piece was over: because the ball had moved, or because both teams may play the
// ball after some time. lapsed reports the latter. The step is until+1 if it was not over before.
func (p *play) taken(until int64) (step int64, lapsed bool) {
	if p.piece == "" {
		return p.start, false
	}
	take := p.world.Rules.Take
	if p.humanoid() {
		switch p.piece {
		case game.Kickoff:
			take = p.world.Rules.TakeOff
		case game.Penalty:
			take = p.world.Rules.TakePen
		}
	}
	for n := p.start + 1; n <= until; n++ {
		switch {
		case distance(p.states[n].floor(), p.placeW) >= p.world.Rules.InPlay+p.slack:
			return n, false
		case p.enabled("lapse") && p.elapsed(p.start, n) >= take:
			return n, true
		}
	}
	return until + 1, false
}

// lastTouch returns the last touch of the ball in this play up to a step.
func (p *play) lastTouch(from int64) (robot int, step int64) {
	for n := from; n > p.start; n-- {
		if r := p.states[n].toucher; r != nobody {
			return r, n
		}
	}
	return nobody, 0
}

// touchers returns the robots that touched the ball up to a step, each once, in the order of their first touches.
func (p *play) touchers(until int64) (all []int) {
	for n := p.start + 1; n <= until; n++ {
		if r := p.states[n].toucher; r != nobody && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// pieceAt returns the set piece that still matters in a step: none if both teams were allowed to play the ball before.
func (p *play) pieceAt(step int64) game.Command {
	if at, lapsed := p.taken(step); lapsed && at < step {
		return ""
	}
	return p.piece
}

// scorer returns the team that attacks the goal in which all of a ball is: behind the line, before the net, between the
// posts, under the bar. It returns "" if the ball is in no goal.
func (m *match) scorer(ballW [3]float64) physics.Team {
	f := &m.model.Field
	behind := math.Abs(ballW[0]) - f.Length/2 - m.model.Ball.Radius
	if !m.exceeds(behind, 0) || behind >= f.GoalDepth || math.Abs(ballW[1]) >= f.GoalWidth/2 ||
		ballW[2] >= f.GoalHeight {
		return ""
	}
	if ballW[0] > 0 {
		return physics.Cyan
	}
	return physics.Magenta
}

// goal finds the step in which the ball entered a goal and the given rule decides about it.
func (p *play) goal(rule string, until int64) *verdict {
	return p.first(until, func(n int64, s *state) *verdict {
		team := p.scorer(s.ball)
		if team == "" || p.scorer(p.states[n-1].left) != "" {
			return nil
		}
		by, v := p.goalRule(n, team)
		if by != rule {
			return nil
		}
		return v.rests("behind the goal line", math.Abs(s.ball[0])-p.model.Field.Length/2-p.model.Ball.Radius, 0)
	})
}

// goalRule returns the rule that decides about a goal, and its decision.
func (p *play) goalRule(n int64, team physics.Team) (string, *verdict) {
	shooter, shot := p.lastTouch(n)
	disallowed := func(robot int) *verdict {
		v := &verdict{against: p.team(robot), robots: []int{robot}, team: opponents(p.team(robot))}
		p.bringIn(v, p.states[n].ball, true)
		return v
	}
	if shooter != nobody && p.team(shooter) == team && p.enabled("goal_from_own_half") {
		if into := attack(team) * p.states[shot].ball[0]; into < -p.slack {
			return "goal_from_own_half", disallowed(shooter).rests("inside the opponents' half", into, 0)
		}
	}
	if piece := p.pieceAt(n); piece != "" && p.enabled("goal_from_set_piece") {
		direct := slices.Contains(p.world.Rules.Direct, string(piece))
		if all := p.touchers(n); len(all) == 1 && (p.team(all[0]) != team || !direct) {
			return "goal_from_set_piece", disallowed(all[0]).rests("robots that touched it", 1, 2)
		}
	}
	v := &verdict{goal: team, command: game.Kickoff, team: opponents(team)}
	if shooter != nobody {
		v.robots = []int{shooter}
	}
	return "goal", v
}

// out finds the step in which all of the ball was over a line and not in a goal.
func (p *play) out(_ string, until int64) *verdict {
	f, r := &p.model.Field, p.model.Ball.Radius
	return p.first(until, func(n int64, s *state) *verdict {
		side, end := math.Abs(s.ball[1])-r-f.Width/2, math.Abs(s.ball[0])-r-f.Length/2
		if !p.exceeds(max(side, end), 0) || p.scorer(s.ball) != "" {
			return nil
		}
		v := &verdict{command: game.DropBall}
		if end > side {
			v.rests("behind the goal line", end, 0)
		} else {
			v.rests("behind the touch line", side, 0)
		}
		if last, _ := p.lastTouch(n); last != nobody {
			v.robots, v.against, v.team = []int{last}, p.team(last), opponents(p.team(last))
			p.bringIn(v, s.ball, end > side)
		}
		return v
	})
}

// bringIn sets the set piece of the team that gets a ball which is out.
func (p *play) bringIn(v *verdict, ball [3]float64, goalLine bool) {
	f := &p.model.Field
	x, y := f.Length/2-p.world.Rules.Inset, f.Width/2-p.world.Rules.Inset
	switch {
	case !goalLine:
		v.command, v.ballW = game.ThrowIn, [2]float64{math.Max(-x, math.Min(x, ball[0])), math.Copysign(y, ball[1])}
	case ball[0]*attack(v.team) > 0:
		v.command, v.ballW = game.Corner, [2]float64{math.Copysign(x, ball[0]), math.Copysign(y, ball[1])}
	case p.humanoid():
		v.command, v.ballW = game.GoalKick, [2]float64{-attack(v.team) * (f.Length/2 - f.GoalAreaDepth),
			math.Copysign(f.GoalAreaWidth/2, ball[1])}
	default:
		v.command, v.ballW = game.GoalKick, p.restartPoint(-attack(v.team), ball[1])
	}
}
