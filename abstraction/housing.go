package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Housing is what an eye's own robot hides from it, all around.
type Housing struct {
	bins    [bins]slopes    // by azimuth in the robot's frame
	sectors [sectors]slopes // what any bin of a sector hides
}

const (
	bins    = 1024 // fine enough for a mirror's rods
	sectors = 64
)

// NewHousing returns what a robot made of prisms, without the eye's own case, hides from an eye in the robot's frame.
func NewHousing(prisms []Prism, eyeB mgl64.Vec3) *Housing {
	h := &Housing{}
	for b := range h.bins {
		sin, cos := math.Sincos(2 * math.Pi * (float64(b) + 0.5) / bins)
		along, beside := cos*eyeB[0]+sin*eyeB[1], cos*eyeB[1]-sin*eyeB[0]
		for _, p := range prisms {
			near, far := cut(p.Plan, mgl64.Vec2{cos, sin}, beside)
			near, far = near-along, far-along
			bottom, top := p.Bottom-eyeB[2], p.Top-eyeB[2]
			if far <= near || far <= 0 || near <= 0 && bottom < 0 && top > 0 { // behind, or around the eye
				continue
			}
			from, to := prismSlopes(max(near, 0), far, bottom, top)
			h.bins[b].add(from, to)
			h.sectors[b/(bins/sectors)].add(from, to)
		}
	}
	return h
}

// at returns what is hidden at an azimuth in the robot's frame, rad.
func (h *Housing) at(azimuth float64) *slopes {
	return &h.bins[int(math.Floor(azimuth*(bins/(2*math.Pi))))&(bins-1)]
}

// free tells whether nothing is hidden of what stays within half an azimuth of one and between two slopes.
func (h *Housing) free(azimuth, half, from, to float64) bool {
	if h == nil {
		return true
	}
	const perRad = sectors / (2 * math.Pi)
	last := int(math.Floor((azimuth + half) * perRad))
	for i := int(math.Floor((azimuth - half) * perRad)); i <= last; i++ {
		s := &h.sectors[i&(sectors-1)]
		for k := range s.n {
			if s.from[k] < to && s.to[k] > from {
				return false
			}
		}
	}
	return true
}
