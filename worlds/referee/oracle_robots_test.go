package referee_test

import (
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// The oracle's rules about single robots judge each robot in each step of a whole match, whatever the state of play.

// watch is what the oracle remembers of a robot on the field: for each rule, since when what the rule forbids lasts.
type watch struct {
	fallen, left, near, set, stuck lasting

	farthest float64       // largest distance from the ball since near began
	stood    [2]float64    // where it must stand
	wedged   [2]float64    // where it got stuck
	last     time.Duration // when it was last stuck
}

// lasting is the time at which a condition began, while it holds.
type lasting struct {
	on   bool
	from time.Duration
}

// while returns for how long a condition has lasted.
func (l *lasting) while(holds bool, now time.Duration) time.Duration {
	if holds && !l.on {
		l.from = now
	}
	if l.on = holds; !holds {
		return -1
	}
	return now - l.from
}

// robotRules are the oracle's rules about single robots, in the order of docs/match.md.
func (m *match) robotRules() []string {
	if m.humanoid() {
		return []string{"fallen", "inactive_goalkeeper", "left_field", "motion_in_set", "illegal_position"}
	}
	return []string{"fallen", "stuck_robot"}
}

// sentOff returns the oracle's decisions about single robots in a match. The other decisions are given: a robot that
// one of them has taken off the field is judged no more.
func (m *match) sentOff(decisions []referee.Decision) (all []verdict) {
	taken := m.pieces()
	watches := make([]watch, len(m.model.Robots))
	for n := int64(1); n <= m.last(); n++ {
		s := &m.states[n]
		over := s.game.Half == game.Half(game.EndGame) || s.game.Half == game.Half(game.GameOver)
		for robot := range watches {
			w := &watches[robot]
			removed := slices.ContainsFunc(decisions, func(d referee.Decision) bool {
				return d.Step == n && d.Removal.Offence != "" && !slices.Contains(m.robotRules(), d.Rule) &&
					d.Robots[0] == m.model.Robots[robot].Name
			})
			if over || removed || s.out[robot] {
				*w = watch{}
				continue
			}
			v := m.offence(w, n, robot, taken[n])
			if v == nil {
				continue
			}
			*w = watch{}
			v.step, v.robots, v.team = n, []int{robot}, m.team(robot)
			v.command = game.Repair
			if m.humanoid() {
				v.command = game.Penalise
			}
			all = append(all, *v)
		}
	}
	return all
}

// pieces returns, for each step, the play in which a set piece is still being taken, or one without a piece while the
// ball is in play. It is nil while play is stopped.
func (m *match) pieces() []*play {
	at := make([]*play, m.last()+1)
	var p *play
	var placeW [2]float64
	taken := int64(0)
	for n := range at {
		is, was := m.states[n].game, game.State{}
		if n > 0 {
			was = m.states[n-1].game
		}
		left := [2]float64{m.states[n].left[0], m.states[n].left[1]}
		if is.Phase == game.SetPiece && was.Phase != game.SetPiece {
			placeW = left
		}
		if is.Phase != game.Playing {
			p = nil
			continue
		}
		if p == nil {
			p = &play{match: m, start: int64(n), piece: is.SetPiece, whose: is.Team, placeW: placeW}
			taken, _ = p.taken(m.last())
		}
		if at[n] = p; int64(n) >= taken {
			at[n] = &play{match: m}
		}
	}
	return at
}

// offence returns the decision about a robot in a step, or nil.
func (m *match) offence(w *watch, n int64, robot int, p *play) *verdict {
	rules, s, f := &m.world.Rules, &m.states[n], &m.model.Field
	at, ball, team := s.robots[robot], s.floor(), m.team(robot)
	var v *verdict
	decide := func(rule string, why game.Offence, against physics.Team) *verdict {
		if v != nil || !m.enabled(rule) || !slices.Contains(m.robotRules(), rule) {
			return &verdict{} // of a rule that does not count
		}
		v = &verdict{rule: rule, against: against}
		if m.humanoid() {
			v.removal = game.Removal{Offence: why, For: rules.Removal}
		}
		return v
	}
	if d := w.fallen.while(m.exceeds(s.tilt[robot], rules.FallenBy), s.time); w.fallen.on && d >= rules.FallenFor {
		decide("fallen", game.Incapable, "").rests("tilt", s.tilt[robot]*180/math.Pi, rules.FallenBy*180/math.Pi).
			rests("time", d.Seconds(), rules.FallenFor.Seconds())
	}

	far := distance(at, ball)
	near := p != nil && p.piece == "" && m.model.Robots[robot].Number == 1 && !m.exceeds(far, rules.InactiveReach) &&
		m.within(at, -attack(team), f.GoalAreaDepth, f.GoalAreaWidth)
	if !w.near.on || m.exceeds(w.farthest-far, rules.InactiveBy) {
		w.near.on, w.farthest = false, far
	}
	w.farthest = max(w.farthest, far)
	if d := w.near.while(near, s.time); near && d >= rules.InactiveFor {
		decide("inactive_goalkeeper", game.Incapable, "").rests("nearer than before", w.farthest-far, rules.InactiveBy).
			rests("time", d.Seconds(), rules.InactiveFor.Seconds())
	}

	beyond := max(math.Abs(at[0])-f.Length/2, math.Abs(at[1])-f.Width/2) - f.Border
	if d := w.left.while(m.exceeds(beyond, 0), s.time); w.left.on && d >= rules.Left {
		decide("left_field", game.LeavingTheField, team).rests("beyond the carpet", beyond, 0).
			rests("time", d.Seconds(), rules.Left.Seconds())
	}

	const free = 2 * time.Second
	if d := w.set.while(s.game.Phase == game.InSet, s.time); d <= free {
		w.stood = at
	} else if moved := distance(at, w.stood); m.exceeds(moved, rules.SetMotion) {
		v := decide("motion_in_set", game.MotionInSet, team).rests("moved", moved, rules.SetMotion)
		v.removal.For = rules.RemovalSet
	}

	if p != nil && p.piece != "" && p.whose != "" && p.whose != team {
		if from, least, stays := p.stays(robot, n); !stays {
			decide("illegal_position", game.IllegalPosition, team).rests("from the ball's place", from, least)
		}
	}

	if m.exceeds(distance(at, w.wedged), rules.StuckRobotBy) || s.time-w.last > time.Second {
		w.stuck.on = false
	}
	if s.stuck[robot] {
		if !w.stuck.on {
			w.stuck, w.wedged = lasting{true, s.time}, at
		}
		w.last = s.time
	}
	if d := s.time - w.stuck.from; w.stuck.on && d >= rules.StuckRobotFor {
		decide("stuck_robot", "", "").rests("time", d.Seconds(), rules.StuckRobotFor.Seconds()).
			rests("way of the robot in that time", distance(at, w.wedged), rules.StuckRobotBy)
	}
	return v
}

// stays reports whether an opponent of the team that takes a set piece keeps its place: away from the ball, or in its
// own penalty area; at a kick-off out of the circle and in its own half; at a penalty out of the penalty areas, but for
// the goalkeeper. It also returns its distance from the ball's place, and the smallest one.
func (p *play) stays(robot int, n int64) (from, least float64, stays bool) {
	at, f, team := p.states[n].robots[robot], &p.model.Field, p.team(robot)
	from, least = distance(at, p.placeW), p.world.Rules.Others
	in := func(side float64) bool { return p.within(at, side, f.PenaltyAreaDepth, f.PenaltyAreaWidth) }
	away := func() bool { return !p.exceeds(least, from) }
	switch p.piece {
	case game.Kickoff:
		least = max(least, f.CentreCircle)
		return from, least, away() && !p.exceeds(attack(team)*at[0], 0)
	case game.Penalty:
		return from, least, p.model.Robots[robot].Number == 1 || away() && !in(1) && !in(-1)
	}
	return from, least, away() || in(-attack(team))
}
