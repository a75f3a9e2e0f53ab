package audit

import (
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// play is what goes on from a start to the next stop.
type play struct {
	*Match
	start  int64        // the step of the start: states after it are judged
	piece  game.Command // by which it began; empty: by none
	whose  physics.Team // whose that was; empty: of both
	placeW [2]float64   // where the ball was for it
	muted  bool         // a decision was missed in it: what follows is no fault of its own
}

// finding a rule's decision: the first step up to another one, 0 for none, and what it decides.
type rule struct {
	name string
	find func(p *play, until int64) (int64, *verdict)
}

// rules are in the order of docs/match.md: of two that decide in the same step the first does.
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

// decided returns the first decision by which the play had to be stopped after a step and up to another; none if there
// is none.
func (p *play) decided(after, until int64) (step int64, v *verdict) {
	for _, r := range rules {
		if !p.on(r.name) {
			continue
		}
		if at, got := r.find(p, until); got != nil && at > after && (v == nil || at < step) {
			step, v, got.rule = at, got, r.name
			until = at
		}
	}
	return step, v
}

// taken returns the step in which the ball was in play by having been moved, or else that in which all might play it;
// and whether it is the latter. The step is one after until where neither has come.
func (p *play) taken(until int64) (step int64, lapsed bool) {
	if p.piece == "" {
		return p.start, false
	}
	late := p.last() + 1
	if p.on("lapse") {
		late = p.since(p.start, p.world.Rules.Take)
	}
	for n := p.start + 1; n <= min(until, late, p.last()); n++ {
		if p.reaches(far(p.states[n].floor(), p.placeW), p.world.Rules.InPlay) {
			return n, false
		}
	}
	if late <= until && late <= p.last() {
		return late, true
	}
	return until + 1, false
}

// lastTouch looks back from a step for the last touch of the ball in this play.
func (p *play) lastTouch(from int64) (robot int, step int64) {
	for n := from; n > p.start; n-- {
		if r := p.states[n].toucher; r != nobody {
			return r, n
		}
	}
	return nobody, 0
}

// touchers returns who has touched the ball up to a step, without repetition, in their order.
func (p *play) touchers(until int64) (all []int) {
	for n := p.start + 1; n <= until; n++ {
		if r := p.states[n].toucher; r != nobody && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// pieceAt returns the set piece that still matters in a step: none when all might play the ball before.
func (p *play) pieceAt(step int64) game.Command {
	if at, lapsed := p.taken(step); lapsed && at < step {
		return ""
	}
	return p.piece
}
