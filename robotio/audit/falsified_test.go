package audit

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// otherTeam is a team that a decision does not name.
func otherTeam(team string) string {
	if team == string(physics.Cyan) {
		return string(physics.Magenta)
	}
	return string(physics.Cyan)
}

// falsifications are ways in which a decision may be wrong, and the finding that must tell it, by kind and a part of
// its text.
var falsifications = []struct {
	name string
	do   func(m *Match, i int)
	kind Kind
	text string
}{
	{"dropped", func(m *Match, i int) { m.decisions = slices.Delete(m.decisions, i, i+1) }, Missed, "by the states"},
	{"for the other team", func(m *Match, i int) { m.decisions[i].Team = otherTeam(m.decisions[i].Team) }, Differs,
		"team that it is for"},
	{"against the other team", func(m *Match, i int) { m.decisions[i].Against = otherTeam(m.decisions[i].Against) },
		Differs, "team at fault"},
	{"goal of the other team", func(m *Match, i int) { m.decisions[i].Goal = otherTeam(m.decisions[i].Goal) }, Differs,
		"goal is"},
	{"another robot", func(m *Match, i int) { m.decisions[i].Robots = []string{"nobody"} }, Differs, "robots is"},
	{"another command", func(m *Match, i int) { m.decisions[i].Command = "penalty" }, Differs, "command is"},
	{"at another place", func(m *Match, i int) { m.decisions[i].Place.X += 1e-5 }, Differs, "place is"},
	{"the ball at another place", func(m *Match, i int) { m.decisions[i].Ball.Y -= 1e-5 }, Differs,
		"place of the ball"},
	{"another measure", func(m *Match, i int) { m.decisions[i].Basis[0].Value += 1e-5 }, Differs, m0},
	{"another limit", func(m *Match, i int) { m.decisions[i].Basis[0].Limit += 1e-5 }, Differs, m0},
	{"without a measure", func(m *Match, i int) { m.decisions[i].Basis = nil }, Differs, "does not rest on"},
	{"a step late", func(m *Match, i int) { moved(m, i, 1) }, Missed, "by the states"},
	{"a step early", func(m *Match, i int) { moved(m, i, -1) }, Unjustified, "nothing is to be decided"},
	{"at another time", func(m *Match, i int) { m.decisions[i].Header.Stamp.Nsec++ }, Differs, "time is"},
	{"twice", func(m *Match, i int) { m.decisions = slices.Insert(m.decisions, i, m.decisions[i]) }, Unjustified,
		"nothing is to be decided"},
	{"by another rule", func(m *Match, i int) { m.decisions[i].Rule = "corner_kick" }, Differs, "rule is"},
	{"after the end", func(m *Match, i int) { moved(m, i, m.last()) }, Unjustified, "are judged"},
}

const m0 = ", by the states" // of a quantity

// moved has a decision be made so many steps later.
func moved(m *Match, i int, steps int64) {
	d := m.decisions[i]
	d.Step = uint64(int64(d.Step) + steps)
	d.Header.Stamp = msg.TimeFrom(time.Duration(d.Step) * m.model.Step)
	m.decisions = slices.Delete(m.decisions, i, i+1)
	at, _ := slices.BinarySearchFunc(m.decisions, d,
		func(a, b msg.Decision) int { return int(int64(a.Step) - int64(b.Step)) })
	m.decisions = slices.Insert(m.decisions, at, d)
}

// copied is a match whose decisions and states may be changed.
func copied(m *Match) *Match {
	c := *m
	c.decisions, c.games, c.states = slices.Clone(m.decisions), slices.Clone(m.games), slices.Clone(m.states)
	for i := range c.decisions {
		c.decisions[i].Basis = slices.Clone(c.decisions[i].Basis)
	}
	return &c
}

// cut ends a match some time after a decision.
func cut(m *Match, step int64) *Match {
	c := copied(m)
	c.states = c.states[:min(int64(len(c.states)), step+100)]
	c.decisions = slices.DeleteFunc(c.decisions, func(d msg.Decision) bool { return int64(d.Step) > c.last() })
	c.games = slices.DeleteFunc(c.games, func(g gameAt) bool { return g.step > c.last() })
	return c
}

