package shapes

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// Ellipse is a horizontal ellipse with the half-axes RX and RY.
type Ellipse struct {
	Centre mgl64.Vec3
	RX, RY float64
}

// Loft returns the round solid through ellipses, ordered by height, with n sides. Its ends are flat.
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
	// The normal is perpendicular to the tangent around the ellipse and to the slope between the neighbouring sections.
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
