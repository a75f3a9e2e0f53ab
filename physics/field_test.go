package physics

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/testdata/must"
)

func msl() Field {
	return Field{
		HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12, PenaltyAreaWidth: 6.5, PenaltyAreaDepth: 2.25, GoalAreaWidth: 3.5, GoalAreaDepth: 0.75,
		PenaltyMark: 3, CentreCircle: 2, CornerArc: 0.75, LineWidth: 0.125, Border: 1.5,
		GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.5, PostWidth: 0.125, WallHeight: 0.3,
	}
}

// The rule book measures to the lines' outer edges, so all paint is inside 18 × 12 m.
func TestMarksReachTheOuterEdgesAndNoFurther(t *testing.T) {
	f := msl()
	var x, y float64
	lines, arcs, spots := 0, 0, 0
	for _, m := range f.Marks() {
		switch m.Kind {
		case spatial.Segment:
			lines++
			for _, p := range [][2]float64{m.A, m.B} {
				x, y = math.Max(x, math.Abs(p[0])+m.Width/2), math.Max(y, math.Abs(p[1])+m.Width/2)
			}
		case spatial.Arc:
			arcs++
			if !(m.Sweep <= 6) && !scalar.EqualWithinAbs(m.Radius+m.Width/2, 2, 1e-12) {
				t.Errorf("centre circle's outer edge at %v m, want 2", m.Radius+m.Width/2)
			}
		case spatial.Spot:
			spots++
		}
	}
	if !scalar.EqualWithinAbs(x, 9, 1e-12) || !scalar.EqualWithinAbs(y, 6, 1e-12) {
		t.Errorf("paint reaches %v × %v m, want 9 × 6", x, y)
	}
	// Two touch lines, one halfway line, two goal lines, two areas of three lines at each end; the circle and the
	// corners; three spots.
	if lines != 17 || arcs != 5 || spots != 3 {
		t.Errorf("%d lines, %d arcs, %d spots; want 17, 5, 3", lines, arcs, spots)
	}
}

func TestInGoal(t *testing.T) {
	f := msl()
	goals := f.Goals()
	const r = 0.11
	for _, c := range []struct {
		goal int
		pos  [3]float64
		want bool
	}{
		{1, [3]float64{9.2, 0, r}, true},
		{1, [3]float64{9.1, 0, r}, false}, // not wholly behind the line
		{1, [3]float64{9.2, 1.05, r}, false},
		{1, [3]float64{9.2, 0, 1.2}, false}, // over the bar
		{1, [3]float64{9.8, 0, r}, false},   // behind the net
		{1, [3]float64{-9.2, 0, r}, false},
		{0, [3]float64{-9.2, 0.5, r}, true},
	} {
		must.Equal(t, f.InGoal(goals[c.goal], c.pos, r), c.want, "goal %d, ball at %v", c.goal, c.pos)
	}
}

func TestGoalsStandOnTheirLines(t *testing.T) {
	f := msl()
	for _, g := range f.Goals() {
		frame, cage := f.GoalPosts(g), f.GoalCage(g)
		for i, b := range append(frame[:], cage[:]...) {
			for k := range 3 {
				if !(b.Min[k] < b.Max[k]) {
					t.Errorf("goal at %v: box %d is inside out: %+v", g.X, i, b)
				}
			}
			if !(g.Side*b.Min[0] >= 9-1e-12) || !(g.Side*b.Max[0] >= 9-1e-12) {
				t.Errorf("goal at %v: box %d stands on the field: %+v", g.X, i, b)
			}
		}
		if gap := frame[0].Min[1] - frame[1].Max[1]; !scalar.EqualWithinAbs(gap, 2, 1e-12) {
			t.Errorf("goal at %v is %v m wide, want 2", g.X, gap)
		}
	}
}
