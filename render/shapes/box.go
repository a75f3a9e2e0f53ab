package shapes

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// Box returns a box around the origin with edges of the given lengths.
func Box(x, y, z float64) render.Mesh {
	return Prism(rectangle(x, y), -z/2, z/2, 0)
}

// BevelledBox returns a Box whose horizontal and vertical edges are cut off at 45°. bevel is the depth of the cut.
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

// Polygon returns a regular polygon of n corners at the given distance from the origin, the first side facing +x.
func Polygon(n int, radius float64) []mgl64.Vec2 {
	corners := make([]mgl64.Vec2, n)
	for i := range corners {
		s, c := math.Sincos(2 * math.Pi * (float64(i) - 0.5) / float64(n))
		corners[i] = mgl64.Vec2{radius * c, radius * s}
	}
	return corners
}

// Prism returns an upright solid between the heights z0 and z1 over a convex polygon, given anticlockwise as seen from
// above. With a bevel its upper and lower edges are cut off at 45°.
func Prism(polygon []mgl64.Vec2, z0, z1, bevel float64) render.Mesh {
	var b builder
	n := len(polygon)
	ring := func(poly []mgl64.Vec2, z float64) []mgl64.Vec3 {
		r := make([]mgl64.Vec3, n)
		for i, p := range poly {
			r[i] = p.Vec3(z)
		}
		return r
	}
	rings := [][]mgl64.Vec3{ring(polygon, z0), ring(polygon, z1)}
	if bevel > 0 {
		in := inset(polygon, bevel)
		rings = [][]mgl64.Vec3{ring(in, z0), ring(polygon, z0+bevel), ring(polygon, z1-bevel), ring(in, z1)}
	}
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
