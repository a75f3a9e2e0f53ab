package calibration

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// Parallax returns the error in pixels of images drawn with a single viewpoint, height metres above the floor. It
// covers objects standing on the field: points up to top metres high, from half a metre to reach metres away.
func Parallax(c optics.Central, height, top, reach float64) Residual {
	var off []float64
	const steps = 20
	for i := range steps {
		for j := range steps {
			// Distances grow geometrically, as their effect in an image does.
			distance := 0.5 * math.Pow(reach/0.5, float64(i)/(steps-1))
			z := top * float64(j) / (steps - 1)
			if p, ok := c.Parallax(mgl64.Vec3{distance, 0, z - height}); ok {
				off = append(off, p)
			}
		}
	}
	return residualOf(off)
}