// A decision of each rule is found however it is falsified.
func TestFalsifiedDecisions(t *testing.T) {
	left := referee.RuleNames()
	for seed := uint64(0); seed < 60 && len(left) > 0; seed++ {
		x := playStaged(seed, 3000)
		for i := range x.match.decisions {
			d := x.match.decisions[i]
			n := slices.Index(left, d.Rule)
			if n < 0 || int64(d.Step)+2 > x.match.last() {
				continue
			}
			left = slices.Delete(left, n, n+1)
			for _, f := range falsifications {
				// then the one of the states is missed
				if f.name == "by another rule" && slices.Contains(robotRules, d.Rule) || f.name == "another robot" &&
					slices.Contains(robotRules[:2], d.Rule) {
					f.kind, f.text = Missed, "by the states"
				}
				m := cut(x.match, int64(d.Step))
				f.do(m, i)
				var r Report
				r.Judge(m, 0)
				if !slices.ContainsFunc(r.Findings, func(g Finding) bool {
					return g.Kind == f.kind &&
						strings.Contains(g.Text, f.text)
				}) {
					t.Errorf("seed %d, %s at step %d, %s: found %v", seed, d.Rule, d.Step, f.name, r.Findings)
				}
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("no decision by %v", left)
	}
}

// The course of a game is found falsified, too.
func TestFalsifiedCourse(t *testing.T) {
	x := playStaged(3, 3000)
	var r Report
	if r.Judge(x.match, 0); len(r.Findings) > 0 {
		t.Fatal(r.Findings)
	}
	first := func(m *Match, is func(g gameAt) bool) int { return slices.IndexFunc(m.games, is) }
	announced := func(g gameAt) bool { return g.Phase == "set_piece" }
	started := func(g gameAt) bool { return g.Phase == "playing" && g.step > 0 }
	for _, c := range []struct {
		name string
		do   func(m *Match)
	}{
		{"a set piece late", func(m *Match) { m.games[first(m, announced)].step++ }},
		{"a set piece early", func(m *Match) { m.games[first(m, announced)].step-- }},
		{"another set piece", func(m *Match) { m.games[first(m, announced)].SetPiece = "penalty" }},
		{"a set piece of the others", func(m *Match) {
			g := &m.games[first(m, announced)]
			g.Team = physics.Team(otherTeam(string(g.Team)))
		}},
		{"the ball beside its place", func(m *Match) { m.states[m.games[first(m, announced)].step].left[1] += 1e-5 }},
		{"a start late", func(m *Match) { m.games[first(m, started)].step++ }},
		{"a start early", func(m *Match) { m.games[first(m, started)].step-- }},
		{"a wrong beginning", func(m *Match) { m.games[0].Half = "second_half" }},
		{"a goal too many", func(m *Match) {
			for i := range m.games[first(m, started):] {
				m.games[first(m, started)+i].Score.Cyan++
			}
		}},
	} {
		m := copied(x.match)
		c.do(m)
		var r Report
		if r.Judge(m, 0); len(r.Findings) == 0 {
			t.Errorf("%s: nothing was found", c.name)
		}
		// Where somebody else may have commanded the game, the referee has left it to them.
		m.AnyoneMayCommand()
		var by Report
		if by.Judge(m, 0); by.Commands == 0 && strings.Contains(c.name, "early") {
			t.Errorf("%s: nobody else has commanded: %v", c.name, by.Findings)
		}
	}
}

// So is who leaves the field, and comes back.
func TestFalsifiedRoster(t *testing.T) {
	x := playStaged(3, 3000)
	leaves, comes, robot := int64(0), int64(0), nobody
	for n := int64(1); n < x.match.last() && comes == 0; n++ {
		for i := range x.model.Robots {
			switch was, is := x.match.isOff(i, n), x.match.isOff(i, n+1); {
			case robot == nobody && !was && is:
				leaves, robot = n, i
			case robot == i && was && !is:
				comes = n
			}
		}
	}
	if comes == 0 {
		t.Fatal("nobody comes back")
	}
	off := func(m *Match, from, to int64, is bool) {
		for n := from; n <= to; n++ {
			all := make([]bool, len(m.model.Robots))
			copy(all, m.states[n].off)
			all[robot] = is
			m.states[n].off = all
		}
	}
	for _, c := range []struct {
		name string
		do   func(m *Match)
		step int64
		text string
	}{
		{"stays", func(m *Match) { off(m, leaves+1, comes, false) }, leaves, "stays on the field"},
		{"leaves early", func(m *Match) { off(m, leaves, leaves, true) }, leaves - 1, "nothing has sent it off"},
		{"comes back late", func(m *Match) { off(m, comes+1, comes+1, true) }, comes, "does not come back"},
		{"comes back early", func(m *Match) { off(m, comes, comes, false) }, comes - 1, "which it may not"},
		{"comes back elsewhere",
			func(m *Match) { m.states[comes].placed = []placement{{robot, [2]float64{-1 - 1e-5, -6}}} }, comes,
			"by the rules at"},
	} {
		m := copied(x.match)
		c.do(m)
		var r Report
		r.Judge(m, 0)
		if !slices.ContainsFunc(r.Findings, func(g Finding) bool {
			return g.Step == c.step && g.Kind == Differs &&
				strings.Contains(g.Text, c.text)
		}) {
			t.Errorf("%s, from step %d to %d: found %v", c.name, leaves, comes, r.Findings)
		}
	}
}

// A threshold that is met to the last bit is met, or not: both are right. What is off by more is not.
func TestRounding(t *testing.T) {
	for _, c := range []struct {
		off  float64
		want int
	}{{0, 0}, {1e-10, 0}, {-1e-10, 0}, {1e-7, 1}} {
		x := playStaged(3, 1)
		x.world.Rules = referee.DefaultRules()
		x.world.Rules.KickOff, x.world.Rules.Dribble = "none", 1
		x.begin()
		x.now.Ball.PosW = [3]float64{0, 3, radius}
		x.now.Ball.HeldBy = 2
		x.observe()
		x.now.Ball.PosW[0] = 1 + 1e-10 // too far, by little
		x.observe()
		for i := range x.match.states {
			if s := &x.match.states[i]; s.ball[0] > 0.9 {
				s.ball[0] -= c.off + 1e-10
			}
		}
		var r Report
		r.Judge(x.match, 0)
		if len(x.match.decisions) != 1 || len(r.Findings) != c.want {
			t.Errorf("off by %g: %v, %v", c.off, x.match.decisions, r.Findings)
		}
	}
}
