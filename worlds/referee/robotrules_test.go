package referee

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// tilt makes a robot lean to its side, degrees.
func (p *played) tilt(i int, deg float64) {
	p.now.Robots[i].PoseWB.Rot = spatial.RPY([3]float64{}, deg*math.Pi/180, 0, 1).Rot
}

func (p *played) stuck(i int, stuck bool) { p.now.Robots[i].Stuck = stuck }

// The state of a robot, and when it leaves the field because of it; 0 if it stays.
func TestRobotRules(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name string
		do   func(p *played, at time.Duration) // called before the step of each time
		rule string
		at   time.Duration
	}{
		{"falls", func(p *played, at time.Duration) { p.tilt(c2, 46) }, "fallen", 3*s + 10*time.Millisecond},
		{"leans", func(p *played, at time.Duration) { p.tilt(c2, 44) }, "", 0},
		{"is on its head", func(p *played, at time.Duration) { p.tilt(c2, 180) }, "fallen", 3*s + 10*time.Millisecond},
		{"falls and gets up",
			func(p *played, at time.Duration) { p.tilt(c2, map[bool]float64{true: 0, false: 60}[at == 2*s]) }, "fallen",
			5*s + 20*time.Millisecond},
		{"falls while play is stopped", func(p *played, at time.Duration) { p.tilt(c2, 60); p.ball(0, 7) }, "fallen",
			3*s + 10*time.Millisecond},
		{"is stuck", func(p *played, at time.Duration) { p.stuck(c2, true) }, "stuck_robot",
			10*s + 10*time.Millisecond},
		{"is stuck and gets on slowly", func(p *played, at time.Duration) {
			p.stuck(c2, true)
			p.robot(c2,
				-5+at.Seconds()*.02, 1)
		}, "", 0},
		{"is stuck and gets on too slowly", func(p *played, at time.Duration) {
			p.stuck(c2, true)
			p.robot(c2,
				-5+at.Seconds()*.009, 1)
		}, "stuck_robot", 10*s + 10*time.Millisecond},
		{"is free for a moment", func(p *played, at time.Duration) {
			p.stuck(c2, at < 4*s ||
				at > 5*s-20*time.Millisecond)
		}, "stuck_robot", 10*s + 10*time.Millisecond},
		{"is free for longer", func(p *played, at time.Duration) {
			p.stuck(c2, at < 4*s ||
				at > 5*s-10*time.Millisecond)
		}, "", 0},
		{"is stuck no more", func(p *played, at time.Duration) { p.stuck(c2, at < 9*s) }, "", 0},
	} {
		p := newGame(t, func(r *Rules) { r.StuckFor = time.Hour })
		var got Decision
		for got.Rule == "" && p.now.Time < 12*s {
			c.do(p, p.now.Time)
			p.next()
			for _, d := range p.all {
				if d.Command == game.Repair {
					got = d
				}
			}
		}
		switch {
		case got.Rule != c.rule || got.Time != c.at:
			t.Errorf("%s: %s at %v, want %s at %v", c.name, got.Rule, got.Time, c.rule, c.at)
		case c.rule != "" && (!slices.Equal(got.Robots, []string{"cyan2"}) || got.Team != "cyan" || got.Against != "" ||
			p.roster.Standings()[c2].Out != game.Repair):
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.rule != "" { // the robot has left
			n := len(p.all)
			for range 400 {
				c.do(p, 0)
				p.next()
			}
			if slices.ContainsFunc(p.all[n:], func(d Decision) bool { return d.Command == game.Repair }) {
				t.Errorf("%s: decided again: %+v", c.name, p.all[n:])
			}
		}
	}
}

// Key frames contain the memory of the rules about robots.
func TestRobotRulesAreKept(t *testing.T) {
	p := newGame(t, nil)
	p.tilt(c2, 60)
	p.stuck(m2, true)
	p.wait(2 * time.Second)
	saved := keyframe.Append(nil)
	p.r.Exchange(saved)
	q := newGame(t, nil)
	restored := keyframe.Restore(saved.Data())
	q.r.Exchange(restored)
	must.Do(t, restored.End())
	p.now.Robots[c2].PoseWB.Rot, p.now.Robots[m2].Stuck = spatial.Planar(0, 0, 0).Rot, false
	q.now, q.g = p.now, p.g
	q.tilt(c2, 60)
	q.wait(1010 * time.Millisecond)
	must.Equal(t, q.rules(), []string{"fallen"}, "rules")
}

