package reproduce

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// aSeries plays a few passes in a world.
func aSeries(t *testing.T, world string, c condition) series {
	t.Helper()
	w, err := worlds.LoadWithSeed(world, 8)
	must.Do(t, err)
	s, err := playSeries(t.Context(), w, c, 3, seat.Images{})
	must.Do(t, err)
	return s
}

// TestPassingDependsOnTheWorld checks passes with a seed that puts both boxes in the way. Passes from the robots'
// positions must fail, and passes from better points must arrive. All passes must arrive without boxes, and in a world
// that has its boxes off the line.
func TestPassingDependsOnTheWorld(t *testing.T) {
	aside := filepath.Join(t.TempDir(), "aside.toml")
	text := `name = "aside"
include = ["technical-challenge-refbot"]
[[obstacle]]
name = "left_box"
pose = { x_m = -1.2, y_m = 3.3 }
[[obstacle]]
name = "right_box"
pose = { x_m = 1, y_m = -3.3 }
`
	must.Do(t, os.WriteFile(aside, []byte(text), 0o644))
	for _, c := range []struct {
		world string
		condition
		least, most float64 // % of passes that arrive
	}{
		{"technical-challenge-refbot", condition{true, false}, 0, 34},
		{"technical-challenge-refbot", condition{true, true}, 100, 100},
		{"technical-challenge-refbot", condition{false, false}, 100, 100},
		{aside, condition{true, false}, 100, 100},
	} {
		if s := aSeries(t, c.world, c.condition); !(s.rate >= c.least && s.rate <= c.most) || s.short > 0 ||
			s.missing > 0 {
			t.Errorf("%s, %v: %+v, want %.0f to %.0f %%", filepath.Base(c.world), c.condition, s, c.least, c.most)
		}
	}
}

// TestPassingIsJudged checks that the series decide the verdicts. Obstacles that cost nothing, or cost as much from
// better points, do not reproduce the paper.
func TestPassingIsJudged(t *testing.T) {
	row := func(rates ...float64) (all []series) {
		for _, r := range rates {
			all = append(all, series{rate: r, longest: r / 5})
		}
		return all
	}
	full, half, few := row(100, 100, 95, 100), row(60, 50, 70, 45), row(100, 10, 100, 100)
	for _, c := range []struct {
		name string
		all  outcomes
		want [3]Verdict
	}{
		{"as in the paper", outcomes{full, full, half, full}, [3]Verdict{Reproduced, Reproduced, Reproduced}},
		{"obstacles cost nothing", outcomes{full, full, full, full}, [3]Verdict{Differs, Reproduced, Differs}},
		{"better points do not help", outcomes{full, full, half, half}, [3]Verdict{Reproduced, Differs, Differs}},
		{"seeds differ too much", outcomes{full, full, few, full}, [3]Verdict{Differs, Reproduced, Differs}},
	} {
		trial := &Trial{}
		trial.judgePassing(&c.all, byObjects)
		if len(trial.Findings) != 11 || len(trial.Plots) != 2 || len(trial.Notes) != 1 {
			t.Fatalf("%s: %d findings, %d plots, %d notes", c.name, len(trial.Findings), len(trial.Plots),
				len(trial.Notes))
		}
		for i, want := range c.want {
			f := trial.Findings[8+i]
			if f.Verdict != want {
				t.Errorf("%s: %s, %s: %s, want %s", c.name, f.Name, f.Found(), f.Verdict, want)
			}
			if why := c.name == "seeds differ too much" && want == Differs; (f.Why != "") != why {
				t.Errorf("%s: %s: why: %q", c.name, f.Name, f.Why)
			}
		}
	}
}

// TestPassingByFrontImages checks that two robots pass by raw images, from a better point and past obstacles.
func TestPassingByFrontImages(t *testing.T) {
	trial := &Trial{world: frontWorld}
	w, err := trial.Load(1)
	must.Do(t, err)
	eyes := must.Get(trial.calibrate(t.Context(), w))(t)
	s, err := playSeries(t.Context(), w, condition{true, true}, 1, seat.Images{Sights: sights(eyes)})
	must.Do(t, err)
	must.Equal(t, s, (series{rate: 100, longest: 1}), "series")
}

