package vision

import (
	"math/rand/v2"
	"testing"
)

// The sets equal those of a naive colouring.
func TestDisjointSets(t *testing.T) {
	const n = 200
	numbers := rand.New(rand.NewPCG(1, 2))
	var s disjointSets
	var want [n]int32
	for i := range want {
		s.Add()
		want[i] = int32(i)
	}
	for range 150 {
		x, y := numbers.Int32N(n), numbers.Int32N(n)
		s.Join(x, y)
		least, other := min(want[x], want[y]), max(want[x], want[y])
		for i := range want {
			if want[i] == other {
				want[i] = least
			}
		}
		for i := range want {
			if got := s.Root(int32(i)); got != want[i] {
				t.Fatalf("root of %d: %d, want %d", i, got, want[i])
			}
		}
	}
}
