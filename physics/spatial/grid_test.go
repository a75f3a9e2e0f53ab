package spatial

import (
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// A grid finds what a search through all boxes finds.
func TestGridFindsAllBoxes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place, size := rapid.Float64Range(-40, 40), rapid.Float64Range(0.05, 6)
		boxes := make([]UprightBox, rapid.IntRange(0, 120).Draw(t, "boxes"))
		for i := range boxes {
			boxes[i] = UprightBox{Centre: mgl64.Vec3{place.Draw(t, "x"), place.Draw(t, "y")},
				Half: mgl64.Vec3{size.Draw(t, "half"), 0.1, 1}, Heading: rapid.Float64Range(-3, 3).Draw(t, "heading")}
		}
		g := NewGrid(boxes)
		x, y, outer := place.Draw(t, "from x"), place.Draw(t, "from y"), rapid.Float64Range(0.1, 90).Draw(t, "outer")
		inner := rapid.SampledFrom([]float64{0, outer / 2}).Draw(t, "inner")
		within := func(b *UprightBox, half float64) bool {
			w, h := b.Extent()
			return math.Abs(b.Centre[0]-x) < w+half && math.Abs(b.Centre[1]-y) < h+half
		}
		var want, near, got []int32
		for i := range boxes {
			if b := &boxes[i]; within(b, outer) {
				near = append(near, int32(i))
				if inner == 0 || !within(b, inner) {
					want = append(want, int32(i))
				}
			}
		}
		g.Visit(x, y, inner, outer, func(i int) { got = append(got, int32(i)) })
		slices.Sort(got)
		must.Equal(t, got, want, "between")
		must.Equal(t, g.Near(nil, x, y, outer), near, "near")
	})
}
