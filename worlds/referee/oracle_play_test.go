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
	against physics.Team
	robots  []int
	goal    physics.Team
	command game.Command
	team    physics.Team
	ballW   [2]float64
	basis   []quantity
}

type quantity struct {
	name         string
	value, limit float64
}

func (v *verdict) rests(name string, value, limit float64) {
	v.basis = append(v.basis, quantity{name, value, limit})
}

type rule struct {
	name string
	find func(p *play, until int64) (int64, *verdict)
}

// rules are in the order of docs/match.md: if two decide in the same step, the first one counts. Each function returns
// the first step up to until in which its rule decides, and the decision, or nil.
var rules = []rule{
	{"goal_from_own_half", func(p *play, until int64) (int64, *verdict) { return p.goal("goal_from_own_half", until) }},
	{"goal_from_set_piece", func(p *play, until int64) (int64, *verdict) {
		return p.goal("goal_from_set_piece",
			until)
	}},
	{"goal", func(p *play, until int64) (int64, *verdict) { return p.goal("goal", until) }},
	{"ball_out", (*play).out},
	{"set_piece_touch", (*play).earlyTouch},
	{"double_touch", (*play).secondTouch},
	{"dribble_distance", func(p *play, until int64) (int64, *verdict) { return p.carried("dribble_distance", until) }},
	{"dribble_halfway", func(p *play, until int64) (int64, *verdict) { return p.carried("dribble_halfway", until) }},
	{"ball_covered", (*play).covering},
	{"goal_area", func(p *play, until int64) (int64, *verdict) { return p.crowded("goal_area", until) }},
	{"attackers", func(p *play, until int64) (int64, *verdict) { return p.crowded("attackers", until) }},
	{"defenders", func(p *play, until int64) (int64, *verdict) { return p.crowded("defenders", until) }},
	{"pushing", (*play).pushing},
	{"stuck_ball", (*play).stuck},
}

// decided returns the first decision that stops the play up to a step, or nil.
func (p *play) decided(until int64) (step int64, v *verdict) {
	for _, r := range rules {
		if !p.enabled(r.name) {
			continue
		}
		if at, got := r.find(p, until); got != nil && (v == nil || at < step) {
			step, v, got.rule = at, got, r.name
			until = at
		}
	}
	return step, v
}

// taken returns the step in which a set piece was over: because the ball had moved, or because both teams may play the
// ball after some time. lapsed reports the latter. The step is until+1 if it was not over before.
func (p *play) taken(until int64) (step int64, lapsed bool) {
	if p.piece == "" {
		return p.start, false
	}
	late := p.last() + 1
	if p.enabled("lapse") {
		late = p.since(p.start, p.world.Rules.Take)
	}
	for n := p.start + 1; n <= min(until, late, p.last()); n++ {
		if distance(p.states[n].floor(), p.placeW) >= p.world.Rules.InPlay+p.slack {
			return n, false
		}
	}
	if late <= until && late <= p.last() {
		return late, true
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

// goalRule returns the rule that decides about a goal, and its decision.
func (p *play) goalRule(n int64, team physics.Team) (string, *verdict) {
	shooter, shot := p.lastTouch(n)
	disallowed := func(robot int) *verdict {
		return &verdict{against: p.team(robot), robots: []int{robot}, command: game.GoalKick, team: opponents(team),
			ballW: p.goalKick(opponents(team), p.states[n].ball[1])}
	}
	if shooter != nobody && p.team(shooter) == team && p.enabled("goal_from_own_half") {
		if into := attack(team) * p.states[shot].ball[0]; into < -p.slack {
			v := disallowed(shooter)
			v.rests("inside the opponents' half", into, 0)
			return "goal_from_own_half", v
		}
	}
	if piece := p.pieceAt(n); piece != "" && !slices.Contains(p.world.Rules.Direct, string(piece)) {
		if all := p.touchers(n); len(all) == 1 && p.team(all[0]) == team && p.enabled("goal_from_set_piece") {
			v := disallowed(all[0])
			v.rests("robots that touched it", 1, 2)
			return "goal_from_set_piece", v
		}
	}
	v := &verdict{goal: team, command: game.Kickoff, team: opponents(team)}
	if shooter != nobody {
		v.robots = []int{shooter}
	}
	return "goal", v
}

// out finds the step in which all of the ball was over a line and not in a goal.
func (p *play) out(until int64) (int64, *verdict) {
	f, r := &p.model.Field, p.model.Ball.Radius
	for n := p.start + 1; n <= until; n++ {
		ball := p.states[n].ball
		side, end := math.Abs(ball[1])-r-f.Width/2, math.Abs(ball[0])-r-f.Length/2
		if !p.exceeds(max(side, end), 0) || p.scorer(ball) != "" {
			continue
		}
		v := &verdict{command: game.DropBall}
		if end > side {
			v.rests("behind the goal line", end, 0)
		} else {
			v.rests("behind the touch line", side, 0)
		}
		if last, _ := p.lastTouch(n); last != nobody {
			v.robots, v.against, v.team = []int{last}, p.team(last), opponents(p.team(last))
			p.bringIn(v, ball, end > side)
		}
		return n, v
	}
	return 0, nil
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
	default:
		v.command, v.ballW = game.GoalKick, p.goalKick(v.team, ball[1])
	}
}

// goalKick returns the restart point of a team's half on the ball's side.
func (m *match) goalKick(team physics.Team, ballY float64) [2]float64 {
	return m.restartPoint(-attack(team), ballY)
}
