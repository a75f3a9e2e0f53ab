package referee

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

const radius = 0.11

// Robots of the test's model, by index: a goalkeeper and two field players for each team.
const (
	c1 = iota
	c2
	c3
	m1
	m2
	m3
)

func testModel() *physics.Model {
	m := &physics.Model{
		Step: 10 * time.Millisecond, Ball: physics.Ball{Radius: radius},
		Field: physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
			Length: 18, Width: 12, PenaltyAreaWidth: 6.5, PenaltyAreaDepth: 2.25, GoalAreaWidth: 3.5,
			GoalAreaDepth: 0.75, PenaltyMark: 3,
			GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.5},
	}
	for _, team := range []physics.Team{physics.Cyan, physics.Magenta} {
		for n := range 3 {
			m.Robots = append(m.Robots, physics.Robot{Name: fmt.Sprintf("%s%d", team, n+1), Team: team, Number: n + 1,
				Body: physics.Body{Radius: 0.25}})
		}
	}
	return m
}

// played is a game whose state the test sets.
type played struct {
	t      testing.TB
	r      *Referee
	g      *game.Game
	roster *game.Roster
	now    *physics.Snapshot
	step   time.Duration
	all    []Decision
	said   []Order
}

// newGame starts a game with the ball in play, unless change says otherwise.
func newGame(t testing.TB, change func(*Rules)) *played {
	return newGameBy(t, MSL, change)
}

// newGameBy starts a game by the rules of a book.
func newGameBy(t testing.TB, book Book, change func(*Rules)) *played {
	model, rules := testModel(), DefaultRules(book)
	rules.KickOff = "none"
	if change != nil {
		change(&rules)
	}
	p := &played{t: t, r: New(rules, model), g: game.New(&model.Field, radius), roster: game.NewRoster(model,
		rules.Repair, rules.DoubleYellow), now: model.Start(), step: model.Step}
	for i, at := range [][2]float64{{-8.5, 0}, {-5, 1}, {-5, -1}, {8.5, 0}, {5, 1}, {5, -1}} {
		p.robot(i, at[0], at[1])
	}
	p.ball(0, 0)
	p.observe()
	return p
}

func (p *played) ball(x, y float64)         { p.now.Ball.PosW = [3]float64{x, y, radius} }
func (p *played) robot(i int, x, y float64) { p.now.Robots[i].PoseWB = spatial.Planar(x, y, 0) }
func (p *played) hold(i int)                { p.now.Ball.HeldBy = i }
func (p *played) touch(i int) {
	p.now.Touches = append(p.now.Touches, physics.Touch{A: physics.BodyID(i), B: p.now.BallID(), Impulse: 1})
}
func (p *played) rolls(x, y float64) { p.ball(x, y); p.next() }
func (p *played) shot(by int, from, to float64) {
	p.ball(from, 0)
	p.touch(by)
	p.next()
	p.rolls(to, 0)
}

// event starts or ends something between two robots in the next step.
func (p *played) event(kind physics.EventKind, a, b int) {
	p.now.Events = []physics.Event{{Kind: kind, Touch: physics.Touch{A: physics.BodyID(a), B: physics.BodyID(b)}}}
}

// pushes makes a robot start to push another, which is to its right, and both move along x.
func (p *played) pushes(a, b int, x, y, by float64) {
	p.robot(a, x, y)
	p.robot(b, x+.5, y)
	p.event(physics.PushBegan, a, b)
	p.next()
	p.robot(a, x+by, y)
	p.robot(b, x+by+.5, y)
	p.next()
}

func (p *played) observe() {
	decisions, orders := p.r.Observe(p.now, p.g.State(), p.roster.Standings())
	p.all, p.said = append(p.all, decisions...), append(p.said, orders...)
	for _, o := range orders {
		switch {
		case o.Number > 0:
			robot := must.Get(p.roster.Find(o.Team, o.Number))(p.t)
			if o.Command == game.Penalise {
				p.roster.Penalise(robot, o.Removal, p.now.Time)
			} else {
				p.roster.Command(o.Command, robot, p.now.Time)
			}
		case o.Command != "":
			p.g.Command(o.Command, o.Team)
		default:
			p.ball(o.BallPosW[0], o.BallPosW[1])
			p.hold(nobody)
		}
	}
	p.now.Touches, p.now.Events = nil, nil
}

// next takes a step.
func (p *played) next() {
	p.now.Step++
	p.now.Time += p.step
	p.observe()
}

// wait takes steps for a duration. The first follows the state that the test has just set.
func (p *played) wait(d time.Duration) {
	for range d / p.step {
		p.next()
	}
}

func (p *played) rules() (names []string) {
	for _, d := range p.all {
		names = append(names, d.Rule)
	}
	return names
}

