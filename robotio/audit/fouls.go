package audit

import (
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// foul is a free kick against a robot.
func (p *play) foul(step int64, robot int, more ...int) *verdict {
	return &verdict{against: p.team(robot), robots: append([]int{robot}, more...), command: game.FreeKick,
		team: against(p.team(robot)), ballW: p.freeKick(p.states[step].floor())}
}

// earlyTouch finds a touch by the others before a set piece was taken.
func (p *play) earlyTouch(until int64) (int64, *verdict) {
	if p.piece == "" || p.whose == "" {
		return 0, nil
	}
	taken, _ := p.taken(until)
	for n := p.start + 1; n <= min(until, taken); n++ {
		if by := p.states[n].toucher; by != nobody && p.team(by) != p.whose {
			v := &verdict{against: p.team(by), robots: []int{by}, command: p.piece, team: p.whose, ballW: p.placeW}
			v.rests("ball moved", far(p.states[n].floor(), p.placeW), p.world.Rules.InPlay)
			return n, v
		}
	}
	return 0, nil
}

// secondTouch finds where the taker of a set piece touched the ball again, that had been away from it, before another
// robot did.
func (p *play) secondTouch(until int64) (int64, *verdict) {
	if p.piece == "" || p.piece == game.DropBall {
		return 0, nil
	}
	taker, away := nobody, false
	for n := p.start + 1; n <= until; n++ {
		s := &p.states[n]
		switch {
		case s.toucher == nobody:
			away = away || taker != nobody && p.beyond(far(s.floor(), s.robots[taker]), p.world.Rules.DoubleTouch)
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

// hold is a part of a play in which a robot has the ball, or loses it for moments.
type hold struct {
	robot       int
	first, last int64 // steps in which it holds the ball
}

// holds returns those of a play. A ball that is lost has been released when its robot does not take it again in time,
// or another robot touches it.
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

// carried finds where a robot that had the ball was too far from where it took it, or across the halfway line.
func (p *play) carried(rule string, until int64) (int64, *verdict) {
	if rule == "dribble_halfway" && p.world.Rules.Across {
		return 0, nil
	}
	r := p.model.Ball.Radius
	for _, h := range p.holds(until) {
		from := p.states[h.first].floor()
		for n := h.first; n <= h.last; n++ {
			if p.states[n].holder != h.robot { // it has lost the ball for a moment
				continue
			}
			is := p.states[n].floor()
			if rule == "dribble_distance" {
				if way := far(is, from); p.beyond(way, p.world.Rules.Dribble) {
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
			if (from[0] > r || from[0] < -r) && p.beyond(across, r) {
				v := p.foul(n, h.robot)
				v.rests("centre of the ball behind the line", across, r)
				return n, v
			}
		}
	}
	return 0, nil
}

// covering finds where a robot that held the ball had covered too much of it for too long.
func (p *play) covering(until int64) (int64, *verdict) {
	rules, began := &p.world.Rules, int64(none)
	for n := p.start + 1; n <= until; n++ {
		s := &p.states[n]
		switch {
		case s.holder < 0 || !p.beyond(s.cover, rules.CoverShare):
			began = none
			continue
		case began == none || p.states[n-1].holder != s.holder:
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

// crowded finds where a team had too many robots in an area for too long.
func (p *play) crowded(rule string, until int64) (int64, *verdict) {
	step, v := int64(0), (*verdict)(nil)
	for _, team := range [...]physics.Team{physics.Cyan, physics.Magenta} { // of both in a step, cyan is at fault
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
	began := int64(-1) // of what goes on
	for n := p.start + 1; n <= until; n++ {
		var in []int
		for i, at := range p.states[n].robots {
			if p.team(i) == team && !p.isOff(i, n) && (keeper || p.model.Robots[i].Number != 1) &&
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

// stuck finds where the ball has not got on for too long. It gets on whenever it is farther than a threshold from where
// it last did.
func (p *play) stuck(until int64) (int64, *verdict) {
	taken, _ := p.taken(until)
	rest, since := p.placeW, p.states[p.start].time
	for n := p.start + 1; n <= until; n++ {
		s := &p.states[n]
		if p.beyond(far(s.floor(), rest), p.world.Rules.StuckBy) {
			rest, since = s.floor(), s.time
		}
		if n == taken {
			since = s.time
		}
		if still := s.time - since; n > taken && still >= p.world.Rules.StuckFor {
			v := &verdict{command: game.DropBall, ballW: p.freeKick(s.floor())}
			v.rests("without progress", still.Seconds(), p.world.Rules.StuckFor.Seconds())
			v.rests("way of the ball in that time", far(s.floor(), rest), p.world.Rules.StuckBy)
			return n, v
		}
	}
	return 0, nil
}
