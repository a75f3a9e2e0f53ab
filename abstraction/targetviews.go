package abstraction

import (
	"math"
	"math/bits"
)

// TargetViews is memory for an environment's targets relative to a viewpoint, which is reused from frame to frame. The
// zero value is ready for use. The cameras of many robots are faster with common memory than with their own, because it
// stays in the processor's caches. Only one goroutine may use it at a time.
type TargetViews struct {
	all        []targetView  // of all targets
	candidates []int         // indices of the targets whose field out is false, in ascending order
	occluders  []occluder    // occluders of the target whose visible fraction is computed
	walls      []int32       // walls that may hide part of this target
	sectors    []sectorMasks // which candidates cover part of a sector, for 64 candidates each
	detected   []detectedTarget
	planes     planes
}

// detectedTarget is a target that vision does not miss.
type detectedTarget struct {
	target  int
	visible float64 // visible fraction, 0 to 1
}

// targetView is a target relative to a viewpoint. Lengths are in m.
type targetView struct {
	toX, toY    float64 // W, from the viewpoint to the target's vertical axis
	flat        float64 // length of (toX, toY): horizontal distance from the viewpoint to the target's axis
	reach       float64 // largest distance of the target's points from its axis
	base        float64 // height of the target's frame over the viewpoint
	bottom, top float64 // heights of the target's ends over the viewpoint
	sin, cos    float64 // sine and cosine of half the azimuth that the target covers
	from, to    float64 // lowest and highest slope of the target, seen from the viewpoint
	distance    float64 // distance from the viewpoint to the target's centre
	edges       uint8   // bit k is set if the target may cross edge k of the image; only for images without distortion
	azimuth     float64 // of the target's axis in the robot's frame, rad; set only if out is false
	first, last uint8   // the sectors that the target covers, from first to last in the positive sense
	around      bool    // the viewpoint is above, below or inside the target
	// out is true if the target is out of range, outside of the image, or the observer's own robot. Then the target is
	// neither visible nor an occluder.
	out   bool
	whole bool // the whole target is in the image
}

// occluder is a target that may hide part of the target whose visible fraction is computed.
type occluder struct {
	s    *targetView
	t    *Target
	turn float64 // azimuth of the line of sight to the target, in the occluder's frame, rad
}

// viewTargets computes the view of all targets.
func (vp *Viewpoint) viewTargets(env *Environment, o *TargetViews) {
	n := len(env.Targets)
	if cap(o.all) < n {
		o.all, o.candidates, o.occluders, o.detected = make([]targetView, n), make([]int, 0, n), make([]occluder, 0, n),
			make([]detectedTarget, 0, n)
	}
	o.all, o.candidates = o.all[:n], o.candidates[:0]
	for i := range o.all {
		t, s := &env.Targets[i], &o.all[i]
		if t == env.Self {
			s.out = true
			continue
		}
		if vp.viewTarget(t, s); !s.out {
			o.candidates = append(o.candidates, i)
		}
	}
	o.sortIntoSectors(env)
}

// sectorMasks has a bit for each of 64 candidates, and a word for each sector of the robot's azimuths. The bit is set
// if the candidate covers part of the sector.
type sectorMasks [viewSectors]uint64

const viewSectors = 64

// sortIntoSectors finds the sectors that each candidate covers. Only candidates that share a sector can hide each
// other.
func (o *TargetViews) sortIntoSectors(env *Environment) {
	const perRad = viewSectors / (2 * math.Pi)
	const margin = 1e-3 // rad, for the errors of bearing, of arcsine and of mayHide
	o.sectors = o.sectors[:0]
	for k, i := range o.candidates {
		if k%64 == 0 {
			o.sectors = append(o.sectors, sectorMasks{})
		}
		s := &o.all[i]
		s.azimuth = bearing(&env.ahead, s.toX, s.toY)
		first, last := 0, viewSectors-1
		if !s.around {
			half := arcsine(s.sin) + margin
			first = int((s.azimuth-half)*perRad + 2*viewSectors) // offset by two turns, so that it is not negative
			last = int((s.azimuth+half)*perRad + 2*viewSectors)
		}
		s.first, s.last = uint8(first%viewSectors), uint8(last%viewSectors)
		masks := &o.sectors[k/64]
		for n := first; n <= last; n++ {
			masks[n%viewSectors] |= 1 << (k % 64)
		}
	}
}

