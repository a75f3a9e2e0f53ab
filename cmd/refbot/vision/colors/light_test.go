package colors

import (
	"math/rand/v2"
	"testing"
)

// A cell is as deep as the nearest one that is not green is away, along the axes.
func TestDepthIsTheWayOutOfGreen(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	table := new(Table)
	for c := range table.cells {
		table.cells[c] = Green
	}
	var others [][3]int
	for range 12 {
		o := [3]int{random.IntN(side), random.IntN(side), random.IntN(side)}
		others = append(others, o)
		table.cells[o[0]<<(2*bits)|o[1]<<bits|o[2]] = []Class{Ball, Black, Unknown}[random.IntN(3)]
	}
	deep := table.depth()
	for range 2000 {
		at := [3]int{random.IntN(side), random.IntN(side), random.IntN(side)}
		want := side
		for _, o := range others {
			way := 0
			for k := range 3 {
				way += max(at[k]-o[k], o[k]-at[k])
			}
			want = min(want, way)
		}
		if got := int(deep[at[0]<<(2*bits)|at[1]<<bits|at[2]]); got != want {
			t.Fatalf("cell %v: %d deep, want %d", at, got, want)
		}
	}
}

// What one image of seven says, however wrong, does not move the light.
func TestNoImageAloneDecidesOnTheLight(t *testing.T) {
	s := NewSegmenter(new(Table), 1, 1, nil)
	s.light = light{20, 30, 40}
	s.votes = append(s.votes, s.light) // as when it was found
	for n := range 20 {
		l := light{20, 30, 40}
		if n%7 == 3 {
			l = light{48, 0, 12}
		}
		if s.vote(l); s.light != (light{20, 30, 40}) {
			t.Fatalf("after %d images: %v", n+1, s.light)
		}
	}
}

// The time of a search for another light.
func BenchmarkDeepest(b *testing.B) {
	table := new(Table)
	for c := range table.cells {
		table.cells[c] = Unknown
		if r, g, b := c>>(2*bits), c>>bits&(side-1), c&(side-1); g > r+4 && g > b+4 {
			table.cells[c] = Green
		}
	}
	const size = 640
	pix := make([]byte, 3*size*size)
	var floor []int32
	for i := range size * size {
		pix[3*i], pix[3*i+1], pix[3*i+2] = 60, byte(100+i%60), 70
		if i%20 == 0 {
			floor = append(floor, int32(i))
		}
	}
	s := NewSegmenter(table, size, size, floor)
	for b.Loop() {
		s.deepest(pix)
	}
}
