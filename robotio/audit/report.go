package audit

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Report is what has been found in a recording.
type Report struct {
	Steps     int64
	Time      time.Duration  // that they took
	Decisions int            // that the referee has made
	Agreed    map[string]int // of which the states say the same, by rule
	Restarts  int            // commands in the course of a game that agree, without those of decisions
	Commands  int            // by which somebody else has led the game
	Findings  []Finding
	Damage    string // what the recording lacks; empty: nothing
}

// Kind is a kind of finding.
type Kind string

const (
	Differs     Kind = "differs"     // something has to be decided, or to happen, but in another way
	Unjustified Kind = "unjustified" // nothing has to be decided
	Missed      Kind = "missed"      // something has to be decided, and nothing was
)

// Finding is where the referee and the states disagree.
type Finding struct {
	Kind    Kind          `json:"kind"`
	Rule    string        `json:"rule"` // course: of no rule's decision, but of the course of the game
	Episode int           `json:"episode"`
	Step    int64         `json:"step"`
	Time    time.Duration `json:"-"` // sim time
	Text    string        `json:"text"`
}

func (f Finding) String() string {
	at := fmt.Sprintf("step %d", f.Step)
	if f.Episode > 0 {
		at += fmt.Sprintf(" of episode %d", f.Episode)
	}
	return fmt.Sprintf("%.3f s, %s: %s: %s: %s", f.Time.Seconds(), at, f.Rule, f.Kind, f.Text)
}

// Count returns how many findings are of some kinds.
func (r *Report) Count(kinds ...Kind) (n int) {
	for i := range r.Findings {
		if slices.Contains(kinds, r.Findings[i].Kind) {
			n++
		}
	}
	return n
}

// Judge judges a whole match, and adds to the report.
func (r *Report) Judge(m *Match, episode int) {
	if r.Agreed == nil {
		r.Agreed = map[string]int{}
	}
	r.Steps += max(0, m.last())
	if m.last() >= 0 {
		r.Time += m.elapsed(0, m.last())
	}
	r.Decisions += len(m.decisions)
	first := len(r.Findings)
	m.judge(r)
	slices.SortStableFunc(r.Findings[first:], func(a, b Finding) int { return cmp.Compare(a.Step, b.Step) })
	for i := range r.Findings[first:] {
		r.Findings[first+i].Episode = episode
	}
}

func (r *Report) add(o *outcome) {
	for _, rule := range o.agreed {
		r.Agreed[rule]++
	}
	if o.event != nil && o.event.verdict == nil && len(o.findings) == 0 {
		r.Restarts++
	}
	if o.others {
		r.Commands++
	}
	r.Findings = append(r.Findings, o.findings...)
}

func (m *Match) finding(step int64, rule string, kind Kind, text string) Finding {
	return Finding{Kind: kind, Rule: rule, Step: step, Time: m.states[step].time, Text: text}
}
