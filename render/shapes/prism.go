package shapes

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// Box returns a box around the origin with edges of the given lengths.
func Box(x, y, z float64) render.Mesh { return Prism(rectangle(x, y), -z/2, z/2, 0) }

// GridBox returns a Box whose sides are divided into rectangles with edges of at most cell, because renderers compute
// light at corners of triangles. Unless foot is 0, the upright sides are also divided at this height above the bottom.
func GridBox(x, y, z, cell, foot float64) render.Mesh {
	var b builder
	half := mgl64.Vec3{x / 2, y / 2, z / 2}
	places := [3][]float64{evenly(x, cell), evenly(y, cell), evenly(z, cell)}
	if foot > 0 && foot < z {
		places[2] = []float64{-half[2]}
		for _, above := range evenly(z-foot, cell) {
			places[2] = append(places[2], above+foot/2)
		}
	}
	for axis := range 3 {
		u, v := (axis+1)%3, (axis+2)%3
		for _, side := range [2]float64{1, -1} {
			at := func(i, k int) (p mgl64.Vec3) {
				if side < 0 { // the other order, so that this side faces outwards too
					i = len(places[u]) - 1 - i
				}
				p[axis], p[u], p[v] = side*half[axis], places[u][i], places[v][k]
				return p
			}
			for i := range len(places[u]) - 1 {
				for k := range len(places[v]) - 1 {
					b.face(at(i, k), at(i+1, k), at(i+1, k+1), at(i, k+1))
				}
			}
		}
	}
	return b.mesh
}

// evenly returns the ends of the parts into which GridBox divides an edge around 0.
func evenly(length, cell float64) []float64 {
	n := Squares(length, cell)
	all := make([]float64, n+1)
	for i := range all {
		all[i] = length / 2 * (2*float64(i)/float64(n) - 1)
	}
	return all
}

// Squares returns into how many parts GridBox divides an edge without a foot.
func Squares(length, cell float64) int { return max(1, int(math.Ceil(length/cell))) }

// BevelledBox returns a Box whose horizontal and vertical edges are cut off at 45°. The argument bevel is the depth of
// the cut.
func BevelledBox(x, y, z, bevel float64) render.Mesh {
	hx, hy, b := x/2, y/2, bevel
	return Prism([]mgl64.Vec2{
		{hx, -hy + b}, {hx, hy - b}, {hx - b, hy}, {-hx + b, hy},
		{-hx, hy - b}, {-hx, -hy + b}, {-hx + b, -hy}, {hx - b, -hy},
	}, -z/2, z/2, bevel)
}

func rectangle(x, y float64) []mgl64.Vec2 {
	return []mgl64.Vec2{{x / 2, -y / 2}, {x / 2, y / 2}, {-x / 2, y / 2}, {-x / 2, -y / 2}}
}

// Polygon returns a regular polygon with n corners at the given distance from the origin. The first side faces +x.
func Polygon(n int, radius float64) []mgl64.Vec2 {
	corners := make([]mgl64.Vec2, n)
	for i := range corners {
		s, c := math.Sincos(2 * math.Pi * (float64(i) - 0.5) / float64(n))
		corners[i] = mgl64.Vec2{radius * c, radius * s}
	}
	return corners
}

// Prism returns an upright solid between the heights z0 and z1 with a convex cross-section. The polygon is
// anticlockwise as seen from above. If bevel is not 0, the upper and lower edges are cut off at 45°.
func Prism(polygon []mgl64.Vec2, z0, z1, bevel float64) render.Mesh {
	if bevel == 0 {
		return Frustum(polygon, polygon, z0, z1)
	}
	in := inset(polygon, bevel)
	return stack(ring(in, z0), ring(polygon, z0+bevel), ring(polygon, z1-bevel), ring(in, z1))
}

// Frustum returns an upright solid between a convex polygon at the height z0 and one with as many corners and parallel
// sides at the height z1. Both are anticlockwise as seen from above.
func Frustum(low, high []mgl64.Vec2, z0, z1 float64) render.Mesh {
	return stack(ring(low, z0), ring(high, z1))
}

// ring returns a polygon at a height.
func ring(polygon []mgl64.Vec2, z float64) []mgl64.Vec3 {
	r := make([]mgl64.Vec3, len(polygon))
	for i, p := range polygon {
		r[i] = p.Vec3(z)
	}
	return r
}

