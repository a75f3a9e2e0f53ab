package shapes

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// Segment returns the i-th of n equal segments of a ball around the origin, like the segments of an orange: each
// reaches from pole to pole and from the surface to the axis. Segments of the same ball fit together without a gap.
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
