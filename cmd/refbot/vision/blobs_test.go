package vision

import (
	"math"
	"math/rand/v2"
	"testing"
)

// classesOf returns an image's classes drawn with characters: o is the ball, . the carpet, # black, - unknown.
func classesOf(rows ...string) (all []Class, width int) {
	for _, row := range rows {
		for _, c := range row {
			all = append(all, map[rune]Class{'o': ClassBall, '.': ClassGreen, '#': ClassBlack, '-': ClassUnknown}[c])
		}
	}
	return all, len(rows[0])
}

func TestBlobs(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []string
		want []Blob
	}{
		{"none", []string{"...", "..."}, nil},
		{"at a corner", []string{"o..", ".o.", "..."}, []Blob{{2, 0.5, 0.5, 0, 0, 1, 1}}},
		{"a gap", []string{"o.o", "..."}, []Blob{{1, 0, 0, 0, 0, 0, 0}, {1, 2, 0, 2, 0, 2, 0}}},
		{"an empty row between", []string{"oo", "..", "oo"}, []Blob{{2, 0.5, 0, 0, 0, 1, 0}, {2, 0.5, 2, 0, 2, 1, 2}}},
		{"joined below", []string{"o.o", "ooo"}, []Blob{{5, 1, 0.6, 0, 0, 2, 1}}},
		{"joined late", []string{"o.o.o", "o.ooo", "ooo.."}, []Blob{{10, 1.8, 1.0, 0, 0, 4, 2}}},
		{"one above two", []string{"ooooo", "o...o"}, []Blob{{7, 2, 2. / 7, 0, 0, 4, 1}}},
		{"rim", []string{"..o", "o.."}, []Blob{{1, 2, 0, 2, 0, 2, 0}, {1, 0, 1, 0, 1, 0, 1}}},
	} {
		classes, width := classesOf(c.rows...)
		got := new(BlobFinder).Find(classes, width, ClassBall)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
			continue
		}
		for i, w := range c.want {
			if g := got[i]; g.Pixels != w.Pixels || g.Left != w.Left || g.Top != w.Top || g.Right != w.Right ||
				g.Bottom != w.Bottom ||
				!(math.Abs(g.U-w.U) < 1e-9 && math.Abs(g.V-w.V) < 1e-9) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// The blobs equal those of a flood fill of the image.
func TestBlobsAreThoseOfAFill(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	b := new(BlobFinder)
	for range 200 {
		const width, height = 17, 11
		classes := make([]Class, width*height)
		for i := range classes {
			if classes[i] = ClassGreen; random.Float64() < 0.45 {
				classes[i] = ClassBall
			}
		}
		got := b.Find(classes, width, ClassBall)
		seen, n := make([]bool, len(classes)), 0
		var fill func(x, y int) int
		fill = func(x, y int) (pixels int) {
			if x < 0 || y < 0 || x >= width || y >= height || seen[y*width+x] || classes[y*width+x] != ClassBall {
				return 0
			}
			seen[y*width+x] = true
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					pixels += fill(x+dx, y+dy)
				}
			}
			return pixels + 1
		}
		for i := range classes {
			if pixels := fill(i%width, i/width); pixels > 0 {
				if n >= len(got) || got[n].Pixels != pixels {
					t.Fatalf("blob %d of %d pixels: %v", n, pixels, got)
				}
				n++
			}
		}
		if n != len(got) {
			t.Fatalf("%d blobs, want %d", len(got), n)
		}
	}
}

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
