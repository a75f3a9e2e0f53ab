package audit

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// course follows a match from what happens to what happens next. After a finding it goes on from what has really
// happened.
type course struct {
	*Match
	report *Report
	at     int64 // up to which all is judged
	stage  stage
	since  int64     // the step in which the stage began
	next   *setPiece // by which play goes on; nil: not known, after what nobody could expect
	play   play
	half   int64  // the step in which the half began; -1: it does not run
	lefts  []span // in which somebody else commands the game
}

// stage is what comes next.
type stage int

const (
	stopped stage = iota // a set piece
	placing              // the start
	playing              // a decision
	pausing              // the second half
	left                 // nothing that the referee does, until the game is played: somebody else commands it
	over                 // nothing
)

// span is some steps, both ends included.
type span struct{ from, to int64 }

type setPiece struct {
	piece  game.Command
	team   physics.Team
	placeW [2]float64
}

// event is what has to happen in a step.
type event struct {
	step    int64
	verdict *verdict // nil: no decision
	known   game.State
	ball    *[2]float64 // where it is left; nil: anywhere
	next    *setPiece   // by which play goes on
}

// judge judges a whole match.
func (m *Match) judge(report *Report) {
	if len(m.states) == 0 {
		return
	}
	of := *m // the decisions of its course
	of.decisions = slices.DeleteFunc(slices.Clone(m.decisions),
		func(d msg.Decision) bool { return slices.Contains(robotRules, d.Rule) })
	c := &course{Match: &of, report: report, half: -1}
	c.begin()
	for c.at < m.last() {
		c.step()
	}
	for i := range m.decisions {
		if step := int64(m.decisions[i].Step); step == 0 || step > m.last() {
			f := m.finding(min(step, m.last()), m.decisions[i].Rule, Unjustified,
				fmt.Sprintf("it is of step %d: states of steps 1 to %d are judged", step, m.last()))
			report.Findings = append(report.Findings, f)
		}
	}
	m.ofNobody(report)
	c.repairs(m)
	m.judgeRoster(report)
}

// begin judges time 0.
func (c *course) begin() {
	want := game.State{Phase: game.Stopped, Half: game.Half(game.FirstHalf)}
	if c.world.Rules.KickOff == "none" {
		want.Phase = game.Playing
		c.stage, c.half, c.play = playing, 0, play{Match: c.Match, placeW: c.states[0].floor()}
	} else {
		c.next = &setPiece{piece: game.Kickoff, team: c.kicksOff()}
	}
	if got := c.known(0); got != want {
		c.game(0, got, want)
		c.follow(0, game.State{}, got)
	}
}

// kicksOff returns who kicks off the first half.
func (c *course) kicksOff() physics.Team {
	if c.world.Rules.KickOff == string(physics.Magenta) {
		return physics.Magenta
	}
	return physics.Cyan
}

// step judges what happens next, or was to happen.
func (c *course) step() {
	x := c.last() + 1
	for i := range c.games {
		if s := c.games[i].step; s > c.at && c.games[i].State != c.known(s-1) {
			x = s
			break
		}
	}
	for i := range c.decisions {
		if s := int64(c.decisions[i].Step); s > c.at {
			x = min(x, s)
		}
	}
	until := min(x, c.last())
	var first outcome
	for i, slack := range [...]float64{0, rounding, -rounding} {
		c.slack = slack
		o := c.outcome(until, x)
		c.slack = 0
		if i == 0 {
			first = o
		}
		if len(o.findings) == 0 {
			first = o
			break
		}
	}
	c.report.add(&first)
	c.adopt(&first)
}

// outcome is what has been found up to a step.
type outcome struct {
	step     int64
	event    *event // that was to happen then; nil: none
	missed   bool   // it has not
	findings []Finding
	agreed   []string // rules
	others   bool     // somebody else has commanded the game
}

