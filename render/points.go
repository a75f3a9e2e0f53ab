package render

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render/optics"
)

// Points returns the point that each pixel of a depth image shows, metres in the optical frame, rows from the top.
// The point of a pixel without a measurement is NaN. The result uses the memory of into if that is large enough.
func Points(d *Depth, lens optics.Pinhole, into []mgl32.Vec3) []mgl32.Vec3 {
	nan := float32(math.NaN())
	into = into[:0]
	for v := range d.Height {
		y := float32((float64(v) - lens.CY) / lens.FY)
		for u := range d.Width {
			z := d.Z[v*d.Width+u]
			if !(z > 0) || math.IsInf(float64(z), 1) {
				into = append(into, mgl32.Vec3{nan, nan, nan})
				continue
			}
			into = append(into, mgl32.Vec3{float32((float64(u)-lens.CX)/lens.FX) * z, y * z, z})
		}
	}
	return into
}
