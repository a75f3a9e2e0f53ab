package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// SelfOcclusion holds the directions in which a robot blocks the view of a camera on it. For each azimuth in the
// robot's frame, it holds intervals of occluded slopes. A slope is height over horizontal distance.
type SelfOcclusion struct {
	fine    hidden           // by bins of azimuth
	coarse  hidden           // by sectors, which consist of several bins: the union of the bins' slopes
	highest [sectors]float32 // highest occluded slope of a sector; −Inf for none
	all     slopes           // occluded at any azimuth
}

// hidden holds occluded slopes by bins of azimuth. The slopes of bin i are slope[first[i]:first[i+1]].
type hidden struct {
	first []uint16
	slope []hiddenInterval
}

type hiddenInterval struct{ from, to float32 }

func (h *hidden) add(s *slopes) {
	for i := range s.n {
		h.slope = append(h.slope, hiddenInterval{float32(s.from[i]), float32(s.to[i])})
	}
	h.first = append(h.first, uint16(len(h.slope)))
}

func (h *hidden) at(bin int) []hiddenInterval { return h.slope[h.first[bin]:h.first[bin+1]] }

const (
	bins    = 1024 // narrow enough for the rods that carry a mirror
	sectors = 256
)

// NewSelfOcclusion returns the directions that a robot's prisms occlude for a camera on the robot. The prisms and the
// position of the camera are in the robot's frame, in m. The prisms must not contain the camera's own case.
func NewSelfOcclusion(prisms []Prism, cameraB mgl64.Vec3) *SelfOcclusion {
	h := &SelfOcclusion{fine: hidden{first: make([]uint16, 1)}, coarse: hidden{first: make([]uint16, 1)}}
	var sector slopes
	for b := range bins {
		var bin slopes
		sin, cos := math.Sincos(2 * math.Pi * (float64(b) + 0.5) / bins)
		along, beside := cos*cameraB[0]+sin*cameraB[1], cos*cameraB[1]-sin*cameraB[0]
		for _, p := range prisms {
			near, far := intersect(p.Plan, mgl64.Vec2{cos, sin}, beside)
			near, far = near-along, far-along
			bottom, top := p.Bottom-cameraB[2], p.Top-cameraB[2]
			// the prism is behind or around the camera
			if far <= near || far <= 0 || near <= 0 && bottom < 0 && top > 0 {
				continue
			}
			from, to := prismSlopes(max(near, 0), far, bottom, top)
			bin.add(from, to)
			sector.add(from, to)
			h.all.add(from, to)
		}
		h.fine.add(&bin)
		if (b+1)%(bins/sectors) == 0 {
			h.highest[b/(bins/sectors)] = float32(math.Inf(-1))
			if sector.n > 0 {
				h.highest[b/(bins/sectors)] = float32(sector.to[sector.n-1])
			}
			h.coarse.add(&sector)
			sector.n = 0
		}
	}
	return h
}

// at returns the occluded slopes at an azimuth in the robot's frame. The azimuth must be within ±3π rad.
func (h *SelfOcclusion) at(azimuth float64) []hiddenInterval {
	return h.fine.at(int(azimuth*(bins/(2*math.Pi))+2*bins) & (bins - 1)) // + 2 turns: not negative
}

// Hides reports whether the robot occludes a direction from the camera. The direction is in the robot's frame.
func (h *SelfOcclusion) Hides(alongB mgl64.Vec3) bool {
	slope := float32(alongB[2] / math.Hypot(alongB[0], alongB[1]))
	for _, s := range h.at(math.Atan2(alongB[1], alongB[0])) {
		if s.from <= slope && slope <= s.to {
			return true
		}
	}
	return false
}

// subtractFrom removes the slopes that are occluded at an azimuth from a set. It reports whether that changed the set.
func (h *SelfOcclusion) subtractFrom(set *slopes, azimuth float64) bool {
	changed := false
	for _, s := range h.at(azimuth) {
		changed = set.subtract(float64(s.from), float64(s.to)) || changed
	}
	return changed
}

// hidesAny reports whether the robot occludes anything between two slopes, at any azimuth.
func (h *SelfOcclusion) hidesAny(from, to float64) bool {
	for i := range h.all.n {
		if h.all.from[i] < to && h.all.to[i] > from {
			return true
		}
	}
	return false
}

// hidesNone reports whether the robot occludes nothing in a range of directions. The slopes of the range lie between
// the last two arguments, and its azimuths differ by at most half, in rad, from the first argument.
func (h *SelfOcclusion) hidesNone(azimuth, half, from, to float64) bool {
	const perRad = sectors / (2 * math.Pi)
	low, high := float32(from), float32(to)
	last := int((azimuth+half)*perRad + 2*sectors)
	for i := int((azimuth-half)*perRad + 2*sectors); i <= last; i++ {
		sector := i & (sectors - 1)
		if h.highest[sector] <= low {
			continue
		}
		for _, s := range h.coarse.at(sector) {
			if s.from < high && s.to > low {
				return false
			}
		}
	}
	return true
}
