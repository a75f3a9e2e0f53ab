package referee_test

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// foul is a free kick against a robot.
func (p *play) foul(step int64, robot int, more ...int) *verdict {
	return &verdict{against: p.team(robot), robots: append([]int{robot}, more...), command: game.FreeKick,
		team: opponents(p.team(robot)), ballW: p.freeKick(p.states[step].floor())}
}

// earlyTouch finds a touch by the opponents before a set piece was taken.
func (p *play) earlyTouch(until int64) (int64, *verdict) {
	if p.piece == "" || p.whose == "" {
		return 0, nil
	}
	taken, _ := p.taken(until)
	for n := p.start + 1; n <= min(until, taken); n++ {
		if by := p.states[n].toucher; by != nobody && p.team(by) != p.whose {
			v := &verdict{against: p.team(by), robots: []int{by}, command: p.piece, team: p.whose, ballW: p.placeW}
			v.rests("ball moved", distance(p.states[n].floor(), p.placeW), p.world.Rules.InPlay)
			return n, v
		}
	}
	return 0, nil
}

// secondTouch finds the step in which the taker of a set piece touched the ball again before another robot did, after
// the ball had left it.
func (p *play) secondTouch(until int64) (int64, *verdict) {
	if p.piece == "" || p.piece == game.DropBall {
		return 0, nil
	}
	taker, away := nobody, false
	for n := p.start + 1; n <= until; n++ {
		s := &p.states[n]
		switch {
		case s.toucher == nobody:
			away = away || taker != nobody && p.exceeds(distance(s.floor(), s.robots[taker]), p.world.Rules.DoubleTouch)
		case taker == nobody:
			taker = s.toucher
		case s.toucher != taker:
			return 0, nil
		case away:
			if p.pieceAt(n) == "" {
				return 0, nil
			}
			v := p.foul(n, taker)
			v.rests("robots that touched it", 1, 2)
			return n, v
		}
	}
	return 0, nil
}

// hold is a part of a play in which a robot holds the ball, or loses it briefly.
type hold struct {
	robot       int
	first, last int64 // steps in which it holds the ball
}

// holds returns the holds of a play. A lost ball counts as released if its robot does not take it again in time, or if
// another robot touches it.
func (p *play) holds(until int64) (all []hold) {
	for n := p.start + 1; n <= until; n++ {
		by := p.states[n].holder
		if by < 0 {
			continue
		}
		if len(all) > 0 {
			h := &all[len(all)-1]
			if h.robot == by && p.elapsed(h.last, n) <= p.world.Rules.Release && !p.othersTouch(by, h.last, n) {
				h.last = n
				continue
			}
		}
		all = append(all, hold{by, n, n})
	}
	return all
}

func (p *play) othersTouch(robot int, after, before int64) bool {
	for n := after + 1; n < before; n++ {
		if by := p.states[n].toucher; by != nobody && by != robot {
			return true
		}
	}
	return false
}

// carried finds the step in which a robot had carried the ball too far from where it took it, or over the halfway line.
func (p *play) carried(rule string, until int64) (int64, *verdict) {
	if rule == "dribble_halfway" && p.world.Rules.Across {
		return 0, nil
	}
	r := p.model.Ball.Radius
	for _, h := range p.holds(until) {
		from := p.states[h.first].floor()
		for n := h.first; n <= h.last; n++ {
			if p.states[n].holder != h.robot { // the robot has lost the ball briefly
				continue
			}
			is := p.states[n].floor()
			if rule == "dribble_distance" {
				if way := distance(is, from); p.exceeds(way, p.world.Rules.Dribble) {
					v := p.foul(n, h.robot)
					v.rests("from where it took the ball", way, p.world.Rules.Dribble)
					return n, v
				}
				continue
			}
			across := is[0]
			if from[0] > 0 {
				across = -is[0]
			}
			if (from[0] > r || from[0] < -r) && p.exceeds(across, r) {
				v := p.foul(n, h.robot)
				v.rests("centre of the ball behind the line", across, r)
				return n, v
			}
		}
	}
	return 0, nil
}

