package referee

import (
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// commands returns the orders so far; a placement of the ball is "ball".
func (p *played) commands() (all []string) {
	for _, o := range p.said {
		name := string(o.Command)
		switch {
		case name == "":
			name = "ball"
		case o.Team != "":
			name += " " + string(o.Team)
		}
		all = append(all, name)
	}
	return all
}

func (p *played) expect(what string, want ...string) {
	p.t.Helper()
	must.Equal(p.t, p.commands(), want, "%s", what)
	p.said = nil
}

// A goal, and everything that follows until the ball is in play again, second by second.
func TestRestart(t *testing.T) {
	p := newGame(t, nil)
	p.shot(c2, 5, goalLine+.01)
	p.expect("a goal", "stop", "goal cyan")
	p.keepAway()
	p.wait(1990 * time.Millisecond)
	p.expect("before two seconds")
	p.next()
	p.expect("two seconds after the stop", "ball", "kickoff magenta")
	if p.next(); !near([2]float64{p.now.Ball.PosW[0], p.now.Ball.PosW[1]}, [2]float64{}) {
		t.Errorf("the ball is at %v", p.now.Ball.PosW)
	}
	p.wait(1980 * time.Millisecond)
	p.expect("before robots have their places")
	p.next()
	p.expect("all have kept their distances for two seconds", "start")
	must.Equal(t, p.g.State(), (game.State{Phase: game.Playing, Half: "first_half", SetPiece: game.Kickoff,
		Team: physics.Magenta, Score: game.Score{Cyan: 1}}), "game")
	p.wait(5 * time.Second) // m2 fetches the ball
	p.touch(m2)
	p.rolls(.21, 0)
	if p.next(); p.r.stage != playing || p.r.Tally().LongestRestart != 9010*time.Millisecond {
		t.Errorf("stage %d after %v", p.r.stage, p.r.Tally().LongestRestart)
	}
	if names := p.rules(); !slices.Equal(names, []string{"goal"}) {
		t.Errorf("got %v", p.all)
	}
}

// A robot that is too close delays the start, but not for ever.
func TestEncroachment(t *testing.T) {
	p := newGame(t, nil)
	p.keepAway()
	p.robot(c3, -2.9, 0)
	p.shot(c2, 5, goalLine+.01)
	p.wait(2 * time.Second)
	p.said = nil
	p.wait(6990 * time.Millisecond)
	p.expect("before seven seconds")
	p.next()
	p.expect("after seven seconds", "start")
	d := p.all[len(p.all)-1]
	if d.Rule != encroachment || d.Against != physics.Cyan || !slices.Equal(d.Robots, []string{"cyan3"}) ||
		d.Command != "" || d.Basis[1].Value != 2.9 || d.Basis[1].Limit != 3 {
		t.Errorf("got %+v", d)
	}
	p = newGame(t, nil)
	p.keepAway()
	p.robot(c3, -2.9, 0)
	p.shot(c2, 5, goalLine+.01)
	p.wait(5 * time.Second)
	p.said = nil
	p.robot(c3, -3.1, 0)
	p.next()
	p.expect("it keeps its distance at last", "start")
}

// Distances at set pieces: one robot keeps its distance, and one is slightly too close.
func TestPlacesAtSetPieces(t *testing.T) {
	for _, c := range []struct {
		name  string
		piece game.Command
		team  physics.Team
		ball  [2]float64
		robot int
		at    [2]float64
		keeps bool
	}{
		{"taker", game.FreeKick, physics.Cyan, [2]float64{}, c2, [2]float64{-.4, 0}, true},
		{"mate", game.FreeKick, physics.Cyan, [2]float64{}, c3, [2]float64{-1.9, 0}, false},
		{"mate, farther", game.FreeKick, physics.Cyan, [2]float64{}, c3, [2]float64{-2.1, 0}, true},
		{"opponent", game.Corner, physics.Cyan, [2]float64{}, m3, [2]float64{2.9, 0}, false},
		{"opponent, farther", game.ThrowIn, physics.Cyan, [2]float64{}, m3, [2]float64{3.1, 0}, true},
		{"opponent in its own area", game.FreeKick, physics.Cyan, [2]float64{6, 0}, m3, [2]float64{6.9, 0}, true},
		{"opponent in the other area", game.GoalKick, physics.Cyan, [2]float64{-6, 0}, m3, [2]float64{-6.9, 0}, false},
		{"kick-off, opponent in the wrong half", game.Kickoff, physics.Cyan, [2]float64{}, m3, [2]float64{-.1, 5},
			false},
		{"kick-off, mate in the wrong half", game.Kickoff, physics.Cyan, [2]float64{}, c3, [2]float64{.1, 5}, false},
		{"kick-off, taker in the wrong half", game.Kickoff, physics.Cyan, [2]float64{}, c2, [2]float64{.3, 0}, true},
		{"dropped ball", game.DropBall, "", [2]float64{}, m3, [2]float64{.9, 0}, false},
		{"dropped ball, farther", game.DropBall, "", [2]float64{}, c3, [2]float64{1.1, 0}, true},
		{"penalty, in the area", game.Penalty, physics.Cyan, [2]float64{6, 0}, m3, [2]float64{7, -3.2}, false},
		{"penalty, goalkeeper", game.Penalty, physics.Cyan, [2]float64{6, 0}, m1, [2]float64{8.5, 0}, true},
		{"penalty, mate too near", game.Penalty, physics.Cyan, [2]float64{6, 0}, c3, [2]float64{3.1, 0}, false},
		{"penalty, mate", game.Penalty, physics.Cyan, [2]float64{6, 0}, c3, [2]float64{2.9, 0}, true},
	} {
		p := newGame(t, nil)
		p.robot(c2, c.ball[0]-.5, c.ball[1]) // the taker
		if c.team == "" {
			p.robot(c2, -4, 4)
		}
		p.robot(c3, -4, 5)
		p.robot(m2, 4.5, 5)
		p.robot(m3, 4, -5)
		p.robot(c.robot, c.at[0], c.at[1])
		got := p.r.match.tooNear(c.piece, c.team, c.ball, nil)
		if slices.Contains(got, c.robot) == c.keeps || len(got) > 1 || len(got) == 1 && got[0] != c.robot {
			t.Errorf("%s: %v are too near", c.name, got)
		}
	}
}

// begun returns a game in which a kick-off of cyan has been started.
func begun(t testing.TB, change func(*Rules)) *played {
	p := newGame(t, func(r *Rules) {
		r.KickOff = "cyan"
		if change != nil {
			change(r)
		}
	})
	p.keepAway()
	p.wait(4 * time.Second)
	p.expect("the game begins", "first_half", "stop", "ball", "kickoff cyan", "start")
	return p
}

// Both halves: a kick-off for each team, and the end.
func TestHalves(t *testing.T) {
	p := begun(t, func(r *Rules) { r.Half, r.Break = 5*time.Second, 3*time.Second })
	p.touch(c2)
	p.rolls(1, 0)
	p.wait(4980 * time.Millisecond)
	p.expect("before the half is over")
	p.next()
	p.expect("the half is over", "half_time")
	p.wait(3 * time.Second)
	p.expect("after the break", "second_half", "stop")
	p.wait(4 * time.Second)
	p.expect("the second half", "ball", "kickoff magenta", "start")
	p.wait(5 * time.Second)
	p.expect("the game is over", "end_game")
	p.wait(20 * time.Second)
	p.expect("afterwards")
	must.Equal(t, p.rules(), []string{half, half}, "rules")
	p = begun(t, func(r *Rules) { r.Half, r.Off = 5*time.Second, []string{half, "stuck_ball"} })
	p.wait(30 * time.Second)
	p.expect("without halves")
}

// A ball that would be placed at a robot is placed next to it, closer to the middle. A ball moved before the start is
// placed again.
func TestBallIsPutWhereNobodyStands(t *testing.T) {
	p := newGame(t, nil)
	p.touch(c2)
	p.rolls(2, touchLine+.01)
	p.keepAway()
	p.robot(c3, 2, 5.7)
	p.robot(m3, 2, 5.5)
	p.wait(2 * time.Second)
	ball := [2]float64{p.now.Ball.PosW[0], p.now.Ball.PosW[1]}
	for i := range p.now.Robots {
		if gap := distance(ball, p.r.match.robotPos(i)) - .25 - radius; !(gap > besideGap-1e-6) {
			t.Errorf("%s is %v m from the ball", p.r.match.name(i), gap)
		}
	}
	if d := distance(ball, [2]float64{2, 5.7}); !(d < 1) {
		t.Errorf("the ball is at %v", ball)
	}
	p.ball(0, 0)
	p.said = nil
	p.wait(8 * time.Second)
	p.expect("it was moved", "ball", "start")
	if got := [2]float64{p.now.Ball.PosW[0], p.now.Ball.PosW[1]}; !near(got, ball) {
		t.Errorf("the ball is at %v, was put at %v", got, ball)
	}
}

// Commands of others stay in force until play continues.
func TestOthersCommand(t *testing.T) {
	p := newGame(t, nil)
	p.g.Command(game.Stop, "")
	p.g.Command(game.Corner, physics.Magenta)
	p.rolls(0, touchLine+.01)
	p.wait(30 * time.Second)
	p.expect("while others command")
	p.ball(8.7, 5.7)
	p.g.Command(game.Start, "")
	p.touch(c2)
	p.next()
	if got := p.rules(); !slices.Equal(got, []string{"set_piece_touch"}) {
		t.Errorf("got %v", p.all)
	}
	p.expect("a touch of the others", "stop")
	p.wait(4 * time.Second)
	if s := p.g.State(); s.SetPiece != game.Corner || s.Team != physics.Magenta {
		t.Errorf("got %+v", s)
	}
}

// A restored referee continues like the saved one, at any moment.
func TestKeyFrames(t *testing.T) {
	change := func(r *Rules) { r.Half, r.Break = 40*time.Second, 5*time.Second }
	script := func(p *played, step int) {
		switch step % 700 {
		case 450:
			at := p.r.match.placeW
			p.ball(at[0]+.3, at[1])
		case 460:
			p.hold(c2)
		case 470:
			p.ball(5, 1)
		case 500:
			p.hold(nobody)
			p.touch(m3)
			p.robot(m2, -8.3, 0)
			p.event(physics.PushBegan, c3, m3)
		case 640:
			p.rolls(1, -touchLine-.2)
		}
		p.next()
	}
	p := begun(t, change)
	const steps = 7000
	for step := range steps {
		if step%333 == 0 {
			c := keyframe.Append(nil)
			p.r.Exchange(c)
			other := New(p.r.rules, testModel())
			back := keyframe.Restore(c.Data())
			other.match.now = p.now
			if other.Exchange(back); back.End() != nil {
				t.Fatal(back.End())
			}
			p.r = other
		}
		script(p, step)
	}
	want := begun(t, change)
	for step := range steps {
		script(want, step)
	}
	if got, want := p.all, want.all; len(want) < 8 || !slices.EqualFunc(got, want,
		func(a, b Decision) bool { return a.String() == b.String() && a.BallW == b.BallW }) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if p.r.Tally().Played == 0 || p.r.Tally().Played != want.r.Tally().Played || !slices.Equal(p.r.Tally().Rules,
		want.r.Tally().Rules) {
		t.Errorf("got %+v, want %+v", p.r.Tally(), want.r.Tally())
	}
}

// Steps without a decision allocate nothing.
func TestObserveAllocatesNothing(t *testing.T) {
	p := begun(t, nil)
	p.touch(c2)
	p.rolls(1, 0)
	p.now.Ball.HeldBy = c2
	touches := []physics.Touch{{A: c2, B: p.now.BallID(), Impulse: 1}}
	x := 0.0
	must.Equal(t, testing.AllocsPerRun(1000, func() {
		x += .001
		p.now.Ball.PosW[0] = 1 + x
		p.now.Touches = touches
		p.now.Step++
		p.now.Time += p.step
		if decisions, orders := p.r.Observe(p.now, p.g.State(), p.roster.Standings()); len(decisions)+len(orders) > 0 {
			t.Fatal(decisions)
		}
	}), 0, "allocations a step")
}

func BenchmarkObserve(b *testing.B) {
	p := begun(b, func(r *Rules) { r.Off = []string{half, "stuck_ball"} })
	p.touch(c2)
	p.rolls(1, 0)
	b.ReportAllocs()
	for b.Loop() {
		p.now.Step++
		p.now.Time += p.step
		p.r.Observe(p.now, p.g.State(), p.roster.Standings())
	}
}
