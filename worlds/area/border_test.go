package area

import (
	"testing"

	"github.com/go-gl/mathgl/mgl64"
)

// The area contains a point just inside each corner of a convex border, and none just outside.
func TestBorder(t *testing.T) {
	for _, a := range []Area{
		{Name: "rectangle", Rectangle: &Rectangle{X: [2]float64{1, 5}, Y: [2]float64{-3, -1}}},
		{Name: "circle", Circle: &Circle{X: 2, Y: -1, Radius: 0.5}},
		{Name: "polygon", Polygon: &Polygon{Points: [][2]float64{{-1, 0}, {1, -1}, {2, 3}}}},
	} {
		border := a.Border(36)
		var middle mgl64.Vec2
		for _, p := range border {
			middle = middle.Add(mgl64.Vec2(p).Mul(1 / float64(len(border))))
		}
		for _, p := range border {
			out := mgl64.Vec2(p).Sub(middle)
			if in, beyond := middle.Add(out.Mul(0.999)), middle.Add(out.Mul(1.001)); !a.Contains(in.Vec3(0)) ||
				a.Contains(beyond.Vec3(0)) {
				t.Errorf("%s: %v is not on the border", a.Name, p)
			}
		}
	}
}