// keepAway makes all robots keep their distances from a ball in the middle third.
func (p *played) keepAway() {
	for i, at := range [][2]float64{{-8.5, 0}, {-5, 4}, {-5, -4}, {8.5, 0}, {5, 4}, {5, -4}} {
		p.robot(i, at[0], at[1])
	}
}

const goalLine, touchLine = 9 + radius, 6 + radius

// names are the words for robots in scripts.
var names = map[string]int{"c1": c1, "c2": c2, "c3": c3, "m1": m1, "m2": m2, "m3": m3, "nobody": nobody}

// run carries out a script of testdata: a command and its robots and numbers in each line. Positions are in m, times in
// s.
func (p *played) run(script string) {
	p.t.Helper()
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		a := make([]float64, 5)
		for i, word := range words[1:] {
			x, err := strconv.ParseFloat(word, 64)
			if robot, ok := names[word]; ok {
				x = float64(robot)
			} else if err != nil {
				p.t.Fatalf("%q: %q is no robot and no number", line, word)
			}
			a[i] = x
		}
		robot, other := int(a[0]), int(a[1])
		switch words[0] {
		case "across", "attackers", "defenders": // rules of the game, which changeOf applies
		case "ball":
			p.now.Ball.PosW = [3]float64{a[0], a[1], max(a[2], radius)}
		case "forget": // the decisions so far
			p.all = nil
		case "hold":
			p.hold(robot)
		case "kick":
			p.now.Robots[robot].Kicks++
		case "part": // they no longer push each other
			p.event(physics.PushEnded, robot, other)
		case "push":
			p.pushes(robot, other, a[2], a[3], a[4])
		case "robot":
			p.robot(robot, a[1], a[2])
		case "roll":
			p.rolls(a[0], a[1])
		case "shot":
			p.shot(robot, a[1], a[2])
		case "step":
			p.next()
		case "touch": // with an impulse of 1 if none is given
			p.touch(robot)
			p.now.Touches[len(p.now.Touches)-1].Impulse = max(a[1], 1)
		case "wait":
			p.wait(time.Duration(a[0] * 1e9))
		default:
			p.t.Fatalf("%q: there is no such command", line)
		}
	}
}

// changeOf returns the change of rules that a script begins with, and switches a rule off.
func changeOf(script, off string) func(*Rules) {
	return func(r *Rules) {
		r.Off = append(r.Off, off)
		name, rest, _ := strings.Cut(script, " ")
		value, _, _ := strings.Cut(rest, "\n")
		switch name {
		case "across":
			r.Across = value == "1"
		case "attackers":
			r.Attackers, _ = strconv.Atoi(value)
		case "defenders":
			r.Defenders, _ = strconv.Atoi(value)
		}
	}
}

// text returns a decision as testdata has it.
func text(d *Decision) string {
	text := d.Rule
	if d.Against != "" {
		text += " against " + string(d.Against)
	}
	if d.Command == "" {
		return text
	}
	text += ": " + string(d.Command)
	if d.Team != "" {
		text += " of " + string(d.Team)
	}
	return text + fmt.Sprintf(" at (%.6g, %.6g)", d.BallW[0]+0, d.BallW[1]+0) // no −0
}

// Each rule decides when it should, and does not by a small margin: in play, and when set pieces are taken.
func TestRules(t *testing.T) {
	for file, begin := range map[string]func(testing.TB, func(*Rules)) *played{
		"rules": newGame, "setpieces": begun, // after a kick-off of cyan
	} {
		for _, c := range must.Cases(t, "testdata/"+file+".txt") {
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				p := begin(t, changeOf(c.Text, ""))
				p.run(c.Text)
				var got []string
				for i := range p.all {
					d := &p.all[i]
					got = append(got, text(d))
					if d.Reason == "" || len(d.Basis) == 0 || d.Step == 0 || d.Time != time.Duration(d.Step)*p.step {
						t.Errorf("%+v says too little", d)
					}
				}
				if !slices.Equal(got, c.Want) {
					t.Fatalf("got %q, want %q", got, c.Want)
				}
				if len(p.all) == 0 && len(p.said) > 0 {
					t.Errorf("got orders %v without a decision", p.said)
				}
				for _, d := range p.all {
					if phase := p.g.State().Phase; d.Command != "" && phase != game.Stopped && phase != game.SetPiece {
						t.Errorf("play continues after %v", d)
					}
					off := begin(t, changeOf(c.Text, d.Rule)) // if the rule is switched off, it decides nothing
					if off.run(c.Text); slices.Contains(off.rules(), d.Rule) {
						t.Errorf("%s decided though it is off", d.Rule)
					}
				}
			})
		}
	}
}

func near(a, b [2]float64) bool { return math.Hypot(a[0]-b[0], a[1]-b[1]) <= 1e-9 }
