package contour

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// The pixel of a point that is not imaged is the last one that halvings of the way from the image's centre find.
func TestBorderOfImage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	fisheye, err := optics.NewKannalaBrandt(front, 0.01, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []optics.Model{front, omni, fisheye} {
		c := NewCamera(model)
		for range 2000 {
			at := mgl64.Vec3{rnd.NormFloat64(), rnd.NormFloat64(), 0.2 * rnd.NormFloat64()}
			got, want := point{at: &at}, point{at: &at}
			c.project(&got)
			whole := func(at mgl64.Vec3) (u, v float64, ok bool) {
				if c.straight && at[2] < nearest {
					return 0, 0, false
				}
				return model.Project(at)
			}
			if want.u, want.v, want.ok = whole(at); !want.ok {
				middle := c.axis.Mul(math.Max(at.Len(), nearest))
				in, out := 0.0, 1.0
				for range 16 {
					half := (in + out) / 2
					if u, v, ok := whole(middle.Add(at.Sub(middle).Mul(half))); ok {
						in, want.u, want.v = half, u, v
					} else {
						out = half
					}
				}
			}
			if got != want {
				t.Fatalf("%T: %v: got %v, want %v", model, at, got, want)
			}
		}
	}
}

// The contour consists of the edges that lie on one face that the eye sees and on one that it does not see.
func TestContourOfRandomHulls(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	var p pen
	for i := range 60 {
		var points []mgl64.Vec3
		for range 5 + 2*i { // up to several words of edges
			points = append(points, mgl64.Vec3{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}.Normalize())
		}
		s := newPolyhedron(points, 0)
		for range 20 {
			eye := mgl64.Vec3{2 * rnd.NormFloat64(), 2 * rnd.NormFloat64(), 2 * rnd.NormFloat64()}
			var want []edge
			for k := range s.edges {
				faces, seen := 0, 0
				for f := range s.faces {
					if s.around[f*s.words+k/64]>>(k%64)&1 == 1 {
						faces++
						seen += int(one(s.faces[f].above(&eye) > 0))
						for _, corner := range []int32{s.edges[k].from, s.edges[k].to} {
							if off := s.faces[f].above(&s.corners[corner]); !(math.Abs(off) < 1e-4) {
								t.Fatalf("%d: an edge around a face is %g m off it", i, off)
							}
						}
					}
				}
				if faces != 2 {
					t.Fatalf("%d: an edge lies on %d faces", i, faces)
				}
				if seen == 1 {
					want = append(want, s.edges[k])
				}
			}
			p.findContour(s, &eye)
			var got []edge
			for _, e := range p.edges {
				got = append(got, edge{p.corners[e.from], p.corners[e.to]})
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d: %d edges: got %v, want %v", i, len(s.edges), got, want)
			}
		}
	}
}
