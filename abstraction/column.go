package abstraction

import (
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// column is a vertical plane through the viewpoint that intersects a target. The same column is reused for several
// planes.
type column struct {
	view      *Viewpoint
	self      *targetView
	target    *Target
	occlusion *SelfOcclusion // nil if the robot itself hides no part of the target
	azimuth   float64        // azimuth of the target in the robot's frame, rad; only set with occlusion
	// small is true if the target's slopes are close together. Then differences of slopes approximate solid angles,
	// which saves square roots.
	small  bool
	dir    planeDir
	planes *planes
}

// planes are the vertical planes through a viewpoint that intersect a target. The memory is reused for all targets.
type planes struct {
	all [columns]plane
	set slopes // at which one of the planes intersects the target
}

// plane is a vertical plane through the viewpoint and a target.
type plane struct {
	cos   float64 // of the angle between the plane and the target's axis
	width float64 // azimuth for which the plane stands, relative to the one in the middle
	aside float64 // angle between the plane and the target's axis, rad
	dir   planeDir
}

// planeDir is the direction of a vertical plane through the viewpoint: a horizontal unit vector in W.
type planeDir struct{ x, y float64 }

// visibleShare returns the visible fraction of the target, 0 to 1, behind other targets and some of the walls. It sums
// over the planes that intersect the target.
func (c *column) visibleShare(before []occluder, walls *Solids, hiding []int32) float64 {
	s := c.self
	middle := planeDir{1, 0}
	if s.flat > 0 {
		middle = planeDir{s.toX / s.flat, s.toY / s.flat}
	}
	turn := 0.0
	if c.target.Outline != nil {
		turn = bearing(&c.target.ahead, middle.x, middle.y)
	}
	for i := range before {
		before[i].turn = bearing(&before[i].t.ahead, middle.x, middle.y)
	}
	planes := &c.planes.all
	for k := range columns / 2 { // the other half is symmetric
		sin := s.sin * offset(k)
		cos, width, aside := slant(sin)
		planes[k] = plane{cos, width, aside, planeDir{middle.x*cos - middle.y*sin, middle.x*sin + middle.y*cos}}
		planes[columns-1-k] = plane{cos, width, -aside,
			planeDir{middle.x*cos + middle.y*sin, middle.y*cos - middle.x*sin}}
	}
	all, shown := 0.0, 0.0
	set := &c.planes.set
	for k := range planes {
		p := &planes[k]
		c.dir = p.dir
		near := c.fill(set, k, s.flat*p.cos, turn+p.aside)
		if set.n == 0 {
			continue
		}
		size := p.width * set.size(c.small)
		all += size
		part := !s.whole
		if c.occlusion != nil {
			part = c.occlusion.subtractFrom(set, c.azimuth+p.aside) || part
		}
		for i := range before {
			if set.n > 0 {
				part = c.dir.subtractOccluder(set, near, &before[i], before[i].turn+p.aside) || part
			}
		}
		for _, i := range hiding {
			if set.n > 0 {
				part = c.dir.subtractSolid(set, &c.view.PoseWC.Pos, near, &walls.boxes[i]) || part
			}
		}
		if part {
			size = p.width * c.imagedSize(set)
		}
		shown += size
	}
	if all == 0 {
		return 0
	}
	return shown / all
}

// fill sets the slopes at which the k-th plane intersects the target. It returns the horizontal distance of the
// target's nearest point in the plane, m. ahead is the distance of the target's axis along the plane, m, and turn is
// the plane's azimuth in the target's frame, rad.
func (c *column) fill(set *slopes, k int, ahead, turn float64) (nearest float64) {
	set.n = 0
	s := c.self
	if c.target.Shape.Kind == Sphere {
		half := s.reach * math.Sqrt(1-offset(k)*offset(k))
		if from, to, ok := discSlopes(ahead, s.base, half); ok {
			set.set(from, to)
		}
		return ahead - half
	}
	outline := c.target.Outline
	p := outline.column(turn, k)
	from, to, ok := outline.slopes(p, ahead, s.base)
	if nearest = math.Inf(1); ok {
		set.set(from, to)
		nearest = ahead + float64(p.from)
	}
	for p = outline.after(p); p != nil; p = outline.after(p) {
		if from, to, ok = outline.slopes(p, ahead, s.base); ok {
			nearest = min(nearest, ahead+float64(p.from))
			set.add(from, to)
		}
	}
	return nearest
}

// imagedSize returns the size of the part of a set of slopes that is within the image. It may change the set.
func (c *column) imagedSize(set *slopes) float64 {
	switch {
	case c.self.whole:
	case c.view.edged:
		c.clipToEdges(set)
	default:
		return c.insideSize(set)
	}
	return set.size(c.small)
}

// subtractOccluder removes from a set the slopes at which the plane intersects an occluder, if the occluder is nearer
// than the horizontal distance maxDistance, m. It reports whether that changed the set. turn is the plane's azimuth in
// the occluder's frame, rad.
func (l *planeDir) subtractOccluder(set *slopes, maxDistance float64, o *occluder, turn float64) bool {
	s := o.s
	// ahead is the distance of the occluder's axis along the plane, and beside is how far to the left of the axis the
	// plane passes.
	ahead, beside := l.x*s.toX+l.y*s.toY, l.y*s.toX-l.x*s.toY
	if math.Abs(beside) >= s.reach || ahead-s.reach > maxDistance {
		return false
	}
	if o.t.Shape.Kind == Sphere {
		half := math.Sqrt(s.reach*s.reach - beside*beside)
		from, to, ok := discSlopes(ahead, s.base, half)
		return ok && ahead-half < maxDistance && set.subtract(from, to)
	}
	changed, outline := false, o.t.Outline
	for p := outline.pieceAt(turn, beside); p != nil; p = outline.after(p) {
		if ahead+float64(p.from) < maxDistance {
			if from, to, ok := outline.slopes(p, ahead, s.base); ok {
				changed = set.subtract(from, to) || changed
			}
		}
	}
	return changed
}

// insideSize returns the size of the part of a set of slopes that is within the image. It does not change the set.
func (c *column) insideSize(set *slopes) float64 {
	sum := 0.0
	for i := range set.n {
		from, to := set.from[i], set.to[i]
		if !c.view.upright {
			const steps = 6 // with fewer steps, targets that are half inside the image are misjudged
			sum += c.sampledSize(from, to, steps)
			continue
		}
		in, out := &c.view.rings.inner, &c.view.rings.outer
		sum += c.intervalSize(max(from, in.from), min(to, in.to)) +
			c.partialSize(max(from, in.to), min(to, out.to)) + c.partialSize(max(from, out.from), min(to, in.from))
	}
	return sum
}

// partialSize returns the size of the part of an interval between the inner and the outer ring that is within the
// image.
func (c *column) partialSize(from, to float64) float64 {
	const narrow = 0.01 // shorter intervals count as half inside the image
	if to-from < narrow {
		return c.intervalSize(from, to) / 2
	}
	return c.sampledSize(from, to, 2)
}

// intervalSize returns the size of an interval, or 0 if the interval is empty.
func (c *column) intervalSize(from, to float64) float64 {
	switch {
	case from >= to:
		return 0
	case c.small:
		return to - from
	}
	return sine(to) - sine(from)
}

// sampledSize returns the size of the part of an interval that is within the image. It estimates the part by projecting
// the given number of points.
func (c *column) sampledSize(from, to float64, steps int) float64 {
	size, in := c.intervalSize(from, to), 0
	low, high, view := sine(from), sine(to), c.view
	distance := max(c.self.flat, 0.01) // not 0, because the direction of a zero vector is undefined
	for k := range steps {
		s := low + (high-low)*(float64(k)+0.5)/float64(steps)
		slope := s / math.Sqrt(1-s*s)
		if u, v, ok := view.Model.Project(spatial.TurnBack(&view.rotWC, c.dir.x*distance, c.dir.y*distance,
			slope*distance)); ok && optics.Inside(view.Model, u, v) {
			in++
		}
	}
	return size * float64(in) / float64(steps)
}

// clipToEdges removes from a set all slopes that are beyond the edges of an image without distortion.
func (c *column) clipToEdges(set *slopes) {
	for i := range c.view.edges {
		if c.self.edges&(1<<i) == 0 {
			continue
		}
		n := &c.view.edges[i]
		level, rise := n[0]*c.dir.x+n[1]*c.dir.y, n[2] // inside: level + slope·rise ≥ 0
		switch {
		case rise > 0:
			set.subtract(-steep, -level/rise)
		case rise < 0:
			set.subtract(-level/rise, steep)
		case level < 0:
			set.n = 0
		}
	}
}
