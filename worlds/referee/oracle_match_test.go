//go:build cgo

package referee_test

import (
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/engine"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

var (
	matches    = flag.Uint64("oracle.matches", 2, "number of matches to play")
	length     = flag.Duration("oracle.for", 60*time.Second, "sim time of each match")
	worldNames = flag.String("oracle.worlds", "scripted-match,hsl-match,../../testdata/referee/humanoid/rough.toml", "worlds of the matches")
	engineName = flag.String("oracle.engine", "planar", "physics engine of the matches")
)

// Tolerances: both sides compute from the same numbers, in different ways.
const (
	tolerance = 1e-6 // of distances (metres), times (seconds) and other quantities
	rounding  = 1e-9 // of thresholds
)

var cache omnipitch.Cache

// recordingEngine adds each state that the engine has stepped to to a match.
type recordingEngine struct {
	physics.Engine
	match *match
	state physics.Snapshot
}

func (e *recordingEngine) Step(commands []physics.Command) error {
	err := e.Engine.Step(commands)
	if err == nil {
		e.Engine.Snapshot(&e.state)
		e.match.add(&e.state)
	}
	return err
}

// run runs a world, and returns its states and the referee's decisions.
func run(t *testing.T, world *worlds.World, length time.Duration) (*match, []referee.Decision) {
	t.Helper()
	var recorder *recordingEngine
	sim := must.Get(omnipitch.New(world, omnipitch.Options{NoWorker: true, Cache: &cache,
		NewEngine: func(model *physics.Model) (physics.Engine, error) {
			e, err := engine.New(model)
			recorder = &recordingEngine{Engine: e, match: &match{world: world, model: model,
				kicks: make([]int, len(model.Robots))}}
			return recorder, err
		}}))(t)
	defer sim.Close()
	m := recorder.match
	m.out = func(robot int) bool { return sim.Match().Standings()[robot].Out != "" }
	m.add(sim.Truth())
	if len(world.Programs) > 0 {
		if world.Name != "hsl-refbot" {
			t.Fatalf("%s: its programs do not run here", world.Name)
		}
		must.Do(t, seat.Connect(sim, seat.Humanoids(len(world.Robots)), func(err error) { t.Error(err) }))
	}
	end := func() { m.states[m.last()].left, m.states[m.last()].game = sim.Truth().Ball.PosW, sim.Match().Game() }
	end()
	var decisions []referee.Decision
	sim.Match().OnDecision(func(d *referee.Decision) { decisions = append(decisions, *d) })
	for m.states[m.last()].time < length {
		must.Do(t, sim.Step())
		end()
	}
	return m, decisions
}

// check compares the referee's decisions with the oracle's, play by play. It returns how many agree, by rule, and a
// sentence about each play in which they differ.
func check(m *match, decisions []referee.Decision) (agreed map[string]int, problems []string) {
	agreed = map[string]int{}
	var placeW [2]float64
	for n := int64(0); n <= m.last(); n++ {
		is, was := m.states[n].game, game.State{}
		if n > 0 {
			was = m.states[n-1].game
		}
		left := [2]float64{m.states[n].left[0], m.states[n].left[1]}
		switch {
		case is.Phase == game.SetPiece && was.Phase != game.SetPiece:
			placeW = left
		case is.Phase == game.Playing && was.Phase != game.Playing:
			p := &play{match: m, start: n, piece: is.SetPiece, whose: is.Team, placeW: left}
			if was.Phase == game.SetPiece {
				p.placeW = placeW
			}
			end := n + 1
			for end < m.last() && m.states[end].game.Phase == game.Playing {
				end++
			}
			if end > m.last() {
				break
			}
			if rule, differ := p.check(decisions, end); len(differ) > 0 {
				problems = append(problems, fmt.Sprintf("play from step %d to %d: %s", n, end,
					strings.Join(differ, "; ")))
			} else if rule != "" {
				agreed[rule]++
			}
		}
	}
	for rule, number := range m.checkRobots(decisions, &problems) {
		agreed[rule] += number
	}
	return agreed, problems
}

// checkRobots compares the referee's decisions about single robots with the oracle's. It returns how many agree, by
// rule. If they differ, it adds a sentence about the first difference.
func (m *match) checkRobots(decisions []referee.Decision, problems *[]string) (agreed map[string]int) {
	var made []int // indices in decisions
	for i := range decisions {
		if slices.Contains(m.robotRules(), decisions[i].Rule) {
			made = append(made, i)
		}
	}
	defer func() { m.slack = 0 }()
	var first string
	for _, m.slack = range [...]float64{0, rounding, -rounding} {
		agreed = map[string]int{}
		problem := m.compareRobots(decisions, made, m.sentOff(decisions), agreed)
		if problem == "" {
			return agreed
		} else if first == "" {
			first = problem
		}
	}
	*problems = append(*problems, first)
	return agreed
}

// compareRobots counts the agreeing decisions, and describes the first difference; empty if there is none.
func (m *match) compareRobots(decisions []referee.Decision, made []int, want []verdict, agreed map[string]int) string {
	p := &play{match: m}
	for k := range max(len(made), len(want)) {
		switch {
		case k >= len(want):
			return fmt.Sprintf("%v: the oracle sends nobody off", decisions[made[k]])
		case k >= len(made):
			return fmt.Sprintf("step %d: the referee sends nobody off, the oracle %+v", want[k].step, want[k])
		}
		v, d := &want[k], &decisions[made[k]]
		if o := v.removal.Offence; v.removal.For > 0 && o != game.Incapable && o != game.MotionInSet {
			v.removal.For += p.longer(decisions[:made[k]], m.team(v.robots[0]))
		}
		if differ := p.compare(v, d); len(differ) > 0 {
			return fmt.Sprintf("%v: %s", d, strings.Join(differ, "; "))
		}
		agreed[v.rule]++
	}
	return ""
}

// check compares the decision that ended a play with the oracle's. It returns its rule, and the differences. A
// threshold that is met to within rounding may be met or not.
func (p *play) check(decisions []referee.Decision, end int64) (agreed string, problems []string) {
	i := slices.IndexFunc(decisions, func(d referee.Decision) bool {
		return d.Step > p.start && d.Step <= end && slices.ContainsFunc(p.rules(),
			func(r rule) bool { return r.name == d.Rule })
	})
	earlier := decisions[:max(i, 0)]
	defer func() { p.slack = 0 }()
	for _, p.slack = range [...]float64{0, rounding, -rounding} {
		v := p.decided(end)
		var differ []string
		switch {
		case v == nil && i < 0:
			return "", nil
		case v == nil:
			differ = []string{fmt.Sprintf("%v: the oracle decides nothing", decisions[i])}
		case i < 0:
			differ = []string{fmt.Sprintf("step %d: the referee decides nothing, the oracle %+v", v.step, *v)}
		default:
			if v.removal.For > 0 {
				v.removal.For += p.longer(earlier, v.against)
			}
			if differ = p.compare(v, &decisions[i]); len(differ) == 0 {
				return v.rule, nil
			}
		}
		if problems == nil {
			problems = differ
		}
	}
	return "", problems
}

// longer returns by how much the next removal of a team's robot is longer because of earlier ones for offences against
// others.
func (p *play) longer(earlier []referee.Decision, team physics.Team) (more time.Duration) {
	for i := range earlier {
		switch d := &earlier[i]; d.Removal.Offence {
		case game.BallHolding, game.Pushing, game.LeavingTheField, game.IllegalPosition:
			if d.Against == team {
				more += p.world.Rules.RemovalMore
			}
		}
	}
	return more
}

// compare lists the differences between a decision and the oracle's.
func (p *play) compare(v *verdict, d *referee.Decision) (differ []string) {
	equal := func(what string, got, want any) {
		if got != want {
			differ = append(differ, fmt.Sprintf("%s: the referee has %v, the oracle %v", what, got, want))
		}
	}
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= tolerance) {
			equal(what, got, want)
		}
	}
	var robots []string
	for _, r := range v.robots {
		robots = append(robots, p.model.Robots[r].Name)
	}
	slices.Sort(robots)
	at := p.states[v.step].floor()
	equal("rule", d.Rule, v.rule)
	equal("step", d.Step, v.step)
	equal("time", d.Time, p.states[v.step].time)
	equal("team at fault", d.Against, v.against)
	equal("goal", d.Goal, v.goal)
	equal("command", d.Command, v.command)
	equal("team of the set piece", d.Team, v.team)
	equal("removal", d.Removal, v.removal)
	equal("robots", fmt.Sprint(slices.Sorted(slices.Values(d.Robots))), fmt.Sprint(robots))
	for i := range 2 {
		near("place", d.PlaceW[i], at[i])
		near("place of the ball", d.BallW[i], v.ballW[i])
	}
	for _, q := range v.basis {
		if i := slices.IndexFunc(d.Basis, func(b referee.Quantity) bool { return b.Name == q.name }); i < 0 {
			differ = append(differ, fmt.Sprintf("the decision does not rest on %q", q.name))
		} else {
			near(q.name, d.Basis[i].Value, q.value)
			near("limit of "+q.name, d.Basis[i].Limit, q.limit)
		}
	}
	return differ
}

