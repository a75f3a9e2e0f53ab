package assess

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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
