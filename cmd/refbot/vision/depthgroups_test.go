package vision

import (
	"math/rand/v2"
	"testing"
)

// The groups equal those of a flood fill of the image.
func TestGroupsAreThoseOfAFill(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 8))
	g := &groups{step: newDepthStep(&KinectV2)}
	for range 300 {
		const width, height = 19, 13
		z := make([]float32, width*height)
		for i := range z {
			z[i] = []float32{0, 1, 1.03, 2, 2.05, 4}[random.IntN(6)]
		}
		got := g.find(z, width)
		seen, n := make([]bool, len(z)), 0
		var want group
		var fill func(i int)
		fill = func(i int) {
			seen[i] = true
			x, y := i%width, i/width
			want.pixels++
			want.left, want.right = min(want.left, int32(x)), max(want.right, int32(x))
			want.top, want.bottom = min(want.top, int32(y)), max(want.bottom, int32(y))
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if u, v := x+dx, y+dy; u >= 0 && v >= 0 && u < width && v < height {
						if k := v*width + u; !seen[k] && z[k] != 0 && g.step.follows(z[i], z[k]) {
							fill(k)
						}
					}
				}
			}
		}
		for i := range z {
			if z[i] == 0 || seen[i] {
				continue
			}
			want = group{left: width, top: height}
			fill(i)
			if n >= len(got) {
				t.Fatalf("%d groups, want more", len(got))
			}
			k := got[n]
			if k.u, k.v, k.z = 0, 0, 0; k != want {
				t.Fatalf("group %d: %+v, want %+v", n, k, want)
			}
			n++
		}
		if n != len(got) {
			t.Fatalf("%d groups, want %d", len(got), n)
		}
	}
}

func TestMeansOfGroups(t *testing.T) {
	const n = 0
	z := []float32{
		n, 2, 2, n,
		n, 2.04, 2.04, n,
		n, n, n, 5,
	}
	got := (&groups{step: newDepthStep(&KinectV2)}).find(z, 4)
	if len(got) != 2 {
		t.Fatalf("%+v, want two", got)
	}
	if a := got[0]; a.pixels != 4 || !(a.u == 1.5 && a.v == 0.5 && a.z > 2.0199 && a.z < 2.0201) {
		t.Errorf("%+v, want the mean (1.5, 0.5), 2.02 m", a)
	}
	if b := got[1]; b.pixels != 1 || b.u != 3 || b.v != 2 || b.z != 5 {
		t.Errorf("%+v, want (3, 2), 5 m", b)
	}
}
