package abstraction

import "math"

// outlook is how a scene's targets lie before an eye. It keeps its memory from one look to the next.
type outlook struct {
	seen    []sighting // of all targets
	near    []int      // those that are not out, in order, without the observer's own robot
	before  []occluder // of one of them
	noticed []noticed
}

// noticed is a target that vision does not miss, and the share of it that is visible.
type noticed struct {
	target  int
	visible float64
}

// sighting is how a target lies before the eye.
type sighting struct {
	toX, toY    float64 // W, from the eye to the axis
	flat        float64 // length of that
	reach       float64 // of the target from its axis
	base        float64 // of its frame, over the eye
	bottom, top float64 // over the eye
	sin, cos    float64 // of half the azimuth that it takes
	from, to    float64 // slopes that it stays within
	distance    float64 // to its middle
	edges       uint8   // of a picture without distortion: those, by their bits, that it may cross
	around      bool    // the eye is over, under or in it
	out         bool    // too far, or beside the picture: neither seen nor before what is
	whole       bool    // all of it is in the picture
}

// occluder is what may stand before a target.
type occluder struct {
	s    *sighting
	t    *Target
	turn float64 // of the line of sight to the target, in the occluder's frame
}

// survey looks around.
func (e *Viewpoint) survey(scene *Environment, o *outlook) {
	n := len(scene.Targets)
	if cap(o.seen) < n {
		o.seen, o.near, o.before, o.noticed = make([]sighting, n), make([]int, 0, n), make([]occluder, 0, n), make([]noticed, 0, n)
	}
	o.seen, o.near = o.seen[:n], o.near[:0]
	for i := range o.seen {
		t, s := &scene.Targets[i], &o.seen[i]
		if t == scene.Self {
			s.out = true
			continue
		}
		if e.sight(t, s); !s.out {
			o.near = append(o.near, i)
		}
	}
}

// sight fills in how a target lies before the eye: what is cheapest to find out first.
func (e *Viewpoint) sight(t *Target, s *sighting) {
	b, eye, at := t.bulk(), &e.PoseWC.Pos, &t.PoseWT.Pos
	*s = sighting{toX: at[0] - eye[0], toY: at[1] - eye[1], base: at[2] - eye[2], reach: b.reach}
	s.bottom, s.top = s.base+b.bottom, s.base+b.top
	middle := (s.bottom + s.top) / 2
	flat2, far := s.toX*s.toX+s.toY*s.toY, e.MaxRange+s.reach
	if s.out = flat2 > far*far || e.edged && e.misses(s, middle, b.bound); s.out {
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
	case e.edged:
		s.whole = s.edges == 0
	case e.upright:
		s.out = s.to < e.rings.outer.from || s.from > e.rings.outer.to
		s.whole = s.from > e.rings.inner.from && s.to < e.rings.inner.to
	case e.FieldOfView != nil:
		radius := math.Pi // it may be all around
		if b.bound < s.distance {
			radius = math.Asin(b.bound / s.distance)
		}
		angle := math.Acos(max(-1, min(1, (e.axis[0]*s.toX+e.axis[1]*s.toY+e.axis[2]*middle)/s.distance)))
		s.out, s.whole = e.FieldOfView.misses(angle, radius), e.FieldOfView.holds(angle, radius)
	}
}

// misses tells whether a picture without distortion has nothing of a sphere around a target's middle, and finds out which of its edges
// that crosses.
func (e *Viewpoint) misses(s *sighting, middle, bound float64) bool {
	if e.axis[0]*s.toX+e.axis[1]*s.toY+e.axis[2]*middle < -bound {
		return true // behind the camera
	}
	for i := range e.edges {
		n := &e.edges[i]
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

// mayHide tells whether s can stand before a target.
func (s *sighting) mayHide(target *sighting) bool {
	if s.flat-s.reach > target.flat+target.reach || s.from > target.to || s.to < target.from {
		return false
	}
	if s.around || target.around {
		return true
	}
	// The angle between their azimuths against the sum of their halves, by cosines.
	return s.toX*target.toX+s.toY*target.toY >= s.flat*target.flat*(s.cos*target.cos-s.sin*target.sin-1e-9)
}
