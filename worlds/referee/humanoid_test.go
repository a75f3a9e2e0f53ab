package referee

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// humanoids starts a game of humanoids whose kick-off cyan is about to take, in the step of the start.
func humanoids(t testing.TB, change func(*Rules)) *played {
	p := newGameBy(t, Humanoid, func(r *Rules) {
		r.KickOff = "cyan"
		if change != nil {
			change(r)
		}
	})
	p.keepAway()
	p.wait(12 * time.Second)
	return p
}

// The kick-off: robots take their places, then stand still for five seconds, then have ten for the kick-off.
func TestKickOffOfHumanoids(t *testing.T) {
	p := newGameBy(t, Humanoid, func(r *Rules) { r.KickOff = "cyan" })
	p.keepAway()
	p.robot(m2, .7, 0)
	p.wait(46990 * time.Millisecond)
	p.expect("while a robot is in the circle", "first_half", "stop", "ball", "kickoff cyan")
	p.next()
	p.expect("after 2 s and 45 s", "set")
	if s := p.g.State(); s.Phase != game.InSet || s.SetPiece != game.Kickoff {
		t.Errorf("got %+v", s)
	}
	p.wait(4990 * time.Millisecond)
	p.expect("while all stand still")
	p.next()
	p.expect("after five seconds", "start", "penalise magenta")
	if d := p.all[0]; d.Rule != "illegal_position" || d.Removal != (game.Removal{Offence: game.IllegalPosition,
		For: 30 * time.Second}) || d.Basis[0].Value != .7 || d.Basis[0].Limit != .75 {
		t.Errorf("got %+v", d)
	}
	p.wait(9990 * time.Millisecond)
	if p.r.StageLeft() != 10*time.Millisecond || p.r.stage != taking {
		t.Errorf("%v are left of stage %d", p.r.StageLeft(), p.r.stage)
	}
	if p.next(); p.r.stage != playing || p.all[len(p.all)-1].Rule != lapse {
		t.Errorf("got %v", p.all)
	}
}

// What each rule about single robots penalises, and when; 0 if it does not. Times count from the start.
func TestRobotRulesOfHumanoids(t *testing.T) {
	const s, step = time.Second, 10 * time.Millisecond
	inPlay := func(p *played) { p.touch(c2); p.rolls(.06, 0) }
	for _, c := range []struct {
		name  string
		begin func(p *played)
		do    func(p *played, after time.Duration)
		robot string
		rule  string
		at    time.Duration
	}{
		{"falls", nil, func(p *played, _ time.Duration) { p.tilt(c2, 50) }, "cyan2", "fallen", 20*s + step},
		{"gets up", nil, func(p *played, at time.Duration) {
			p.tilt(c2, map[bool]float64{true: 50, false: 0}[at < 19*s])
		}, "", "", 0},
		{"a goalkeeper and a ball near it", inPlay, func(p *played, _ time.Duration) { p.ball(-8.6, .3) }, "cyan1",
			"inactive_goalkeeper", 20*s + 2*step},
		{"a goalkeeper comes nearer", inPlay, func(p *played, at time.Duration) {
			p.ball(-8.6, .3)
			p.robot(c1, -8.9+.006*at.Seconds(), 0)
		}, "", "", 0},
		{"a ball farther away", inPlay, func(p *played, _ time.Duration) { p.ball(-8.2, .45) }, "", "", 0},
		{"a field player", inPlay, func(p *played, _ time.Duration) {
			p.ball(-8.6, .3)
			p.robot(c1, -5, 0)
			p.robot(c2, -8.5, 0)
		}, "", "", 0},
		{"stays off the carpet", inPlay, func(p *played, _ time.Duration) { p.robot(m3, 3, 6.1) }, "magenta3", "left_field",
			20*s + 2*step},
		{"comes back", inPlay, func(p *played, at time.Duration) {
			p.robot(m3, 3, map[bool]float64{true: 6.1, false: 5.9}[at < 19*s])
		}, "", "", 0},
		{"enters the circle", nil, func(p *played, at time.Duration) { p.robot(m3, .76-at.Seconds()*.01, .01) }, "magenta3",
			"illegal_position", s + 2*step},
		{"enters the other half", nil, func(p *played, at time.Duration) { p.robot(m3, 1-at.Seconds(), 3) }, "magenta3",
			"illegal_position", s + 2*step},
		{"enters the circle in play", inPlay, func(p *played, at time.Duration) { p.robot(m3, .76-at.Seconds()*.01, .01) }, "",
			"", 0},
		{"enters the other half after a stop", func(p *played) { p.touch(m2) },
			func(p *played, _ time.Duration) { p.robot(m3, -1, 3) }, "", "", 0},
		{"a mate of the taker", nil, func(p *played, _ time.Duration) { p.robot(c3, -.5, .2) }, "", "", 0},
	} {
		p := humanoids(t, func(r *Rules) { r.StuckFor = time.Hour })
		p.all = nil
		if c.begin != nil {
			c.begin(p)
		}
		from := p.now.Time
		if c.begin != nil {
			from -= step
		}
		var got Decision
		for got.Rule == "" && p.now.Time-from < 25*s {
			c.do(p, p.now.Time-from)
			p.next()
			for _, d := range p.all {
				if d.Command == game.Penalise {
					got = d
				}
			}
		}
		if got.Rule != c.rule {
			t.Errorf("%s: got %v, want %q", c.name, got, c.rule)
			continue
		}
		if c.rule == "" {
			continue
		}
		if at := got.Time - from; at != c.at || !slices.Equal(got.Robots, []string{c.robot}) || len(got.Basis) == 0 ||
			got.Removal.For != 30*s || p.roster.Standings()[p.r.match.find(c.robot)].Removal != got.Removal {
			t.Errorf("%s: after %v: %+v", c.name, at, got)
		}
	}
}