// stack returns the solid between polygons above each other, with flat sides.
func stack(rings ...[]mgl64.Vec3) render.Mesh {
	var b builder
	n := len(rings[0])
	for k := 0; k+1 < len(rings); k++ {
		low, high := rings[k], rings[k+1]
		for i := range n {
			j := (i + 1) % n
			b.face(low[i], low[j], high[j], high[i])
		}
	}
	b.face(rings[len(rings)-1]...)
	bottom := rings[0]
	reversed := make([]mgl64.Vec3, n)
	for i, p := range bottom {
		reversed[n-1-i] = p
	}
	b.face(reversed...)
	return b.mesh
}

// inset moves every side of a convex polygon inwards by d.
func inset(polygon []mgl64.Vec2, d float64) []mgl64.Vec2 {
	n := len(polygon)
	out := make([]mgl64.Vec2, n)
	for i, p := range polygon {
		a := p.Sub(polygon[(i+n-1)%n]).Normalize()
		b := polygon[(i+1)%n].Sub(p).Normalize()
		// The corner moves along the bisector so that its distance from both sides is d.
		na, nb := mgl64.Vec2{-a[1], a[0]}, mgl64.Vec2{-b[1], b[0]}
		out[i] = p.Add(na.Add(nb).Mul(d / (1 + na.Dot(nb))))
	}
	return out
}

// Segment returns the i-th of n equal segments of a ball around the origin, like the segments of an orange. Each
// segment extends from pole to pole, and from the surface to the axis. The segments of a ball fit together without a
// gap.
func Segment(radius float64, i, n int) render.Mesh {
	const steps = 14 // from pole to pole
	wide := max(1, 2*steps/n)
	var b builder
	point := func(meridian, k int) mgl64.Vec3 {
		switch k {
		case 0:
			return mgl64.Vec3{0, 0, -1}
		case steps:
			return mgl64.Vec3{0, 0, 1}
		}
		sin, cos := math.Sincos(2 * math.Pi * float64(meridian%(wide*n)) / float64(wide*n))
		sinZ, cosZ := math.Sincos(math.Pi * (float64(k)/steps - 0.5))
		return mgl64.Vec3{cosZ * cos, cosZ * sin, sinZ}
	}
	for m := range wide {
		first := uint32(len(b.mesh.Vertices))
		for k := range steps + 1 {
			for side := range 2 {
				p := point(i*wide+m+side, k)
				b.vertex(p.Mul(radius), p)
			}
		}
		for k := range uint32(steps) {
			b.quad(first+2*k, first+2*k+1, first+2*k+3, first+2*k+2)
		}
	}
	var low, high []mgl64.Vec3
	for k := range steps + 1 {
		low = append(low, point(i*wide, k).Mul(radius))
		high = append(high, point((i+1)*wide, steps-k).Mul(radius))
	}
	b.face(low...)
	b.face(high...)
	return b.mesh
}

// Ellipse is a horizontal ellipse with the half-axes RX and RY.
type Ellipse struct {
	Centre mgl64.Vec3
	RX, RY float64
}

// Loft returns a solid with round cross-sections and n sides. The sections are ellipses, ordered by height. Its ends
// are flat.
func Loft(n int, sections ...Ellipse) render.Mesh {
	var b builder
	ring := func(k int) []mgl64.Vec3 {
		all := make([]mgl64.Vec3, n)
		for i := range all {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			all[i] = sections[k].Centre.Add(mgl64.Vec3{sections[k].RX * cos, sections[k].RY * sin, 0})
		}
		return all
	}
	// The normal is perpendicular to two tangents: the tangent around the ellipse, and the slope between the
	// neighbouring sections.
	normal := func(k, i int) mgl64.Vec3 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		low, high := sections[max(0, k-1)], sections[min(len(sections)-1, k+1)]
		round := mgl64.Vec3{-sections[k].RX * sin, sections[k].RY * cos, 0}
		up := high.Centre.Sub(low.Centre).Add(mgl64.Vec3{(high.RX - low.RX) * cos, (high.RY - low.RY) * sin, 0})
		return round.Cross(up).Normalize()
	}
	for k := range sections {
		for i, p := range ring(k) {
			b.vertex(p, normal(k, i))
		}
	}
	for k := range len(sections) - 1 {
		for i := range n {
			low, next := uint32(k*n+i), uint32(k*n+(i+1)%n)
			b.quad(low, next, next+uint32(n), low+uint32(n))
		}
	}
	b.face(ring(len(sections) - 1)...)
	bottom := ring(0)
	for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
		bottom[i], bottom[j] = bottom[j], bottom[i]
	}
	b.face(bottom...)
	return b.mesh
}
