package locate

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/cmd/refbot/pitch"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
)

// Search over the whole field: the grid spacing, and the number of the best grid positions that are refined.
const (
	gridStep   = 0.25
	outside    = 1.0 // m beyond the lines that are also searched
	sparse     = 120 // points used in the search
	candidates = 24
	wide       = 0.4  // m: scale of the robust weight in the search
	narrow     = 0.15 // m: the same for the decision
)

// least is the number of points that a global search needs, and poor the largest misfit of its result. Guesses.
const (
	least = 20
	poor  = 0.5
)

// candidate is a position of the grid.
type candidate struct {
	pose Pose
	cost float64
}

// Locate searches the whole field for the pose that fits the points best. The compass must be right within about 10°,
// because the pose in the other half fits equally well. It returns false if there are too few points or no pose fits.
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
	// The prior is the compass alone: ± 6°.
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
