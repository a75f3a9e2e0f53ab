package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Mark is an event of a recorded run to which users may want to jump.
type Mark struct {
	At   time.Duration // time since the beginning of the run
	Kind MarkKind
	Text string // one sentence
}

// MarkKind is the kind of a Mark.
type MarkKind string

// These are the kinds of marks.
const (
	Goal     MarkKind = "goal"     // the score changed
	Failure  MarkKind = "failure"  // an expectation failed, or was never decided
	Restart  MarkKind = "restart"  // the world restarted
	Decision MarkKind = "decision" // a decision of the automatic referee
	Switched MarkKind = "level"    // a sensor was switched to another level
	Acted    MarkKind = "action"   // an external action, such as one by hand in a browser
)

// mostMarks is the maximum number of marks of each kind. mostText is the maximum length of a mark's text in bytes. The
// values are guesses with a wide margin: a match has some hundred decisions.
const (
	mostMarks = 1000
	mostText  = 300
)

// Marks returns the marks of the run in the order of their times. It returns at most a thousand marks of each kind, and
// also the number of marks that it leaves out. Marks reads the whole file. If the file is damaged, Marks returns an
// error together with the marks before the damage. Any goroutine may call it.
func (r *Recording) Marks() (all []Mark, more int, err error) {
	m := marks{count: map[MarkKind]int{}, levels: map[[2]string]string{}}
	err = r.decode(func(at time.Duration) { m.at = at },
		on(recorder.Game, "omnipitch_msgs/Game", m.game),
		on(recorder.Verdicts, "omnipitch_msgs/Verdict", m.verdict),
		on(recorder.Decisions, "omnipitch_msgs/Decision", m.decision),
		on(recorder.Levels, "omnipitch_msgs/Level", m.level))
	for i := range r.Episodes[1:] {
		m.add(r.Episodes[i+1].Began, Restart, fmt.Sprintf("the world restarts with seed %d", r.Episodes[i+1].Seed))
	}
	for i := range r.inputs {
		if a := r.inputs[i].Action; a != nil {
			if name, fields, err := action.Marshal(a); err == nil {
				m.add(r.inputs[i].at, Acted, fmt.Sprintf("%s %s", name, fields))
			}
		}
	}
	slices.SortStableFunc(m.all, func(a, b Mark) int { return cmp.Compare(a.At, b.At) })
	return m.all, m.more, err
}

// marks collects the marks of a recording.
type marks struct {
	all   []Mark
	count map[MarkKind]int
	more  int

	at     time.Duration // log time of the message that is being read
	score  [2]uint32
	scored bool                 // whether score has a value
	levels map[[2]string]string // level of each sensor, by the names of robot and sensor
}

func (m *marks) add(at time.Duration, kind MarkKind, text string) {
	if m.count[kind]++; m.count[kind] > mostMarks {
		m.more++
		return
	}
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + "…"
	}
	m.all = append(m.all, Mark{at, kind, text})
}

// game adds a mark if the score changed. A change of the score by a restart of the world adds no mark.
func (m *marks) game(g *msg.Game) error {
	now, was := [2]uint32{g.Cyan, g.Magenta}, m.score
	m.score = now
	if !m.scored || now == was || g.Header.Stamp == (msg.Time{}) {
		m.scored = true
		return nil
	}
	text := fmt.Sprintf("the score is set to %d : %d", now[0], now[1])
	switch {
	case now[0] > was[0]:
		text = fmt.Sprintf("goal of cyan, %d : %d", now[0], now[1])
	case now[1] > was[1]:
		text = fmt.Sprintf("goal of magenta, %d : %d", now[0], now[1])
	}
	m.add(m.at, Goal, text)
	return nil
}

func (m *marks) verdict(v *msg.Verdict) error {
	if v.Outcome == "passed" {
		return nil
	}
	text := fmt.Sprintf("%s: %s: expected %s", v.Expectation, v.Outcome, v.Expected)
	if v.Was != "" {
		text += "; was: " + v.Was
	}
	m.add(m.at, Failure, text)
	return nil
}

func (m *marks) decision(d *msg.Decision) error {
	text := d.Rule + ": " + d.Reason
	if d.Command != "" {
		text += ": " + d.Command
		if d.Team != "" {
			text += " of " + d.Team
		}
	}
	m.add(m.at, Decision, text)
	return nil
}

// level adds a mark if a sensor changed its level after it had delivered its first frame.
func (m *marks) level(l *msg.Level) error {
	name := [2]string{l.Robot, l.Sensor}
	was := m.levels[name]
	m.levels[name] = l.Level
	if was != "" && was != l.Level && l.Header.Stamp != (msg.Time{}) {
		m.add(m.at, Switched, fmt.Sprintf("%s.%s from %s to %s", l.Robot, l.Sensor, was, l.Level))
	}
	return nil
}
