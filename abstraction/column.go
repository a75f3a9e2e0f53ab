package abstraction

import (
	"math"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// column is an upright plane through the eye that cuts a target, one after the other.
type column struct {
	view    *Viewpoint
	self    *targetView
	target  *Target
	housing *SelfOcclusion // nil if it hides nothing of the target
	own     float64        // else the target's azimuth from its robot
	small   bool           // slopes are as good a measure of the target as solid angles, and cost no roots
	line    planeDir
}

// planeDir is the direction of an upright plane through the eye, in W.
type planeDir struct{ x, y float64 }

// visibleShare adds up what is visible of the target.
func (c *column) visibleShare(before []occluder) float64 {
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
	all, shown := 0.0, 0.0
	var set slopes // of each column in turn: zeroing one costs as much as filling it
	for k := range columns {
		sin := s.sin * offset(k)
		cos, width, aside := slant(sin)
		c.line = planeDir{middle.x*cos - middle.y*sin, middle.x*sin + middle.y*cos}
		near := c.fill(&set, k, s.flat*cos, turn+aside)
		if set.n == 0 {
			continue
		}
		size := width * set.size(c.small)
		all += size
		part := !s.whole
		if c.housing != nil {
			part = c.housing.subtractFrom(&set, c.own+aside) || part
		}
		for i := range before {
			if set.n > 0 {
				part = c.line.subtractOccluder(&set, near, &before[i], before[i].turn+aside) || part
			}
		}
		if part {
			size = width * c.imagedSize(&set)
		}
		shown += size
	}
	if all == 0 {
		return 0
	}
	return shown / all
}

// fill puts the slopes at which the k-th plane, in a direction of the target's frame, meets it into a set, and returns how near it is.
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

// imagedSize returns the size of what the picture shows of a set, which it may change. Most are whole.
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

// subtractOccluder takes out the slopes at which the plane, in a direction of an occluder's frame, meets it nearer than before, and tells whether
// that changed anything.
func (l *planeDir) subtractOccluder(set *slopes, before float64, o *occluder, turn float64) bool {
	s := o.s
	// How far ahead the foot of its axis is, and how far to the left of it the plane passes.
	ahead, beside := l.x*s.toX+l.y*s.toY, l.y*s.toX-l.x*s.toY
	if math.Abs(beside) >= s.reach || ahead-s.reach > before {
		return false
	}
	if o.t.Shape.Kind == Sphere {
		half := math.Sqrt(s.reach*s.reach - beside*beside)
		from, to, ok := discSlopes(ahead, s.base, half)
		return ok && ahead-half < before && set.subtract(from, to)
	}
	changed, outline := false, o.t.Outline
	for p := outline.pieceAt(turn, beside); p != nil; p = outline.after(p) {
		if from, to, ok := outline.slopes(p, ahead, s.base); ok && ahead+float64(p.from) < before {
			changed = set.subtract(from, to) || changed
		}
	}
	return changed
}

// insideSize returns the size of the part of a set that is within the image.
func (c *column) insideSize(set *slopes) float64 {
	sum := 0.0
	for i := range set.n {
		from, to := set.from[i], set.to[i]
		if !c.view.upright {
			const steps = 6 // less take what is half in the image for something else
			sum += c.sampledSize(from, to, steps)
			continue
		}
		in, out := &c.view.rings.inner, &c.view.rings.outer
		sum += c.intervalSize(max(from, in.from), min(to, in.to)) +
			c.partialSize(max(from, in.to), min(to, out.to)) + c.partialSize(max(from, out.from), min(to, in.from))
	}
	return sum
}

// partialSize returns the size of the part of an interval between the rings that is within the image.
func (c *column) partialSize(from, to float64) float64 {
	const narrow = 0.01 // half of so little is not worth a look
	if to-from < narrow {
		return c.intervalSize(from, to) / 2
	}
	return c.sampledSize(from, to, 2)
}

// intervalSize returns the size of an interval, 0 if it is empty.
func (c *column) intervalSize(from, to float64) float64 {
	switch {
	case from >= to:
		return 0
	case c.small:
		return to - from
	}
	return sine(to) - sine(from)
}

// sampledSize returns the size of the part of an interval that is within the image, of which so many points are looked for in it.
func (c *column) sampledSize(from, to float64, steps int) float64 {
	size, in := c.intervalSize(from, to), 0
	low, high, e := sine(from), sine(to), c.view
	distance := max(c.self.flat, 0.01) // a direction has some length
	for k := range steps {
		s := low + (high-low)*(float64(k)+0.5)/float64(steps)
		slope := s / math.Sqrt(1-s*s)
		if u, v, ok := e.Model.Project(spatial.TurnBack(&e.turn, c.line.x*distance, c.line.y*distance, slope*distance)); ok && optics.Inside(e.Model, u, v) {
			in++
		}
	}
	return size * float64(in) / float64(steps)
}

// clipToEdges takes out of a set what lies beyond the image's edges.
func (c *column) clipToEdges(set *slopes) {
	for i := range c.view.edges {
		if c.self.edges&(1<<i) == 0 {
			continue
		}
		n := &c.view.edges[i]
		level, rise := n[0]*c.line.x+n[1]*c.line.y, n[2] // inside: level + slope·rise ≥ 0
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