// A robot off the field takes no set piece, and need not keep a distance.
func TestRobotsOffTheField(t *testing.T) {
	p := newGame(t, nil)
	p.robot(c2, 0, -.5)
	p.robot(m2, 0, 1)
	if got := p.r.match.nearest("cyan", [2]float64{}); got != c2 {
		t.Errorf("robot %d is nearest", got)
	}
	p.roster.Command(game.Repair, c2, 0)
	p.roster.Command(game.RedCard, m2, 0)
	if got := p.r.match.nearest("cyan", [2]float64{}); got != c3 {
		t.Errorf("robot %d is nearest", got)
	}
	if got := p.r.match.tooNear(game.FreeKick, "cyan", [2]float64{}, nil); len(got) > 0 {
		t.Errorf("%v are too near", got)
	}
}

// A robot that pushes repeatedly gets a yellow card, and after as many further pushes a double yellow, whatever others
// do.
func TestRepeatedFouls(t *testing.T) {
	p := newGame(t, func(r *Rules) { r.FoulsForYellow = 2 })
	push := func(a int) {
		p.r.enter(playing)
		p.r.play("", "")
		p.g.Command(game.Start, "")
		p.next()
		p.pushes(a, m3, 0, 2, .4)
		p.g.Command(game.Stop, "")
		p.next()
	}
	var got []string
	for _, by := range []int{c2, c3, c2, c2, c2, c3} {
		push(by)
	}
	for _, d := range p.all {
		if d.Rule == repeatedFouls {
			got = append(got, string(d.Command)+" "+d.Robots[0])
		}
	}
	if want := []string{"yellow_card cyan2", "double_yellow cyan2", "yellow_card cyan3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q: %v", got, want, p.all)
	}
	if s := p.roster.Standings(); s[c2].Out != game.DoubleYellow || s[c3] != (game.Standing{Yellow: 1}) {
		t.Errorf("%+v", s)
	}
}

// How much of the ball a hull covers, seen from above: a disc of 0.25 m, and a box of 0.5 m × 0.4 m turned by 90°.
func TestCovered(t *testing.T) {
	p := newGame(t, nil)
	m := &p.r.match
	for _, c := range []struct {
		box  bool
		x, y float64 // position of the ball
		want float64
	}{
		{false, .25 + radius, 0, 0}, {false, 0, .25, .5}, {false, .25 + radius - .066, 0, .3}, {false, .14, 0, 1},
		{false, 0, 0, 1}, {false, -1, 0, 0},
		{true, 0, .25, .5}, {true, .2, 0, .5}, {true, .2 + radius, 0, 0}, {true, .15, 0, .5 + .05/(2*radius)},
		{true, .2 + .06, .25 + .08, (radius - .1) / (2 * radius)}, {true, 0, 0, 1},
	} {
		body := &m.model.Robots[c2].Body
		if body.Length, body.Width = 0, 0; c.box {
			body.Length, body.Width = .5, .4
		}
		p.now.Robots[c2].PoseWB = spatial.Planar(0, 0, math.Pi/2)
		p.ball(c.x, c.y)
		if got := m.covered(c2); !(math.Abs(got-c.want) < 1e-9) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A robot that covers the ball too long commits a foul. It may cover it briefly, or cover less.
func TestBallCovered(t *testing.T) {
	for _, c := range []struct {
		name string
		at   func(step int) float64 // distance of the ball in front of the robot's centre
		want time.Duration          // 0 if never
	}{
		{"too much", func(int) float64 { return .28 }, 1010 * time.Millisecond},
		{"not too much", func(int) float64 { return .287 }, 0},
		{"for a moment", func(step int) float64 { return map[bool]float64{true: .34, false: .26}[step%100 == 99] }, 0},
	} {
		p := newGame(t, nil)
		p.robot(c2, 0, 0)
		p.hold(c2)
		for step := 1; step < 300 && len(p.all) == 0; step++ {
			p.ball(c.at(step), 0)
			p.next()
		}
		switch {
		case c.want == 0 && len(p.all) == 0:
		case len(p.all) != 1 || p.all[0].Rule != "ball_covered" || p.all[0].Time != c.want ||
			p.all[0].Against != "cyan" || p.all[0].Team != "magenta":
			t.Errorf("%s: %v", c.name, p.all)
		}
	}
}
