package locate

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
)

// Parameters of the search over the whole field. gridStep is the spacing of the grid, in m. candidates is the number of
// best grid positions that are refined.
const (
	gridStep   = 0.25
	outside    = 1.0 // m, distance outside of the field up to which the search extends
	sparse     = 120 // largest number of points used in the search
	candidates = 24
	wide       = 0.4  // m: scale of the robust weight in the search
	narrow     = 0.15 // m: scale of the robust weight when the best candidate is chosen
)

// Guesses. least is the smallest number of points with which a search over the whole field is possible. poor is the
// largest misfit of a pose that is accepted.
const (
	least = 20
	poor  = 0.5
)

// candidate is a position of the grid.
type candidate struct {
	pose Pose
	cost float64
}

// Locate searches the whole field for the pose that fits the points best. The argument compass is the heading, in rad,
// with an error of at most about 10°. It is needed because the field is symmetric: the same pose in the opposite half
// fits equally well. Locate returns false if there are too few points or if no pose fits.
func (f *Field) Locate(points []vision.LinePoint, compass float64) (Pose, bool) {
	if len(points) < least {
		return Pose{}, false
	}
	var some [sparse]vision.LinePoint
	for i := range some {
		some[i] = points[i*len(points)/sparse]
	}
	var kept [candidates]candidate
	for i := range kept {
		kept[i].cost = math.Inf(1)
	}
	worst := 0
	x, y := f.Length/2+outside, f.Width/2+outside
	for _, turned := range [3]float64{-0.1, 0, 0.1} {
		for px := -x; px <= x; px += gridStep {
			for py := -y; py <= y; py += gridStep {
				p := Pose{pitch.Vec{px, py}, compass + turned}
				cost := f.fits(some[:], &p, wide)
				if cost >= kept[worst].cost {
					continue
				}
				kept[worst] = candidate{p, cost}
				for i := range kept {
					if kept[i].cost > kept[worst].cost {
						worst = i
					}
				}
			}
		}
	}
	// The prior contains only the compass heading, with a standard deviation of 6°.
	best, lowest := Pose{}, math.Inf(1)
	for i := range kept {
		if math.IsInf(kept[i].cost, 1) {
			continue
		}
		prior := belief{Pose{kept[i].pose.Pos, compass}, mgl64.Mat3{0: 1e-3, 4: 1e-3, 8: 100}}
		b := f.refined(points, kept[i].pose, wide, &prior)
		if cost := f.fits(points, &b.Pose, narrow); cost < lowest {
			best, lowest = b.Pose, cost
		}
	}
	return best, lowest < poor
}
