package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// verdict is a decision as the states have it.
type verdict struct {
	rule    string
	against physics.Team
	robots  []int
	goal    physics.Team
	command game.Command
	team    physics.Team
	ballW   [2]float64
	basis   []quantity
}

type quantity struct {
	name         string
	value, limit float64
}

func (v *verdict) rests(name string, value, limit float64) {
	v.basis = append(v.basis, quantity{name, value, limit})
}

// Tolerances of what is compared: both sides compute it from the same numbers, in other ways.
const (
	tolerance = 1e-6 // of distances, metres, and times, seconds
	rounding  = 1e-9 // of thresholds
)

func near(a, b float64) bool { return math.Abs(a-b) <= tolerance }

// compare lists in what a decision differs from a verdict.
func (m *Match) compare(v *verdict, step int64, d *msg.Decision) (differ []string) {
	at := &m.states[step]
	text := func(what, decided, is string) {
		if decided != is {
			differ = append(differ, fmt.Sprintf("%s is %s, by the states %s", what, orNone(decided), orNone(is)))
		}
	}
	place := func(what string, decided msg.Point, is [2]float64) {
		if !near(decided.X, is[0]) || !near(decided.Y, is[1]) {
			differ = append(differ, fmt.Sprintf("%s is (%.3f, %.3f) m, by the states (%.3f, %.3f) m", what, decided.X,
				decided.Y, is[0], is[1]))
		}
	}
	text("rule", d.Rule, v.rule)
	if stamp := d.Header.Stamp.Since(); stamp != at.time {
		differ = append(differ, fmt.Sprintf("time is %v, that of step %d is %v", stamp, step, at.time))
	}
	text("team at fault", d.Against, string(v.against))
	text("goal", d.Goal, string(v.goal))
	text("command", d.Command, string(v.command))
	text("team that it is for", d.Team, string(v.team))
	var names []string
	for _, r := range v.robots {
		names = append(names, m.name(r))
	}
	got := slices.Sorted(slices.Values(d.Robots))
	slices.Sort(names)
	text("robots", strings.Join(got, " "), strings.Join(names, " "))
	place("place", d.Place, at.floor())
	place("place of the ball", d.Ball, v.ballW)
	for _, q := range v.basis {
		i := slices.IndexFunc(d.Basis, func(b msg.Quantity) bool { return b.Name == q.name })
		switch {
		case i < 0:
			differ = append(differ, fmt.Sprintf("it does not rest on %q", q.name))
		case !near(d.Basis[i].Value, q.value) || !near(d.Basis[i].Limit, q.limit):
			differ = append(differ, fmt.Sprintf("%s is %g, limit %g, by the states %g, limit %g", q.name,
				d.Basis[i].Value, d.Basis[i].Limit, q.value, q.limit))
		}
	}
	return differ
}

// text tells a verdict in a sentence.
func (m *Match) text(v *verdict) string {
	b := &strings.Builder{}
	b.WriteString(v.rule)
	for _, r := range v.robots {
		b.WriteString(" " + m.name(r))
	}
	if v.goal != "" {
		fmt.Fprintf(b, ", goal of %s", v.goal)
	}
	if v.command != "" {
		fmt.Fprintf(b, ", %s", v.command)
	}
	if v.team != "" {
		fmt.Fprintf(b, " of %s", v.team)
	}
	for _, q := range v.basis {
		fmt.Fprintf(b, "; %s %.4g, limit %.4g", q.name, q.value, q.limit)
	}
	return b.String()
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