// outcome compares what was to happen up to a step with what has happened in step x.
func (c *course) outcome(until, x int64) (o outcome) {
	o.step, o.event = until, c.expect(until)
	if o.event != nil && o.event.step < x {
		o.step, o.missed = o.event.step, true
	}
	var decided []msg.Decision
	for i := range c.decisions {
		if int64(c.decisions[i].Step) == o.step && o.step > c.at {
			decided = append(decided, c.decisions[i])
		}
	}
	was, is := c.known(o.step-1), c.known(o.step)
	want := was
	if o.event != nil {
		want = o.event.known
	}
	c.decision(&o, decided)
	switch {
	case is == want:
	case o.event == nil && len(decided) == 0 && c.othersMay(o.step) || c.stage == left:
		o.others = true
	case slices.ContainsFunc(o.findings, func(f Finding) bool { return f.Kind != Differs }): // which the course follows
	default:
		o.findings = append(o.findings, c.finding(o.step, "course", Differs,
			fmt.Sprintf("the referee box knows %s, by the rules %s", show(is), show(want))))
	}
	if e := o.event; e != nil && e.ball != nil && is == want {
		if got := c.states[o.step].left; !near(got[0], e.ball[0]) || !near(got[1], e.ball[1]) {
			o.findings = append(o.findings, c.finding(o.step, "course", Differs,
				fmt.Sprintf("the ball is at (%.3f, %.3f) m at the %s, by the rules at (%.3f, %.3f) m", got[0], got[1],
					want.SetPiece, e.ball[0], e.ball[1])))
		}
	}
	return o
}

// decision compares the decisions of a step with the one that was to be made.
func (c *course) decision(o *outcome, decided []msg.Decision) {
	var v *verdict
	if o.event != nil {
		v = o.event.verdict
	}
	if v != nil && len(decided) == 0 {
		o.findings = append(o.findings, c.finding(o.step, v.rule, Missed, "by the states "+c.text(v)))
		return
	}
	if v != nil {
		i := max(0, slices.IndexFunc(decided, func(d msg.Decision) bool { return d.Rule == v.rule }))
		if differ := c.compare(v, o.step, &decided[i]); len(differ) > 0 {
			for _, text := range differ {
				o.findings = append(o.findings, c.finding(o.step, decided[i].Rule, Differs, text))
			}
		} else {
			o.agreed = append(o.agreed, v.rule)
		}
		decided = slices.Delete(slices.Clone(decided), i, i+1)
	}
	for i := range decided {
		o.findings = append(o.findings, c.finding(o.step, decided[i].Rule, Unjustified, c.situation(o.step)))
	}
}

// othersMay tells whether somebody else may have commanded the game in a step.
func (m *Match) othersMay(step int64) bool { return m.others == nil || m.others[step] }

// game notes that the referee box knows something else than the rules lead to.
func (c *course) game(step int64, got, want game.State) {
	c.report.add(&outcome{findings: []Finding{c.finding(step, "course", Differs,
		fmt.Sprintf("the referee box knows %s, by the rules %s", show(got), show(want)))}})
}

func show(s game.State) string {
	text := fmt.Sprintf("%s, %s, %d:%d", s.Half, s.Phase, s.Score.Cyan, s.Score.Magenta)
	if s.SetPiece != "" {
		text += ", " + string(s.SetPiece)
	}
	if s.Team != "" {
		text += " of " + string(s.Team)
	}
	return text
}

// situation says what there is to see in a step in which nothing was to be decided.
func (c *course) situation(step int64) string {
	s := &c.states[step]
	text := fmt.Sprintf("nothing is to be decided: the ball is at (%.3f, %.3f, %.3f) m", s.ball[0], s.ball[1],
		s.ball[2])
	if c.stage != playing {
		return text + ", and not in play"
	}
	if s.holder >= 0 {
		for _, h := range c.play.holds(step) {
			if h.last == step {
				text += fmt.Sprintf(", %.3f m from where %s took it", far(s.floor(), c.states[h.first].floor()),
					c.name(h.robot))
			}
		}
	} else if robot, at := c.play.lastTouch(step); robot != nobody {
		text += fmt.Sprintf(", last touched by %s %v before", c.name(robot), c.elapsed(at, step))
	}
	return text
}
