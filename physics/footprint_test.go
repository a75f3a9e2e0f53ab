package physics

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func disc(x, y, r float64) footprint { return footprint{x: x, y: y, radius: r, top: 1} }
func rect(x, y, hx, hy, heading float64) footprint {
	return footprint{x: x, y: y, halfX: hx, halfY: hy, heading: heading, top: 1}
}

func TestOverlaps(t *testing.T) {
	above := disc(0, 0, 1)
	above.bottom, above.top = 1, 2
	for _, tt := range []struct {
		name string
		p, q footprint
		want bool
	}{
		{"discs apart", disc(0, 0, 0.5), disc(0.8, 0.8, 0.5), false},
		{"discs together", disc(0, 0, 0.5), disc(0.6, 0.6, 0.5), true},
		{"one above the other", disc(0, 0, 1), above, false},
		{"disc off a corner", disc(1.4, 1.4, 0.5), rect(0, 0, 1, 1, 0), false},
		{"disc at a corner", disc(1.3, 1.3, 0.5), rect(0, 0, 1, 1, 0), true},
		{"disc at a turned side", disc(1.3, 0, 0.5), rect(0, 0, 0.5, 0.5, math.Pi/4), false},
		{"disc at a turned tip", disc(1.1, 0, 0.5), rect(0, 0, 0.5, 0.5, math.Pi/4), true},
		{"rectangles tip to side", rect(0, 0, 1, 1, 0), rect(1.5, 0, 0.5, 0.5, math.Pi/4), true},
		{"rectangles corner to corner", rect(0, 0, 1, 1, 0), rect(1.5, 1.5, 0.5, 0.5, math.Pi/4), false},
		{"disc inside", disc(0.1, 0.1, 0.1), rect(0, 0, 1, 1, 0.3), true},
	} {
		if got, back := tt.p.overlaps(&tt.q), tt.q.overlaps(&tt.p); got != tt.want || back != tt.want {
			t.Errorf("%s: %v and %v, want %v", tt.name, got, back, tt.want)
		}
	}
}

// The oracle samples the points of one footprint on a grid, and tests whether a point is inside the other footprint.
func TestOverlapsWhenAPointIsInBoth(t *testing.T) {
	inside := func(p *footprint, x, y float64) bool {
		nx, ny := p.nearest(x, y)
		return math.Hypot(x-nx, y-ny) < p.radius+1e-12
	}
	rapid.Check(t, func(t *rapid.T) {
		f, size := rapid.Float64Range(-2, 2), rapid.Float64Range(0.3, 1)
		p := rect(0, 0, size.Draw(t, "hx"), size.Draw(t, "hy"), f.Draw(t, "heading"))
		q := rect(f.Draw(t, "x"), f.Draw(t, "y"), size.Draw(t, "hx"), size.Draw(t, "hy"), f.Draw(t, "heading"))
		if rapid.Bool().Draw(t, "disc") {
			q = disc(q.x, q.y, q.halfX)
		}
		sin, cos := math.Sincos(p.heading)
		for i := -10; i <= 10; i++ {
			for j := -10; j <= 10; j++ {
				lx, ly := p.halfX*float64(i)/10.1, p.halfY*float64(j)/10.1
				if inside(&q, cos*lx-sin*ly, sin*lx+cos*ly) && !p.overlaps(&q) {
					t.Fatalf("%+v and %+v share a point", p, q)
				}
			}
		}
	})
}