// setOccluders sets the field occluders to the candidates that may hide part of a target, in the order of the targets.
func (o *TargetViews) setOccluders(env *Environment, target int) {
	self := &o.all[target]
	o.occluders = o.occluders[:0]
	for n := range o.sectors {
		masks, near := &o.sectors[n], uint64(0)
		for k := self.first; ; k = (k + 1) % viewSectors {
			near |= masks[k]
			if k == self.last {
				break
			}
		}
		for ; near != 0; near &= near - 1 {
			i := o.candidates[64*n+bits.TrailingZeros64(near)]
			if s := &o.all[i]; i != target && s.mayHide(self) {
				o.occluders = append(o.occluders, occluder{s: s, t: &env.Targets[i]})
			}
		}
	}
}

// viewTarget computes the view of one target. It makes the cheapest tests first, and returns when a test shows that the
// target is out of range or outside of the image.
func (vp *Viewpoint) viewTarget(t *Target, s *targetView) {
	b, from, at := t.bulk(), &vp.PoseWC.Pos, &t.PoseWT.Pos
	*s = targetView{toX: at[0] - from[0], toY: at[1] - from[1], base: at[2] - from[2], reach: b.reach}
	s.bottom, s.top = s.base+b.bottom, s.base+b.top
	middle := (s.bottom + s.top) / 2
	flat2, far := s.toX*s.toX+s.toY*s.toY, vp.MaxRange+s.reach
	if s.out = flat2 > far*far || vp.edged && vp.excludes(s, middle, b.bound); s.out {
		return
	}
	s.flat, s.distance = math.Sqrt(flat2), math.Sqrt(flat2+middle*middle)
	if s.around = s.flat <= s.reach; s.around {
		s.sin, s.cos = 1, 0
		s.from, s.to = -steep, steep
	} else {
		s.sin = s.reach / s.flat
		s.cos = math.Sqrt(1 - s.sin*s.sin)
		s.from, s.to = prismSlopes(s.flat-s.reach, s.flat+s.reach, s.bottom, s.top)
	}
	switch {
	case vp.edged:
		s.whole = s.edges == 0
	case vp.upright:
		s.out = s.to < vp.rings.outer.from || s.from > vp.rings.outer.to
		s.whole = s.from > vp.rings.inner.from && s.to < vp.rings.inner.to
	case vp.FieldOfView != nil:
		radius := math.Pi // the viewpoint is inside the bounding sphere
		if b.bound < s.distance {
			radius = math.Asin(b.bound / s.distance)
		}
		angle := math.Acos(max(-1, min(1, (vp.axis[0]*s.toX+vp.axis[1]*s.toY+vp.axis[2]*middle)/s.distance)))
		s.out, s.whole = vp.FieldOfView.excludes(angle, radius), vp.FieldOfView.contains(angle, radius)
	}
}

// excludes reports whether a target's bounding sphere is outside of the image. It must be called only for images
// without distortion. If the sphere is not outside, excludes also sets in s.edges the bits of the image's edges that
// the sphere crosses.
func (vp *Viewpoint) excludes(s *targetView, middle, bound float64) bool {
	if vp.axis[0]*s.toX+vp.axis[1]*s.toY+vp.axis[2]*middle < -bound {
		return true // behind the camera
	}
	for i := range vp.edges {
		n := &vp.edges[i]
		d := n[0]*s.toX + n[1]*s.toY + n[2]*middle
		if d < -bound {
			return true
		}
		if d <= bound {
			s.edges |= 1 << i
		}
	}
	return false
}

// mayHide reports whether s can occlude part of another target.
func (s *targetView) mayHide(target *targetView) bool {
	if s.flat-s.reach > target.flat+target.reach || s.from > target.to || s.to < target.from {
		return false
	}
	if s.around || target.around {
		return true
	}
	// The azimuths overlap if the angle between them is at most the sum of the half widths. The test compares cosines.
	return s.toX*target.toX+s.toY*target.toY >= s.flat*target.flat*(s.cos*target.cos-s.sin*target.sin-1e-9)
}