// The oracle agrees with the referee about matches of scripted players, by both books. In world rough, each rule about
// single robots decides.
func TestOracleAgreesInMatches(t *testing.T) {
	for _, name := range strings.Split(*worldNames, ",") {
		loaded, decided := must.Get(worlds.Load(name))(t), map[string]int{}
		for seed := range *matches {
			w := must.Get(loaded.WithSeed(seed + 1))(t)
			w.Physics.Engine = *engineName
			m, decisions := run(t, w, *length)
			agreed, problems := check(m, decisions)
			for rule, number := range agreed {
				decided[rule] += number
			}
			for _, text := range problems {
				t.Errorf("%s with seed %d: %s", name, seed+1, text)
			}
			t.Logf("%s with seed %d: %d steps, %d decisions, agreed %v", name, seed+1, m.last(), len(decisions), agreed)
			if len(agreed) == 0 {
				t.Errorf("%s with seed %d: nothing was decided", name, seed+1)
			}
		}
		for _, rule := range (&match{world: loaded}).robotRules() {
			if loaded.Name == "rough" && decided[rule] == 0 {
				t.Errorf("%s: %s never decided", name, rule)
			}
		}
	}
}

// The oracle agrees with the referee about a situation of each rule.
func TestOracleAgreesInSituations(t *testing.T) {
	var files []string
	for book, folder := range situations {
		found := must.Get(filepath.Glob(folder + "/*-*.toml"))(t)
		if len(found) == 0 {
			t.Fatalf("no situation of %s", book)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		t.Run(strings.TrimPrefix(file, "../../testdata/"), func(t *testing.T) {
			t.Parallel()
			w := must.Get(worlds.Load(file))(t)
			m, decisions := run(t, w, w.Test.For)
			agreed, problems := check(m, decisions)
			for _, text := range problems {
				t.Error(text)
			}
			rule, _, _ := strings.Cut(name, "-")
			for _, r := range append(names(m.rules()), m.robotRules()...) {
				if r == rule && agreed[rule] == 0 {
					t.Errorf("%s was not decided: %v", rule, agreed)
				}
			}
		})
	}
}

// names returns the names of rules.
func names(rules []rule) (all []string) {
	for _, r := range rules {
		all = append(all, r.name)
	}
	return all
}

// The oracle finds a decision that is missing, one that nothing called for, and wrong ones.
func TestOracleFindsWrongDecisions(t *testing.T) {
	w := must.Get(worlds.Load("../../testdata/referee/ball_out-throw-in.toml"))(t)
	m, decisions := run(t, w, w.Test.For)
	found := func(what string, m *match, wrong []referee.Decision) {
		t.Helper()
		if _, problems := check(m, wrong); !strings.Contains(strings.Join(problems, "\n"), what) {
			t.Errorf("%s: found %q", what, problems)
		}
	}
	for what, change := range map[string]func(*referee.Decision){
		"the oracle {rule:ball_out":  func(d *referee.Decision) { d.Step = -1 },
		"rule: the referee has goal": func(d *referee.Decision) { d.Rule = "goal" },
		"step: the referee has":      func(d *referee.Decision) { d.Step-- },
		"place of the ball":          func(d *referee.Decision) { d.BallW[0] += 1e-5 },
		"behind the touch line":      func(d *referee.Decision) { d.Basis[0].Value = 0 },
	} {
		wrong := slices.Clone(decisions)
		wrong[0].Basis = slices.Clone(wrong[0].Basis)
		change(&wrong[0])
		found(what, m, wrong)
	}
	m, decisions = run(t, must.Get(worlds.Load("../../testdata/referee/humanoid/left_field-without-boards.toml"))(t),
		25*time.Second)
	i := slices.IndexFunc(decisions, func(d referee.Decision) bool { return d.Rule == "left_field" })
	wrong := slices.Clone(decisions)
	wrong[i].Step++
	found("step: the referee has", m, wrong)
	wrong[i].Step, wrong[i].Removal.For = decisions[i].Step, time.Second
	found("removal: the referee has", m, wrong)
	found("the referee sends nobody off", m, slices.Delete(slices.Clone(decisions), i, i+1))
	found("the oracle sends nobody off", m, append(decisions, decisions[i]))
}
