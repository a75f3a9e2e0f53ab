package audit

import "github.com/omnipitch/omnipitch/worlds/game"

// pushing finds where a robot had driven an opponent back too far, since they began to press against each other in this
// play.
func (p *play) pushing(until int64) (int64, *verdict) {
	step, v := int64(0), (*verdict)(nil)
	for n := p.start + 1; n <= until; n++ {
		for i, e := range p.states[n].pushes {
			if !e.began || p.team(e.a) == p.team(e.b) {
				continue
			}
			if at, got := p.driven(e.a, e.b, n, i, until); got != nil && (v == nil || at < step) {
				step, v = at, got
			}
		}
	}
	return step, v
}

// driven follows a push that began by an event of a step up to its end.
func (p *play) driven(a, b int, began int64, event int, until int64) (int64, *verdict) {
	from := p.states[began].robots
	for n := began; n <= until; n++ {
		for i, e := range p.states[n].pushes {
			if (n > began || i > event) && e.a == a && e.b == b {
				return 0, nil
			}
		}
		if p.isOff(a, n) || p.isOff(b, n) {
			continue
		}
		at := p.states[n].robots
		apart := far(at[a], at[b])
		if apart == 0 {
			continue
		}
		back := 0.0 // the way of the point between them, from A towards B
		for k := range 2 {
			back += (at[a][k] + at[b][k] - from[a][k] - from[b][k]) / 2 * (at[b][k] - at[a][k]) / apart
		}
		switch push := p.world.Rules.Push; {
		case p.beyond(back, push):
			return n, p.pushed(n, a, b, back)
		case p.beyond(-back, push):
			return n, p.pushed(n, b, a, -back)
		}
	}
	return 0, nil
}

func (p *play) pushed(n int64, by, robot int, back float64) *verdict {
	team, f, at := p.team(by), &p.model.Field, p.states[n].robots[robot]
	v := p.foul(n, by)
	v.ballW = p.freeKick(at)
	if p.within(at, -attack(team), f.PenaltyAreaDepth, f.PenaltyAreaWidth) {
		v.command, v.ballW = game.Penalty, [2]float64{-attack(team) * (f.Length/2 - f.PenaltyMark), 0}
	}
	v.rests("driven back", back, p.world.Rules.Push)
	return v
}
