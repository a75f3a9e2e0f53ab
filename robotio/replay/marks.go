package replay

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/robotio/recorder"
	"github.com/omnipitch/omnipitch/robotio/recording"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// Mark is something that has happened in a recorded run.
type Mark struct {
	At   time.Duration // since the run began
	Kind MarkKind
	Text string // one sentence
}

// MarkKind says what has happened.
type MarkKind string

// Kinds of marks.
const (
	Goal     MarkKind = "goal"     // the score has changed
	Failure  MarkKind = "failure"  // an expectation has failed, or was never decided
	Restart  MarkKind = "restart"  // the world has begun again
	Decision MarkKind = "decision" // of the automatic referee
	Switched MarkKind = "level"    // a sensor has been switched to another level
	Acted    MarkKind = "action"   // something was done from outside, as by hand in a browser
)

// MarkKinds lists all kinds.
func MarkKinds() []MarkKind { return []MarkKind{Goal, Failure, Restart, Decision, Switched, Acted} }

// mostMarks bounds the marks of each kind, and mostText a mark's text, bytes. Guesses: a match has some hundred
// decisions.
const (
	mostMarks = 1000
	mostText  = 300
)

// Marks reads what has happened, by time, at most a thousand of each kind; more counts those beyond that. It reads the
// whole file. Where that is damaged it fails, and returns the marks before. It may be called from any goroutine.
func (r *Recording) Marks() (all []Mark, more int, err error) {
	m := marks{recording: r, count: map[MarkKind]int{}, levels: map[[2]string]string{}}
	err = m.read()
	for i := range r.Episodes[1:] {
		m.add(r.Episodes[i+1].Began, Restart, fmt.Sprintf("the world begins again, with seed %d", r.Episodes[i+1].Seed))
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

// marks are those that have been read.
type marks struct {
	recording *Recording
	all       []Mark
	count     map[MarkKind]int
	more      int

	at     time.Duration // log time of the message that is read
	score  [2]uint32
	scored bool                 // score is known
	levels map[[2]string]string // by robot and sensor
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

// read reads the topics that tell what happened.
func (m *marks) read() error {
	read := map[string]func([]byte) error{}
	for _, add := range []func(map[string]func([]byte) error) error{
		on(recorder.Game, "omnipitch_msgs/Game", m.game),
		on(recorder.Verdicts, "omnipitch_msgs/Verdict", m.verdict),
		on(recorder.Decisions, "omnipitch_msgs/Decision", m.decision),
		on(recorder.Levels, "omnipitch_msgs/Level", m.level),
	} {
		if err := add(read); err != nil {
			return err
		}
	}
	messages := m.recording.Messages(0, func(c *recording.ChannelInfo) bool { return read[c.Topic] != nil })
	for {
		next, err := messages.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		m.at = next.LogTime
		if err := read[next.Channel.Topic](next.Data); err != nil {
			return m.recording.in(next, err)
		}
	}
}

// game marks a score that differs from the one before, but not the one with which a world begins again.
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

// level marks a switch, but not the level with which a sensor begins.
func (m *marks) level(l *msg.Level) error {
	name := [2]string{l.Robot, l.Sensor}
	was := m.levels[name]
	m.levels[name] = l.Level
	if was != "" && was != l.Level && l.Header.Stamp != (msg.Time{}) {
		m.add(m.at, Switched, fmt.Sprintf("%s.%s from %s to %s", l.Robot, l.Sensor, was, l.Level))
	}
	return nil
}