// covering finds the step in which a robot that held the ball had covered too much of it for too long.
func (p *play) covering(until int64) (int64, *verdict) {
	rules, began := &p.world.Rules, int64(-1)
	for n := p.start + 1; n <= until; n++ {
		s := &p.states[n]
		switch {
		case s.holder < 0 || !p.exceeds(s.cover, rules.CoverShare):
			began = -1
			continue
		case began < 0 || p.states[n-1].holder != s.holder:
			began = n
		}
		if covered := p.elapsed(began, n); covered >= rules.CoverFor {
			v := p.foul(n, s.holder)
			v.rests("share of the ball's diameter", s.cover, rules.CoverShare)
			v.rests("time", covered.Seconds(), rules.CoverFor.Seconds())
			return n, v
		}
	}
	return 0, nil
}

// crowded finds the step in which a team had had too many robots in an area for too long.
func (p *play) crowded(rule string, until int64) (int64, *verdict) {
	step, v := int64(0), (*verdict)(nil)
	// If both teams are at fault in a step, cyan counts.
	for _, team := range [...]physics.Team{physics.Cyan, physics.Magenta} {
		if n, got := p.crowdedBy(rule, team, until); got != nil && (v == nil || n < step) {
			step, v = n, got
		}
	}
	return step, v
}

func (p *play) crowdedBy(rule string, team physics.Team, until int64) (int64, *verdict) {
	f, side := &p.model.Field, attack(team)
	depth, width, most, keeper := f.PenaltyAreaDepth, f.PenaltyAreaWidth, p.world.Rules.Attackers, false
	switch rule {
	case "goal_area":
		depth, width, most, keeper = f.GoalAreaDepth, f.GoalAreaWidth, 0, true
	case "defenders":
		side, most = -side, p.world.Rules.Defenders
	}
	began := int64(-1) // step in which the crowd came together
	for n := p.start + 1; n <= until; n++ {
		var in []int
		for i, at := range p.states[n].robots {
			if p.team(i) == team && !p.states[n].off[i] && (keeper || p.model.Robots[i].Number != 1) &&
				p.within(at, side, depth, width) {
				in = append(in, i)
			}
		}
		switch {
		case len(in) <= most:
			began = -1
			continue
		case began < 0:
			began = n
		}
		if stayed := p.elapsed(began, n); stayed >= p.world.Rules.AreaFor {
			v := p.foul(n, in[0], in[1:]...)
			v.rests("robots that count", float64(len(in)), float64(most))
			v.rests("time there", stayed.Seconds(), p.world.Rules.AreaFor.Seconds())
			return n, v
		}
	}
	return 0, nil
}

// stuck finds the step in which the ball had made no progress for too long. It makes progress whenever it is farther
// than a threshold from its place at the last progress.
func (p *play) stuck(until int64) (int64, *verdict) {
	taken, _ := p.taken(until)
	rest, since := p.placeW, p.states[p.start].time
	for n := p.start + 1; n <= until; n++ {
		s := &p.states[n]
		if p.exceeds(distance(s.floor(), rest), p.world.Rules.StuckBy) {
			rest, since = s.floor(), s.time
		}
		if n == taken {
			since = s.time
		}
		if still := s.time - since; n > taken && still >= p.world.Rules.StuckFor {
			v := &verdict{command: game.DropBall, ballW: p.freeKick(s.floor())}
			v.rests("without progress", still.Seconds(), p.world.Rules.StuckFor.Seconds())
			v.rests("way of the ball in that time", distance(s.floor(), rest), p.world.Rules.StuckBy)
			return n, v
		}
	}
	return 0, nil
}

// pushing finds the step in which a robot had driven an opponent back too far since the two began to press against each
// other in this play.
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

// driven follows a push, which began with an event of a step, up to its end.
func (p *play) driven(a, b int, began int64, event int, until int64) (int64, *verdict) {
	from := p.states[began].robots
	for n := began; n <= until; n++ {
		for i, e := range p.states[n].pushes {
			if (n > began || i > event) && e.a == a && e.b == b {
				return 0, nil
			}
		}
		if p.states[n].off[a] || p.states[n].off[b] {
			continue
		}
		at := p.states[n].robots
		apart := distance(at[a], at[b])
		if apart == 0 {
			continue
		}
		back := 0.0 // displacement of the point between them, from A towards B
		for k := range 2 {
			back += (at[a][k] + at[b][k] - from[a][k] - from[b][k]) / 2 * (at[b][k] - at[a][k]) / apart
		}
		switch push := p.world.Rules.Push; {
		case p.exceeds(back, push):
			return n, p.pushed(n, a, b, back)
		case p.exceeds(-back, push):
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
