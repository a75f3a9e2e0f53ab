package vision

import (
	"math/rand/v2"
	"testing"
)

// The depth of a cell is its distance along the axes from the nearest cell that is not green.
func TestDepthIsTheWayOutOfGreen(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	table := new(ColorTable)
	for c := range table.cells {
		table.cells[c] = ClassGreen
	}
	var others [][3]int
	for range 12 {
		o := [3]int{random.IntN(cellsPerAxis), random.IntN(cellsPerAxis), random.IntN(cellsPerAxis)}
		others = append(others, o)
		table.cells[o[0]<<(2*cellBits)|o[1]<<cellBits|o[2]] = []Class{ClassBall, ClassBlack,
			ClassUnknown}[random.IntN(3)]
	}
	deep := table.depth()
	for range 2000 {
		at := [3]int{random.IntN(cellsPerAxis), random.IntN(cellsPerAxis), random.IntN(cellsPerAxis)}
		want := cellsPerAxis
		for _, o := range others {
			way := 0
			for k := range 3 {
				way += max(at[k]-o[k], o[k]-at[k])
			}
			want = min(want, way)
		}
		if got := int(deep[at[0]<<(2*cellBits)|at[1]<<cellBits|at[2]]); got != want {
			t.Fatalf("cell %v: %d deep, want %d", at, got, want)
		}
	}
}

// One wrong image of seven does not change the light.
func TestNoImageAloneDecidesOnTheLight(t *testing.T) {
	s := NewSegmenter(new(ColorTable), 1, 1, nil)
	s.light = lightGains{20, 30, 40}
	s.votes = append(s.votes, s.light) // as when it was found
	for n := range 20 {
		l := lightGains{20, 30, 40}
		if n%7 == 3 {
			l = lightGains{48, 0, 12}
		}
		if s.vote(l); s.light != (lightGains{20, 30, 40}) {
			t.Fatalf("after %d images: %v", n+1, s.light)
		}
	}
}
