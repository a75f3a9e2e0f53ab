package assess

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// best tries all assignments. It returns the largest possible number of pairs and the smallest sum of costs among
// those.
func best(rows, columns int, cost func(r, c int) float64) (most int, sum float64) {
	most, sum = -1, math.Inf(1)
	taken := make([]bool, columns)
	var try func(row, n int, s float64)
	try = func(row, n int, s float64) {
		if row == rows {
			if n > most || n == most && s < sum {
				most, sum = n, s
			}
			return
		}
		try(row+1, n, s)
		for c := range columns {
			if x := cost(row, c); !taken[c] && !math.IsNaN(x) && !math.IsInf(x, 0) {
				taken[c] = true
				try(row+1, n+1, s+x)
				taken[c] = false
			}
		}
	}
	try(0, 0, 0)
	return most, sum
}

// TestMatch compares the assignment with the best one found by trying all.
func TestMatch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 2000 {
		rows, columns := random.IntN(6), random.IntN(6)
		costs := make([]float64, rows*columns)
		for i := range costs {
			switch costs[i] = 10 * random.Float64(); {
			case random.Float64() < 0.3:
				costs[i] = math.Inf(1)
			case random.Float64() < 0.05:
				costs[i] = math.NaN()
			case random.Float64() < 0.1:
				costs[i] = 0
			}
		}
		cost := func(r, c int) float64 { return costs[r*columns+c] }
		got := match(rows, columns, cost)
		count, sum, seen := 0, 0.0, []int{}
		for r, c := range got {
			if c < 0 {
				continue
			}
			if slices.Contains(seen, c) {
				t.Fatalf("%d: column %d twice in %v", n, c, got)
			}
			seen, count, sum = append(seen, c), count+1, sum+cost(r, c)
		}
		most, least := best(rows, columns, cost)
		if len(got) != rows || count != most || !(math.Abs(sum-least) < 1e-9) {
			t.Fatalf("%d: %v of %v: %d pairs of cost %v, want %d of %v", n, got, costs, count, sum, most, least)
		}
	}
}

// TestHistory checks interpolation between two states. For even acceleration and even turning it must be exact. A body
// that was placed elsewhere has no motion before that.
func TestHistory(t *testing.T) {
	const step = 20 * time.Millisecond
	pos := func(s float64) mgl64.Vec3 { return mgl64.Vec3{1 + 2*s + 3*s*s, -s, 0} }
	state := func(s float64) *physics.Snapshot {
		now := &physics.Snapshot{Time: time.Duration(math.Round(s * 1e9)), Robots: make([]physics.RobotState, 1)}
		r := &now.Robots[0]
		r.PoseWB = spatial.Pose{Pos: pos(s), Rot: spatial.RotZ(3 * s)}
		r.TwistWBInW = spatial.Twist{Lin: mgl64.Vec3{2 + 6*s, -1, 0}, Ang: mgl64.Vec3{0, 0, 3}}
		now.Ball.PosW = mgl64.Vec3{0, 1, 0.11}
		if s > 1 {
			now.Ball.PosW = mgl64.Vec3{5, 1, 0.11}
		}
		return now
	}
	h := newHistory(step)
	var got physics.Snapshot
	if h.at(0, &got) {
		t.Error("a state without any")
	}
	for i := range 200 { // 4 s, of which the history keeps the last 2.5 s
		h.add(state(float64(i) * step.Seconds()))
	}
	for _, s := range []float64{1.6, 2.0031, 2.01, 3.98} {
		if !h.at(time.Duration(math.Round(s*1e9)), &got) {
			t.Fatalf("no state of %v s", s)
		}
		p := got.Robots[0].PoseWB
		if off := p.Pos.Sub(pos(s)).Len(); !(off < 1e-9) ||
			!(math.Abs(math.Remainder(p.Heading()-3*s, 2*math.Pi)) < 1e-5) {
			t.Errorf("%v s: off by %v m, heading %v, want %v", s, off, p.Heading(), 3*s)
		}
	}
	for _, s := range []float64{0.5, 3.99, -1} {
		if h.at(time.Duration(math.Round(s*1e9)), &got) {
			t.Errorf("a state of %v s", s)
		}
	}
	h.clear()
	for i := range 60 {
		h.add(state(float64(i) * step.Seconds()))
	}
	if !h.at(1010*time.Millisecond, &got) || got.Ball.PosW[0] != 0 {
		t.Errorf("half a step before it was placed the ball was at %v", got.Ball.PosW)
	}
}
