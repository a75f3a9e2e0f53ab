package referee_test

import (
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// foul is a free kick against a robot.
func (p *play) foul(step int64, robot int, more ...int) *verdict {
	return &verdict{against: p.team(robot), robots: append([]int{robot}, more...), command: game.FreeKick,
		team: opponents(p.team(robot)), ballW: p.freeKick(p.states[step].floor())}
}

// earlyTouch finds a touch by the opponents before a set piece was taken.
func (p *play) earlyTouch(_ string, until int64) *verdict {
	taken, _ := p.taken(until)
	return p.first(min(until, taken), func(n int64, s *state) *verdict {
		by := s.toucher
		if p.piece == "" || p.whose == "" || by == nobody || p.team(by) == p.whose {
			return nil
		}
		v := &verdict{against: p.team(by), robots: []int{by}, command: p.piece, team: p.whose, ballW: p.placeW}
		p.removed(v, game.IllegalPosition)
		return v.rests("ball moved", distance(s.floor(), p.placeW), p.world.Rules.InPlay)
	})
}

// secondTouch finds the step in which the taker of a set piece touched the ball again before another robot did, after
// the ball had left it.
func (p *play) secondTouch(_ string, until int64) *verdict {
	taker, away, over := nobody, false, p.piece == "" || p.piece == game.DropBall
	return p.first(until, func(n int64, s *state) *verdict {
		switch {
		case over:
		case s.toucher == nobody:
			away = away || taker != nobody && p.exceeds(distance(s.floor(), s.robots[taker]), p.world.Rules.DoubleTouch)
		case taker == nobody:
			taker = s.toucher
		case s.toucher != taker || away && p.pieceAt(n) == "":
			over = true
		case away:
			return p.foul(n, taker).rests("robots that touched it", 1, 2)
		}
		return nil
	})
}

// carried finds the step in which a robot had carried the ball too far from where it took it, or over the halfway line.
// A lost ball counts as released if its robot does not take it again in time, or if another robot touches it.
func (p *play) carried(rule string, until int64) *verdict {
	r, rules := p.model.Ball.Radius, &p.world.Rules
	robot, last, others, from := nobody, int64(0), false, [2]float64{}
	return p.first(until, func(n int64, s *state) *verdict {
		if s.holder < 0 {
			others = others || s.toucher != nobody && s.toucher != robot
			return nil
		}
		is := s.floor()
		if s.holder != robot || others || p.elapsed(last, n) > rules.Release {
			robot, from = s.holder, is
		}
		last, others = n, false
		way, across := distance(is, from), -is[0]*math.Copysign(1, from[0])
		switch {
		case rule == "dribble_distance" && p.exceeds(way, rules.Dribble):
			return p.foul(n, robot).rests("from where it took the ball", way, rules.Dribble)
		case rule == "dribble_halfway" && !rules.Across && math.Abs(from[0]) > r && p.exceeds(across, r):
			return p.foul(n, robot).rests("centre of the ball behind the line", across, r)
		}
		return nil
	})
}

// covering finds the step in which a robot had covered too much of the ball for too long: a robot that held the ball
// with its dribbler or, of humanoids, the one that covered most of it.
func (p *play) covering(_ string, until int64) *verdict {
	rules, began := &p.world.Rules, int64(-1)
	by := func(s *state) int {
		if !p.humanoid() {
			return s.holder
		}
		robot, most := nobody, 0.0
		for i, share := range s.cover {
			if share > most && !s.off[i] {
				robot, most = i, share
			}
		}
		return robot
	}
	return p.first(until, func(n int64, s *state) *verdict {
		robot := by(s)
		switch {
		case robot < 0 || !p.exceeds(s.cover[robot], rules.CoverShare):
			began = -1
			return nil
		case began < 0 || by(&p.states[n-1]) != robot:
			began = n
		}
		covered, allowed := p.elapsed(began, n), rules.CoverFor
		if f := &p.model.Field; p.humanoid() && p.model.Robots[robot].Number == 1 &&
			p.within(s.robots[robot], -attack(p.team(robot)), f.PenaltyAreaDepth, f.PenaltyAreaWidth) {
			allowed = rules.KeeperFor
		}
		if covered < allowed {
			return nil
		}
		v := p.foul(n, robot).rests("share of the ball's diameter", s.cover[robot], rules.CoverShare).
			rests("time", covered.Seconds(), allowed.Seconds())
		p.removed(v, game.BallHolding)
		return v
	})
}

// removed adds to a verdict that its robot is penalised, if the rules are those of humanoids. check adds the time.
func (p *play) removed(v *verdict, why game.Offence) {
	if p.humanoid() {
		v.removal = game.Removal{Offence: why, For: p.world.Rules.Removal}
	}
}

// crowded finds the step in which a team had had too many robots in an area for too long.
func (p *play) crowded(rule string, until int64) *verdict {
	cyan, magenta := p.crowdedBy(rule, physics.Cyan, until), p.crowdedBy(rule, physics.Magenta, until)
	if cyan == nil || magenta != nil && magenta.step < cyan.step { // if both are at fault in a step, cyan counts
		return magenta
	}
	return cyan
}

func (p *play) crowdedBy(rule string, team physics.Team, until int64) *verdict {
	f, side := &p.model.Field, attack(team)
	depth, width, most, keeper := f.PenaltyAreaDepth, f.PenaltyAreaWidth, p.world.Rules.Attackers, false
	switch rule {
	case "goal_area":
		depth, width, most, keeper = f.GoalAreaDepth, f.GoalAreaWidth, 0, true
	case "defenders":
		side, most = -side, p.world.Rules.Defenders
	}
	began := int64(-1) // step in which the crowd came together
	return p.first(until, func(n int64, s *state) *verdict {
		var in []int
		for i, at := range s.robots {
			if p.team(i) == team && !s.off[i] && (keeper || p.model.Robots[i].Number != 1) &&
				p.within(at, side, depth, width) {
				in = append(in, i)
			}
		}
		switch {
		case len(in) <= most:
			began = -1
			return nil
		case began < 0:
			began = n
		}
		stayed := p.elapsed(began, n)
		if stayed < p.world.Rules.AreaFor {
			return nil
		}
		return p.foul(n, in[0], in[1:]...).rests("robots that count", float64(len(in)), float64(most)).
			rests("time there", stayed.Seconds(), p.world.Rules.AreaFor.Seconds())
	})
}

// stuck finds the step in which the ball had made no progress for too long. It makes progress whenever it is farther
// than a threshold from its place at the last progress.
func (p *play) stuck(_ string, until int64) *verdict {
	taken, _ := p.taken(until)
	rest, since := p.placeW, p.states[p.start].time
	return p.first(until, func(n int64, s *state) *verdict {
		if p.exceeds(distance(s.floor(), rest), p.world.Rules.StuckBy) {
			rest, since = s.floor(), s.time
		}
		if n == taken {
			since = s.time
		}
		still := s.time - since
		if n <= taken || still < p.world.Rules.StuckFor {
			return nil
		}
		v := &verdict{command: game.DropBall}
		if !p.humanoid() {
			v.ballW = p.freeKick(s.floor())
		}
		return v.rests("without progress", still.Seconds(), p.world.Rules.StuckFor.Seconds()).
			rests("way of the ball in that time", distance(s.floor(), rest), p.world.Rules.StuckBy)
	})
}

// pushing finds the step in which a robot had driven an opponent back too far since the two began to press against each
// other in this play.
func (p *play) pushing(_ string, until int64) *verdict {
	type pair struct{ a, b int }
	began := map[pair][][2]float64{} // places of the robots when the two began
	return p.first(until, func(n int64, s *state) *verdict {
		for _, e := range s.pushes {
			if delete(began, pair{e.a, e.b}); e.began && p.team(e.a) != p.team(e.b) {
				began[pair{e.a, e.b}] = s.robots
			}
		}
		for a := range s.robots {
			for b := range s.robots {
				if from := began[pair{a, b}]; from != nil && !s.off[a] && !s.off[b] {
					if v := p.driven(n, a, b, from); v != nil {
						return v
					}
				}
			}
		}
		return nil
	})
}

// charging finds the step in which a humanoid had driven an opponent back too far since the two first touched in this
// play, or since they touched each other again after a third of a second.
func (p *play) charging(_ string, until int64) *verdict {
	const apart = 300 * time.Millisecond
	type contact struct {
		from [][2]float64
		last time.Duration
	}
	since := map[[2]int]contact{}
	return p.first(until, func(n int64, s *state) *verdict {
		for _, pair := range s.touches {
			c := since[pair]
			if c.from == nil || s.time-c.last > apart {
				c.from = s.robots
			}
			c.last = s.time
			since[pair] = c
		}
		for a := range s.robots {
			for b := range s.robots {
				c := since[[2]int{a, b}]
				if c.from == nil || s.time-c.last > apart || s.off[a] || s.off[b] {
					continue
				}
				if v := p.driven(n, a, b, c.from); v != nil {
					p.removed(v, game.Pushing)
					return v
				}
			}
		}
		return nil
	})
}

// driven judges a push of two robots, whose places were others when it began.
func (p *play) driven(n int64, a, b int, from [][2]float64) *verdict {
	at := p.states[n].robots
	apart := distance(at[a], at[b])
	if apart == 0 {
		return nil
	}
	back := 0.0 // displacement of the point between them, from A towards B
	for k := range 2 {
		back += (at[a][k] + at[b][k] - from[a][k] - from[b][k]) / 2 * (at[b][k] - at[a][k]) / apart
	}
	switch push := p.world.Rules.Push; {
	case p.exceeds(back, push):
		return p.pushed(n, a, b, back)
	case p.exceeds(-back, push):
		return p.pushed(n, b, a, -back)
	}
	return nil
}

func (p *play) pushed(n int64, by, robot int, back float64) *verdict {
	team, f, at := p.team(by), &p.model.Field, p.states[n].robots[robot]
	v := p.foul(n, by)
	v.ballW = p.freeKick(at)
	if p.within(at, -attack(team), f.PenaltyAreaDepth, f.PenaltyAreaWidth) {
		v.command, v.ballW = game.Penalty, [2]float64{-attack(team) * (f.Length/2 - f.PenaltyMark), 0}
	}
	return v.rests("driven back", back, p.world.Rules.Push)
}
