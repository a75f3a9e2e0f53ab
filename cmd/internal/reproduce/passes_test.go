package reproduce

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/physics"
)

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
		if got := judge(t, c.moments); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestLongestSeries checks that a failed pass ends the longest series.
func TestLongestSeries(t *testing.T) {
	p := newPasses(8)
	for _, came := range []bool{true, true, false, true, true, true, false} {
		p.done = append(p.done, pass{came: came, dribbled: 2})
	}
	if got, want := p.tally(), (series{rate: 62.5, longest: 3, missing: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
