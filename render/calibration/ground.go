package calibration

import (
	"errors"
	"math"
)

// Ground is team NuBot's model of a mirror camera on an upright axis: a pixel at the distance ρ from the centre shows
// the floor at the distance a·tan(b·ρ) from the axis. Source: the team's published software.
type Ground struct {
	Width, Height           int
	CenterColumn, CenterRow float64 // pixels
	A                       float64 // metres
	B                       float64 // radians per pixel
	MaxRadius               float64 // pixels: the last that shows the floor within Reach
	Reach                   float64 // metres: the fit's farthest point
	Residual                        // metres on the floor
}

// FitGround fits the floor up to reach metres from the axis, for a viewpoint at a height above it, metres. It fails for a camera whose
// axis does not point down.
func FitGround(rays Rays, height, reach float64) (Ground, error) {
	g := Ground{Width: rays.Width, Height: rays.Height, Reach: reach}
	m := middle(rays)
	if m.DirC[2] >= 0 {
		return g, errors.New("the picture's middle does not show what is below: the ground law is that of a camera under a mirror")
	}
	var o OCam
	o.findCentre(rays)
	g.CenterColumn, g.CenterRow = o.CenterColumn, o.CenterRow
	var rho, ground []float64
	for _, r := range rays.All {
		if r.DirC[2] >= 0 {
			continue
		}
		d := height * math.Hypot(r.DirC[0], r.DirC[1]) / -r.DirC[2]
		if d > reach {
			continue
		}
		p := math.Hypot(r.U-g.CenterColumn, r.V-g.CenterRow)
		rho, ground = append(rho, p), append(ground, d)
		g.MaxRadius = math.Max(g.MaxRadius, p)
	}
	if len(rho) < 20 {
		return g, errors.New("too little of the floor is seen")
	}
	// The tolerated error is a hundredth of the distance plus two centimetres.
	params := minimise([]float64{height * 2, 1 / g.MaxRadius}, len(rho), func(x, out []float64) {
		for i := range rho {
			out[i] = (x[0]*math.Tan(x[1]*rho[i]) - ground[i]) / (0.02 + 0.01*ground[i])
		}
	})
	g.A, g.B = params[0], params[1]
	left := make([]float64, len(rho))
	for i := range rho {
		left[i] = g.A*math.Tan(g.B*rho[i]) - ground[i]
	}
	g.Residual = residualOf(left)
	return g, nil
}
