package abstraction

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// inside reports whether a point of the shape's frame is in the shape, grown by a margin.
func (s Shape) inside(p mgl64.Vec3, margin float64) bool {
	switch s.Kind {
	case Sphere:
		return p.Len() <= s.Radius+margin
	case Cylinder:
		return math.Hypot(p[0], p[1]) <= s.Radius+margin && p[2] >= -margin && p[2] <= s.Height+margin
	}
	return math.Abs(p[0]) <= s.SizeX/2+margin && math.Abs(p[1]) <= s.SizeY/2+margin && p[2] >= -margin &&
		p[2] <= s.Height+margin
}

// The oracle walks along the ray in small steps until it is inside.
func TestCastMeetsTheSurface(t *testing.T) {
	const stride, far = 2e-3, 6.0
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Float64Range(0.1, 1.5)
		s := Shape{Kind: ShapeKind(rapid.IntRange(0, 2).Draw(t, "kind")), Height: size.Draw(t, "height")}
		if s.Kind == Box {
			s.SizeX, s.SizeY = size.Draw(t, "x"), size.Draw(t, "y")
		} else {
			s.Radius = size.Draw(t, "radius")
		}
		place := rapid.Float64Range(-2, 2)
		pose := spatial.Planar(place.Draw(t, "x"), place.Draw(t, "y"), place.Draw(t, "heading"))
		from := mgl64.Vec3{place.Draw(t, "fx"), place.Draw(t, "fy"), place.Draw(t, "fz")}
		along := mgl64.Vec3{place.Draw(t, "ax"), place.Draw(t, "ay"), place.Draw(t, "az")}
		if along.Len() < 1e-3 || s.inside(pose.Inverse().Apply(from), 2*stride) {
			t.Skip("no ray from outside")
		}
		along = along.Normalize()
		want := math.Inf(1)
		for r := 0.0; r < far; r += stride {
			if s.inside(pose.Inverse().Apply(from.Add(along.Mul(r))), 0) {
				want = r
				break
			}
		}
		got := s.Raycast(pose, from, along)
		switch {
		case got < far && !s.inside(pose.Inverse().Apply(from.Add(along.Mul(got))), 1e-9):
			t.Fatalf("%+v: the ray ends at %v, which is not on the shape", s, got)
		case !math.IsInf(want, 1) && math.Abs(got-want) > 1.01*stride:
			t.Fatalf("%+v: the ray ends at %v, walking meets the shape at %v", s, got, want)
		}
	})
}
