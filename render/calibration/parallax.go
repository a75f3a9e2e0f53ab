package calibration

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

// Parallax returns the error, in pixels, of images rendered with the single viewpoint of c instead of with its mirror.
// The viewpoint is at the height given, metres, above the floor. The error is that of objects standing on the field: of
// points from the floor up to the height top, metres, at distances from half a metre to reach, metres.
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
