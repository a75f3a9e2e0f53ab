package referee

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
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
		Field: physics.Field{Length: 18, Width: 12, PenaltyAreaWidth: 6.5, PenaltyAreaDepth: 2.25, GoalAreaWidth: 3.5,
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
	model, rules := testModel(), DefaultRules()
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
	p.now.Touches = []physics.Touch{{A: physics.BodyID(i), B: p.now.BallID(), Impulse: 1}}
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
			robot, err := p.roster.Find(o.Team, o.Number)
			if err != nil {
				p.t.Fatal(err)
			}
			p.roster.Command(o.Command, robot, p.now.Time)
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

// Each rule decides when it should, and does not by a small margin.
func TestRules(t *testing.T) {
	type want struct {
		rule    string
		against physics.Team
		command game.Command
		team    physics.Team
		ball    [2]float64
	}
	const cyan, magenta = physics.Cyan, physics.Magenta
	for _, c := range []struct {
		name   string
		change func(*Rules)
		do     func(*played)
		want   *want // nil if nothing is decided
	}{
		{"goal", nil, func(p *played) { p.shot(c2, 5, goalLine+.01) }, &want{"goal", "", game.Kickoff, magenta,
			[2]float64{}}},
		{"a part of the ball is on the line", nil, func(p *played) { p.shot(c2, 5, goalLine-.01) }, nil},
		{"own goal", nil, func(p *played) { p.shot(m2, 5, goalLine+.01) }, &want{"goal", "", game.Kickoff, magenta,
			[2]float64{}}},
		{"nobody has touched it", nil, func(p *played) { p.rolls(-goalLine-.01, 0) }, &want{"goal", "", game.Kickoff,
			cyan, [2]float64{}}},
		{"from the own half", nil, func(p *played) { p.shot(c2, -0.01, goalLine+.01) }, &want{"goal_from_own_half",
			cyan, game.GoalKick, magenta, [2]float64{6, 3}}},
		{"from the own half, and another touches it", nil, func(p *played) {
			p.shot(c2, -0.01, 5)
			p.shot(c3, 5,
				goalLine+.01)
		}, &want{"goal", "", game.Kickoff, magenta, [2]float64{}}},
		{"from the own half, and a defender touches it", nil, func(p *played) {
			p.shot(c2, -0.01, 5)
			p.shot(m3, 5,
				goalLine+.01)
		}, &want{"goal", "", game.Kickoff, magenta, [2]float64{}}},

		{"throw-in", nil, func(p *played) { p.touch(c2); p.rolls(2, touchLine-.3); p.rolls(2, touchLine+.01) },
			&want{"ball_out", cyan, game.ThrowIn, magenta, [2]float64{2, 5.7}}},
		{"a part of the ball is on the touch line", nil, func(p *played) { p.touch(c2); p.rolls(2, touchLine-.01) },
			nil},
		{"throw-in near a corner", nil, func(p *played) { p.touch(m2); p.rolls(-8.95, -touchLine-.01) },
			&want{"ball_out", magenta, game.ThrowIn, cyan, [2]float64{-8.7, -5.7}}},
		{"corner", nil, func(p *played) { p.touch(m2); p.rolls(goalLine+.01, -2) }, &want{"ball_out", magenta,
			game.Corner, cyan, [2]float64{8.7, -5.7}}},
		{"goal kick", nil, func(p *played) { p.touch(c2); p.rolls(goalLine+.01, -2) },
			&want{"ball_out", cyan, game.GoalKick, magenta, [2]float64{6, -3}}},
		{"goal kick at the other side", nil, func(p *played) { p.touch(m2); p.rolls(-goalLine-.01, 4) },
			&want{"ball_out", magenta, game.GoalKick, cyan, [2]float64{-6, 3}}},
		{"over the bar", nil, func(p *played) {
			p.touch(c2)
			p.now.Ball.PosW = [3]float64{goalLine + .01, 0,
				1.2}
			p.next()
		}, &want{"ball_out", cyan, game.GoalKick, magenta, [2]float64{6, 3}}},
		{"out, and no robot has touched it", nil, func(p *played) { p.rolls(2, touchLine+.01) },
			&want{"ball_out", "", game.DropBall, "", [2]float64{}}},
		{"who holds the ball has touched it", nil, func(p *played) {
			p.touch(c2)
			p.hold(m2)
			p.rolls(2,
				touchLine+.01)
		}, &want{"ball_out", magenta, game.ThrowIn, cyan, [2]float64{2, 5.7}}},
		{"who kicks the ball has touched it", nil, func(p *played) {
			p.touch(c2)
			p.now.Robots[m3].Kicks++
			p.rolls(2,
				touchLine+.01)
		}, &want{"ball_out", magenta, game.ThrowIn, cyan, [2]float64{2, 5.7}}},
		{"of two the one who presses more", nil, func(p *played) {
			p.touch(c2)
			p.now.Touches = append(p.now.Touches, physics.Touch{A: m2, B: p.now.BallID(), Impulse: 2},
				physics.Touch{A: c3, B: p.now.BallID(), Impulse: 1})
			p.rolls(2, touchLine+.01)
		}, &want{"ball_out", magenta, game.ThrowIn, cyan, [2]float64{2, 5.7}}},

		{"carried too far", nil, func(p *played) { p.hold(c2); p.next(); p.rolls(1, 0); p.rolls(3.01, 0) },
			&want{"dribble_distance", cyan, game.FreeKick, magenta, [2]float64{3.01, 0}}},
		{"carried far", nil, func(p *played) { p.hold(c2); p.next(); p.rolls(2.99, 0); p.rolls(-2.99, 0) }, nil},
		{"carried far, lost for a moment", nil, func(p *played) {
			p.hold(m2)
			p.next()
			p.rolls(2, 0)
			p.hold(nobody)
			p.wait(100 * time.Millisecond)
			p.hold(m2)
			p.rolls(3.01, 0)
		}, &want{"dribble_distance", magenta, game.FreeKick, cyan, [2]float64{3.01, 0}}},
		{"released, and taken again", nil, func(p *played) {
			p.hold(m2)
			p.next()
			p.rolls(2, 0)
			p.hold(nobody)
			p.wait(300 * time.Millisecond)
			p.hold(m2)
			p.rolls(3.01, 0)
		}, nil},
		{"another robot touches it meanwhile", nil, func(p *played) {
			p.hold(m2)
			p.next()
			p.hold(nobody)
			p.touch(m3)
			p.rolls(2, 0)
			p.hold(m2)
			p.rolls(3.01, 0)
		}, nil},
		{"shot, and far away at once", nil, func(p *played) {
			p.hold(c2)
			p.next()
			p.rolls(2.9, 0)
			p.hold(nobody)
			p.now.Robots[c2].Kicks++
			p.rolls(3.01, 0)
			p.rolls(3.5, 0)
		}, nil},
		{"shot across the halfway line", func(r *Rules) { r.Across = false }, func(p *played) {
			p.ball(-1, 0)
			p.hold(c2)
			p.next()
			p.hold(nobody)
			p.rolls(.12, 0)
		}, nil},
		{"carried into a penalty area", nil, func(p *played) { p.ball(5, -1); p.hold(c2); p.next(); p.rolls(8.01, -1) },
			&want{"dribble_distance", cyan, game.FreeKick, magenta, [2]float64{6, -3}}},
		{"across the halfway line", func(r *Rules) { r.Across = false },
			func(p *played) { p.ball(-1, 0); p.hold(c2); p.next(); p.rolls(.12, 0) }, &want{"dribble_halfway", cyan,
				game.FreeKick, magenta, [2]float64{.12, 0}}},
		{"back across the halfway line", func(r *Rules) { r.Across = false },
			func(p *played) { p.ball(1, 0); p.hold(c2); p.next(); p.rolls(-.12, 0) }, &want{"dribble_halfway", cyan,
				game.FreeKick, magenta, [2]float64{-.12, 0}}},
		{"onto the halfway line", func(r *Rules) { r.Across = false },
			func(p *played) { p.ball(-1, 0); p.hold(c2); p.next(); p.rolls(.1, 0) }, nil},
		{"from the halfway line", func(r *Rules) { r.Across = false },
			func(p *played) { p.hold(c2); p.next(); p.rolls(1, 0) }, nil},
		{"across the halfway line where that is allowed", nil,
			func(p *played) { p.ball(-1, 0); p.hold(c2); p.next(); p.rolls(1, 0) }, nil},

		{"the opponents' goal area", nil, func(p *played) { p.robot(m2, -8.3, 1.7); p.wait(2100 * time.Millisecond) },
			&want{"goal_area", magenta, game.FreeKick, cyan, [2]float64{}}},
		{"the opponents' goal area, for a moment", nil, func(p *played) {
			p.robot(m2, -8.3, 1.7)
			p.wait(1900 * time.Millisecond)
			p.robot(m2, 0, 3)
			p.next()
			p.robot(m2, -8.3, 1.7)
			p.wait(time.Second)
		}, nil},
		{"beside the opponents' goal area", nil,
			func(p *played) { p.robot(m2, -8.3, 1.8); p.wait(2100 * time.Millisecond) }, nil},
		{"two attackers", nil, func(p *played) {
			p.robot(m2, -7, 3)
			p.robot(m3, -7, -3)
			p.wait(2100 *
				time.Millisecond)
		}, &want{"attackers", magenta, game.FreeKick, cyan, [2]float64{}}},
		{"one attacker and the goalkeeper", nil, func(p *played) {
			p.robot(m2, -7, 3)
			p.robot(m1, -7,
				-3)
			p.wait(2100 * time.Millisecond)
		}, nil},
		{"the goalkeeper where no attacker may be", func(r *Rules) { r.Attackers = 0 },
			func(p *played) { p.robot(m1, -7, -3); p.wait(2100 * time.Millisecond) }, nil},
		{"an attacker where none may be", func(r *Rules) { r.Attackers = 0 },
			func(p *played) { p.robot(m2, -7, -3); p.wait(2100 * time.Millisecond) }, &want{"attackers", magenta,
				game.FreeKick, cyan, [2]float64{}}},
		{"the goalkeeper where no defender may be", func(r *Rules) { r.Defenders = 0 },
			func(p *played) { p.wait(2100 * time.Millisecond) }, nil},
		{"the goalkeeper in the opponents' goal area", nil,
			func(p *played) { p.robot(m1, -8.3, 1.7); p.wait(2100 * time.Millisecond) }, &want{"goal_area", magenta,
				game.FreeKick, cyan, [2]float64{}}},
		{"two defenders, the ball in the area", nil, func(p *played) {
			p.ball(7, 1)
			p.robot(m2, 7, 3)
			p.robot(m3, 7,
				-3)
			p.wait(2100 * time.Millisecond)
		}, &want{"defenders", magenta, game.FreeKick, cyan, [2]float64{6, 3}}},
		{"one defender and the goalkeeper", nil, func(p *played) {
			p.robot(m2, 7, 3)
			p.robot(m1, 7, -3)
			p.wait(2100 *
				time.Millisecond)
		}, nil},

		{"pushed", nil, func(p *played) { p.pushes(c2, m2, 0, 2, .31) }, &want{"pushing", cyan, game.FreeKick, magenta,
			[2]float64{.81, 2}}},
		{"pushed the other way", nil, func(p *played) { p.pushes(c2, m2, 0, 2, -.31) }, &want{"pushing", magenta,
			game.FreeKick, cyan, [2]float64{-.31, 2}}},
		{"pushed a little", nil, func(p *played) { p.pushes(c2, m2, 0, 2, .29) }, nil},
		{"pushed a mate", nil, func(p *played) { p.pushes(c2, c3, 0, 2, .5) }, nil},
		{"pushed, and no longer", nil, func(p *played) {
			p.pushes(c2, m2, 0, 2, .2)
			p.event(physics.PushEnded, c2, m2)
			p.next()
			p.robot(c2, 1, 2)
			p.robot(m2, 1.5, 2)
			p.next()
		}, nil},
		{"pushed in the own penalty area", nil, func(p *played) { p.pushes(c2, m2, -8, 2, .31) },
			&want{"pushing", cyan, game.Penalty, magenta, [2]float64{-6, 0}}},
		{"pushed in the other penalty area", nil, func(p *played) { p.pushes(c2, m2, 7, 2, .31) },
			&want{"pushing", cyan, game.FreeKick, magenta, [2]float64{6, 3}}},

		{"nobody moves the ball", nil, func(p *played) { p.rolls(1, 1); p.rolls(1.05, 1); p.wait(10 * time.Second) },
			&want{"stuck_ball", "", game.DropBall, "", [2]float64{1.05, 1}}},
		{"the ball moves at last", nil, func(p *played) {
			p.wait(9900 * time.Millisecond)
			p.rolls(.11,
				0)
			p.wait(9 * time.Second)
		}, nil},
	} {
		p := newGame(t, c.change)
		c.do(p)
		if c.want == nil {
			if len(p.all) > 0 || len(p.said) > 0 {
				t.Errorf("%s: got %v", c.name, p.all)
			}
			continue
		}
		if len(p.all) != 1 {
			t.Errorf("%s: got %v, want %v", c.name, p.all, *c.want)
			continue
		}
		d := &p.all[0]
		if got := (want{d.Rule, d.Against, d.Command, d.Team, c.want.ball}); got != *c.want ||
			!near(d.BallW, c.want.ball) {
			t.Errorf("%s: got %v at %v, want %v", c.name, d, d.BallW, *c.want)
		}
		if d.Reason == "" || len(d.Basis) == 0 || d.Step == 0 || d.Time != time.Duration(d.Step)*p.step {
			t.Errorf("%s: %+v says too little", c.name, d)
		}
		if p.g.State().Phase != game.Stopped && p.g.State().Phase != game.SetPiece {
			t.Errorf("%s: play continues", c.name)
		}
		// If the rule is switched off, it decides nothing.
		off := newGame(t, func(r *Rules) {
			if c.change != nil {
				c.change(r)
			}
			r.Off = append(r.Off, c.want.rule)
		})
		if c.do(off); slices.Contains(off.rules(), c.want.rule) {
			t.Errorf("%s: decided though the rule is off", c.name)
		}
	}
}

func near(a, b [2]float64) bool { return math.Hypot(a[0]-b[0], a[1]-b[1]) <= 1e-9 }
