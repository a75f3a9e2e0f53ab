package audit

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// order is a command of somebody else for a robot, carried out at the end of a step.
type order struct {
	step    int64
	command game.Command
	team    physics.Team
	number  int // 0: for all robots
}

// standing is whether a robot is off the field, and its cards, as commands have it.
type standing struct {
	out    game.Command // by which it is; empty: it is not
	until  time.Duration
	yellow bool
	fouls  int // since the last card by repeated_fouls
}

// roster follows who leaves the field, and who comes back, and judges the cards.
type roster struct {
	*Match
	report *Report
	robots []standing
}

const forGood time.Duration = math.MaxInt64

// judgeRoster judges all steps of a match.
func (m *Match) judgeRoster(report *Report) {
	r := &roster{m, report, make([]standing, len(m.model.Robots))}
	decisions, orders := m.decisions, m.orders
	for n := int64(0); n <= m.last(); n++ {
		first := len(decisions)
		for i := range decisions {
			if int64(decisions[i].Step) > n {
				first = i
				break
			}
		}
		if first > 0 {
			r.decided(n, decisions[:first])
			decisions = decisions[first:]
		}
		if n == m.last() {
			break // who stands where, the next state tells
		}
		r.back(n)
		for len(orders) > 0 && orders[0].step <= n {
			r.ordered(orders[0], n)
			orders = orders[1:]
		}
		r.compare(n)
	}
}

// command carries out a command for a robot at the end of a step.
func (r *roster) command(c game.Command, robot int, step int64) {
	s, now := &r.robots[robot], r.states[step].time
	switch {
	case s.out == game.RedCard:
	case c == game.RedCard:
		s.out, s.until = c, forGood
	case c == game.Repair && s.out == "":
		s.out, s.until = c, now+r.world.Rules.Repair
	case c == game.RepairEnd && s.out == game.Repair:
		s.until = now
	case c == game.YellowCard && !s.yellow:
		s.yellow = true
	case c == game.YellowCard || c == game.DoubleYellow:
		s.out, s.until, s.yellow = game.DoubleYellow, now+r.world.Rules.DoubleYellow, false
	}
}

func (r *roster) ordered(o order, step int64) {
	for i := range r.robots {
		switch of := &r.model.Robots[i]; {
		case o.command == game.Reset:
			s := &r.robots[i]
			s.yellow, s.until = false, min(s.until, r.states[step].time)
		case of.Team == o.team && of.Number == o.number:
			r.command(o.command, i, step)
			return
		}
	}
}

// back has a robot come back when it is time: one in a step, in the world's order.
func (r *roster) back(step int64) {
	may, is := halted(r.known(step)), nobody
	if r.othersMay(step) && may != halted(r.known(step-1)) { // by them, after it, or by the referee, before it
		for i := range r.robots {
			if r.isOff(i, step) && !r.isOff(i, step+1) {
				r.robots[i].out = ""
			}
		}
		return
	}
	var at [2]float64
	if may {
		for i := range r.robots {
			if s := &r.robots[i]; s.out == "" || r.states[step].time < s.until {
				continue
			}
			if place, ok := r.touchLine(i, step); ok {
				is, at = i, place
				break
			}
		}
	}
	for i := range r.robots {
		came := r.isOff(i, step) && !r.isOff(i, step+1)
		place := r.leftAt(i, step)
		switch {
		case i == is && came && !(near(place[0], at[0]) && near(place[1], at[1])):
			r.wrong(step, "%s comes back at (%.3f, %.3f) m, by the rules at (%.3f, %.3f) m", r.name(i), place[0],
				place[1], at[0], at[1])
		case i == is && !came && r.isOff(i, step):
			r.wrong(step, "%s does not come back, by the rules at (%.3f, %.3f) m", r.name(i), at[0], at[1])
			r.robots[i].until = forGood // it would be missed again and again
			continue
		case i != is && came:
			r.wrong(step, "%s comes back, which it may not", r.name(i))
		}
		if i == is || came {
			r.robots[i].out = ""
		}
	}
}

// halted tells whether robots may come back.
func halted(s game.State) bool { return s.Phase == game.Stopped || s.Phase == game.SetPiece }

// touchLine returns the first place where a robot has room to come back. Source: docs/match.md.
func (r *roster) touchLine(robot int, step int64) (atW [2]float64, ok bool) {
	const gap, offBall = 0.2, 1.0
	f, s, own := &r.model.Field, &r.states[step], r.model.Robots[robot].Body.Radius
	for x := 1.0; x <= f.Length/2-1; x += 0.5 {
		atW = [2]float64{-attack(r.team(robot)) * x, -f.Width / 2}
		free := far([2]float64{s.left[0], s.left[1]}, atW) >= offBall
		for i := range r.model.Robots {
			free = free && (i == robot || far(r.leftAt(i, step), atW) >= own+r.model.Robots[i].Body.Radius+gap)
		}
		for i, at := range s.obstacles {
			o := &r.model.Obstacles[i]
			free = free && far(at, atW) >= own+math.Hypot(o.SizeX, o.SizeY)/2+gap
		}
		if free {
			return atW, true
		}
	}
	return atW, false
}

// compare looks whether those are off the field after a step that were sent off.
func (r *roster) compare(step int64) {
	for i := range r.robots {
		s, off := &r.robots[i], r.isOff(i, step+1)
		switch {
		case off && s.out == "":
			r.wrong(step, "%s stands beside the field, and nothing has sent it off", r.name(i))
			s.out, s.until = game.Repair, forGood
		case !off && s.out != "":
			r.wrong(step, "%s stays on the field in spite of its %s", r.name(i), s.out)
			s.out = ""
		}
	}
}

// wrong reports what is wrong with who is on the field, unless the recording does not tell what others have commanded.
func (r *roster) wrong(step int64, format string, args ...any) {
	if !r.unknown {
		r.report.Findings = append(r.report.Findings, r.finding(step, "course", Differs, fmt.Sprintf(format, args...)))
	}
}
