package area

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Polygon is the area within a closed line that does not cross itself.
type Polygon struct {
	Points [][2]float64 `toml:"points_m" required:"true" minlen:"3" maxlen:"100" range:"[-50, 50]" doc:"corners in turn, each once, as [x, y]; sides must not cross"`
}

// contains reports whether a point is in the polygon. It counts the sides that a ray from the point towards +x crosses.
// For a point on a side, the result may be true or false.
func (g *Polygon) contains(x, y float64) (in bool) {
	last := g.Points[len(g.Points)-1]
	for _, p := range g.Points {
		if (p[1] > y) != (last[1] > y) && x < p[0]+(y-p[1])/(last[1]-p[1])*(last[0]-p[0]) {
			in = !in
		}
		last = p
	}
	return in
}

// width is the smallest distance, in m, of a corner from the line through two others at which the three still enclose
// an area. It is far less than a ball moves in a step, and far more than rounding errors.
const width = 1e-6

// broken returns the rule that the corners of the polygon break. It returns "" if they break no rule.
func (g *Polygon) broken() string {
	n := len(g.Points)
	if n < 3 {
		return "" // the rule of the tag minlen reports that there are too few corners
	}
	corner := func(i int) mgl64.Vec2 { return g.Points[i%n] }
	for i := range n {
		for k := range i {
			if g.Points[i] == g.Points[k] {
				return fmt.Sprintf(
					"corner %d is corner %d again: each stands once, and the last is joined to the first", i+1, k+1)
			}
		}
	}
	flat := true
	for i := range n {
		flat = flat && !besides(corner(0), corner(1), corner(i))
	}
	if flat {
		return "all corners lie on one line: there is no area"
	}
	for i := range n {
		a, b, c := corner(i), corner(i+1), corner(i+2)
		if !besides(a, b, c) && a.Sub(b).Dot(c.Sub(b)) > 0 {
			return fmt.Sprintf("turns back at corner %d on itself", (i+1)%n+1)
		}
		for k := i + 2; k < n && k < i+n-1; k++ { // skips the two neighbours of the side, which share a corner with it
			if meet(a, b, corner(k), corner(k+1)) {
				return fmt.Sprintf("crosses itself: the side after corner %d meets the side after corner %d", i+1, k+1)
			}
		}
	}
	return ""
}

// besides reports whether the point p is not on the line through a and b.
func besides(a, b, p mgl64.Vec2) bool {
	return math.Abs(cross(a, b, p)) > width*b.Sub(a).Len()
}

// cross returns a number that is positive if p is to the left of the line from a to b, and negative if p is to the
// right.
func cross(a, b, p mgl64.Vec2) float64 {
	return (b[0]-a[0])*(p[1]-a[1]) - (b[1]-a[1])*(p[0]-a[0])
}

// meet reports whether the side from a to b and the side from c to d have a point in common.
func meet(a, b, c, d mgl64.Vec2) bool {
	between := func(lo, hi, x, y float64) bool { return min(x, y) <= hi && max(x, y) >= lo }
	if !between(min(a[0], b[0]), max(a[0], b[0]), c[0], d[0]) || !between(min(a[1], b[1]), max(a[1], b[1]), c[1],
		d[1]) {
		return false
	}
	return cross(a, b, c)*cross(a, b, d) <= 0 && cross(c, d, a)*cross(c, d, b) <= 0
}
