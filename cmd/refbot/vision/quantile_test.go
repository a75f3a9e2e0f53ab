package vision

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// At any time the quantile is that of all numbers so far, sorted.
func TestQuantileIsThatOfTheSortedNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share, most := rapid.Float64Range(0, 0.9).Draw(t, "share"), rapid.IntRange(1, 30).Draw(t, "most")
		q := newQuantile(share, most)
		if q.at != most {
			t.Fatalf("of no numbers: %d, want %d", q.at, most)
		}
		var all []int
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, most), 1, 60).Draw(t, "numbers") {
			q.add(n)
			all = append(all, n)
			slices.Sort(all)
			if want := all[int(share*float64(len(all)))]; q.at != want {
				t.Fatalf("share %v of %v: %d, want %d", share, all, q.at, want)
			}
		}
	})
}