// A robot that moves while all must stand still leaves the field for ten seconds. It may come to rest first.
func TestMotionInSet(t *testing.T) {
	for _, c := range []struct {
		until time.Duration // how long it walks on after the command set, at 0.3 m/s
		want  []string
	}{{1900 * time.Millisecond, nil}, {2600 * time.Millisecond, nil},
		{2800 * time.Millisecond, []string{motionInSet}}} {
		p := newGameBy(t, Humanoid, func(r *Rules) { r.KickOff = "cyan" })
		p.keepAway()
		p.wait(7 * time.Second)
		for from := p.now.Time; p.now.Time-from < 4*time.Second; p.next() {
			p.robot(c2, -5+.3*min(c.until, p.now.Time-from).Seconds(), 4)
		}
		if got := p.rules(); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v", c.until, p.all)
		}
		if c.want != nil && p.all[0].Removal != (game.Removal{Offence: game.MotionInSet, For: 10 * time.Second}) {
			t.Errorf("got %+v", p.all[0])
		}
	}
}

// Humanoids push an opponent by contact alone, and later removals of a team's robots are longer.
func TestPushingOfHumanoids(t *testing.T) {
	for _, c := range []struct {
		name string
		by   float64 // distance driven in 1 s
		hold int     // steps between contacts
		want bool
	}{{"drives it back", .16, 1, true}, {"not far enough", .14, 1, false}, {"in contact now and then", .16, 25, true},
		{"in contact too seldom", .16, 35, false}} {
		p := newGameBy(t, Humanoid, nil)
		for i := range 100 {
			x := c.by * float64(i+1) / 100
			p.robot(c2, -4+x, 3)
			p.robot(m2, -3.6+x, 3)
			if i%c.hold == 0 {
				p.now.Touches = []physics.Touch{{A: c2, B: m2, Impulse: .01}}
			}
			p.next()
		}
		if got := slices.Contains(p.rules(), pushingRule); got != c.want {
			t.Errorf("%s: %v", c.name, p.all)
		}
		if c.want && (p.all[0].Command != game.FreeKick || p.all[0].Removal.Offence != game.Pushing ||
			p.g.State().Phase != game.Stopped || p.roster.Standings()[c2].Out != game.Penalise) {
			t.Errorf("%s: %+v", c.name, p.all[0])
		}
	}
	p := newGameBy(t, Humanoid, nil)
	for k, want := range []time.Duration{30, 45, 30, 60} {
		team := [...]physics.Team{physics.Cyan, physics.Cyan, physics.Magenta, physics.Cyan}[k]
		d := Decision{Rule: pushingRule, Robots: []string{fmt.Sprintf("%s2", team)}}
		if p.r.setRemoval(&d); d.Removal.For != want*time.Second {
			t.Errorf("removal %d of %s lasts %v", k, team, d.Removal.For)
		}
	}
}

// A lead of ten goals ends the game, in the step after the goal.
func TestMercy(t *testing.T) {
	p := newGameBy(t, Humanoid, nil)
	for range 9 {
		p.g.Command(game.Goal, physics.Magenta)
	}
	p.next()
	p.shot(m2, -5, -goalLine-.01)
	p.next()
	p.expect("the tenth goal", "stop", "goal magenta", "end_game")
	p.wait(time.Minute)
	p.expect("afterwards")
	if d := p.all[1]; d.Rule != mercy || d.Basis[0].Value != 10 {
		t.Errorf("got %+v", d)
	}
}

// Key frames contain the memory of the rules about humanoids.
func TestHumanoidsAreKept(t *testing.T) {
	play := func(p *played, from, to int) {
		for i := from; i < to; i++ {
			p.tilt(c3, 60)
			p.robot(m3, 3, 6.5)
			p.ball(-8.6, .3)
			p.robot(c2, -4+float64(i)*.00007, 3)
			p.robot(m2, -3.6+float64(i)*.00007, 3)
			if i%20 == 0 {
				p.now.Touches = []physics.Touch{{A: c2, B: m2, Impulse: .01}}
			}
			p.next()
		}
	}
	p, want := newGameBy(t, Humanoid, nil), newGameBy(t, Humanoid, nil)
	play(want, 0, 2500)
	play(p, 0, 1000)
	c := keyframe.Append(nil)
	p.r.Exchange(c)
	other := New(p.r.rules, testModel())
	back := keyframe.Restore(c.Data())
	other.match.now = p.now
	other.Exchange(back)
	must.Do(t, back.End())
	p.r = other
	play(p, 1000, 2500)
	if got := p.rules(); len(got) < 4 || !slices.Equal(got, want.rules()) {
		t.Errorf("got %v, want %v", p.all, want.all)
	}
}

// Off may name only rules of the book.
func TestRulesOfTheBook(t *testing.T) {
	for book, rule := range map[Book]string{MSL: mercy, Humanoid: "double_touch"} {
		r := DefaultRules(book)
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		r.Off = []string{rule}
		if r.Validate() == nil {
			t.Errorf("%s has no rule %s", book, rule)
		}
	}
}