// TestPassingRefusesOtherWorlds checks that worlds in which two refbot robots cannot play are refused.
func TestPassingRefusesOtherWorlds(t *testing.T) {
	for world, want := range map[string]string{"ten-robots": "world ten-robots: has 10 robots, where two pass",
		"technical-challenge": "world technical-challenge: robot[0].ros1: profiles: must have refbot"} {
		err := runPassing(t.Context(), &Trial{world: world, Progress: func(float64) {}})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", world, err, want)
		}
	}
	w, err := worlds.Load("technical-challenge-refbot")
	must.Do(t, err)
	w.Robots[1].Team = physics.Magenta
	trial := &Trial{world: "technical-challenge-refbot"}
	must.Fail(t, trial.fitsPassing(w), `robot[1]: team = "magenta": must be cyan`, "two teams")
}

// moment is what a step of a series shows: who has the ball and where, the number of kicks of the first robot, and
// whether the ball touches the obstacle.
type moment struct {
	at     time.Duration
	x      float64
	holder int
	kicks  int
	hits   bool
}

// judge returns the tally of a pass by the first of two robots.
func judge(t *testing.T, moments []moment) series {
	t.Helper()
	p := newPasses(1)
	for _, m := range moments {
		s := &physics.Snapshot{Time: m.at, Robots: make([]physics.RobotState, 2),
			Obstacles: make([]physics.ObstacleState, 1)}
		s.Ball.PosW[0], s.Ball.HeldBy, s.Robots[0].Kicks = m.x, m.holder, m.kicks
		s.Touches = []physics.Touch{{A: 0, B: 2}, {A: 1, B: s.BallID()}} // between robots
		if m.hits {
			s.Touches = append(s.Touches, physics.Touch{A: 2, B: s.BallID()})
		}
		p.watch(s)
	}
	return p.tally()
}

// TestPasses checks how passes count, from moments written by hand.
func TestPasses(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name    string
		moments []moment
		want    series
	}{
		{"comes", []moment{{s, -4, 0, 0, false}, {1200 * time.Millisecond, -2, -1, 1, false},
			{4 * s, 1.7, 1, 1, false}}, series{rate: 100, longest: 1}},
		{"glances off the obstacle, and comes", []moment{{s, -4, 0, 0, false}, {1200 * time.Millisecond, -2, -1, 1,
			false}, {2 * s, -1, -1, 1, true}, {4 * s, 1.7, 1, 1, false}}, series{rate: 100, longest: 1, touched: 1}},
		{"too late", []moment{{s, -4, 0, 0, false}, {1200 * time.Millisecond, -2, -1, 1, false},
			{6300 * time.Millisecond, 1.7, 1, 1, false}}, series{}},
		{"dribbled too little", []moment{{s, -2.5, 0, 0, false}, {1200 * time.Millisecond, -2, -1, 1, false},
			{4 * s, 1.7, 1, 1, false}}, series{short: 1}},
		{"dribbled anew", []moment{{s, -4, 0, 0, false}, {1500 * time.Millisecond, -2.5, -1, 0, false},
			{2 * s, -2.5, 0, 0, false}, {2200 * time.Millisecond, -2, -1, 1, false}, {4 * s, 1.7, 1, 1, false}},
			series{short: 1}},
		{"taken before the halfway line", []moment{{s, -4, 0, 0, false}, {1200 * time.Millisecond, -2, -1, 1, false},
			{2 * s, -0.1, 1, 1, false}}, series{}},
		{"back again", []moment{{s, -4, 0, 0, false}, {1200 * time.Millisecond, -2, -1, 1, false},
			{2 * s, -1, 0, 1, false}}, series{}},
		{"kicked twice", []moment{{s, -4, 0, 0, false}, {1200 * time.Millisecond, -2, -1, 1, false},
			{1300 * time.Millisecond, -2, -1, 2, false}}, series{}},
		{"never tried", []moment{{s, -4, 0, 0, false}, {60 * s, -4, 0, 0, false}}, series{missing: 1}},
	} {
		must.Equal(t, judge(t, c.moments), c.want, "%s", c.name)
	}
}

// TestLongestSeries checks that a failed pass ends the longest series.
func TestLongestSeries(t *testing.T) {
	p := newPasses(8)
	for _, came := range []bool{true, true, false, true, true, true, false} {
		p.done = append(p.done, pass{came: came, dribbled: 2})
	}
	must.Equal(t, p.tally(), (series{rate: 62.5, longest: 3, missing: 1}), "tally")
}
