package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Lines holds the markings of a field, prepared for vision. It is immutable.
type Lines struct {
	marks     []spatial.Mark
	rows      []row // points along all lines, lineStep apart
	crossings []crossing
	circles   []circle
}

// circle is a full circle, with points all around it, in W.
type circle struct {
	middle mgl64.Vec2
	radius float64
	points [lineSteps]mgl64.Vec2
}

// row holds points of one line, in W, and two corners of the box around these points.
type row struct {
	points []mgl64.Vec2
	lo, hi mgl64.Vec2
}

// fartherThan reports whether all points of a row are more than a distance away from the point (x, y).
func (r *row) fartherThan(x, y, distance float64) bool {
	dx, dy := max(r.lo[0]-x, x-r.hi[0], 0), max(r.lo[1]-y, y-r.hi[1], 0)
	return dx*dx+dy*dy > distance*distance
}

// CrossingKind is the shape of a crossing of lines.
type CrossingKind string

const (
	CrossingL CrossingKind = "L"
	CrossingT CrossingKind = "T"
	CrossingX CrossingKind = "X"
)

type crossing struct {
	at   mgl64.Vec2 // W
	kind CrossingKind
}

// lineStep is the distance between the points of a row, metres.
const lineStep = 0.5

// NewLines prepares the markings of a field.
func NewLines(marks []spatial.Mark) *Lines {
	l := &Lines{marks: marks}
	for i := range marks {
		m := &marks[i]
		if m.Kind == spatial.Spot {
			continue
		}
		n := max(1, int(lengthOf(m)/lineStep+0.5))
		r := row{lo: mgl64.Vec2{math.Inf(1), math.Inf(1)}, hi: mgl64.Vec2{math.Inf(-1), math.Inf(-1)}}
		for k := range n {
			p := along(m, (float64(k)+0.5)/float64(n))
			r.points = append(r.points, p)
			r.lo, r.hi = mgl64.Vec2{min(r.lo[0], p[0]), min(r.lo[1], p[1])}, mgl64.Vec2{max(r.hi[0], p[0]),
				max(r.hi[1], p[1])}
		}
		l.rows = append(l.rows, r)
		if fullCircle(m) {
			c := circle{middle: m.A, radius: m.Radius}
			for k := range c.points {
				c.points[k] = along(m, float64(k)/lineSteps)
			}
			l.circles = append(l.circles, c)
		}
		for j := range i {
			if c, ok := crossingOf(&marks[j], m); ok {
				l.crossings = append(l.crossings, c)
			}
		}
	}
	return l
}

// Box returns the two corners of the box around all lines and the origin, in W.
func (l *Lines) Box() (corners [2]mgl64.Vec2) {
	for i := range l.marks {
		m := &l.marks[i]
		reach := m.Radius + m.Width/2
		ends := [2]mgl64.Vec2{m.A, m.A}
		if m.Kind == spatial.Segment {
			ends[1] = m.B
		}
		for _, end := range ends {
			for k := range end {
				corners[0][k], corners[1][k] = min(corners[0][k], end[k]-reach), max(corners[1][k], end[k]+reach)
			}
		}
	}
	return corners
}

// fullCircle reports whether a mark is a full circle.
func fullCircle(m *spatial.Mark) bool { return m.Kind == spatial.Arc && m.Sweep > 2*math.Pi-1e-9 }

func lengthOf(m *spatial.Mark) float64 {
	if m.Kind == spatial.Arc {
		return m.Radius * m.Sweep
	}
	return math.Hypot(m.B[0]-m.A[0], m.B[1]-m.A[1])
}

// along returns the point on a mark's centre line at a fraction of the line's length, from 0 to 1.
func along(m *spatial.Mark, share float64) mgl64.Vec2 {
	a, b := mgl64.Vec2(m.A), mgl64.Vec2(m.B)
	if m.Kind == spatial.Arc {
		sin, cos := math.Sincos(m.From + share*m.Sweep)
		return a.Add(mgl64.Vec2{m.Radius * cos, m.Radius * sin})
	}
	return a.Add(b.Sub(a).Mul(share))
}

// crossingOf returns the crossing of two straight lines, or false if they do not cross.
func crossingOf(a, b *spatial.Mark) (crossing, bool) {
	if a.Kind != spatial.Segment || b.Kind != spatial.Segment {
		return crossing{}, false
	}
	p, q := mgl64.Vec2(a.A), mgl64.Vec2(b.A)
	u, v := mgl64.Vec2(a.B).Sub(p), mgl64.Vec2(b.B).Sub(q)
	det := u[0]*v[1] - u[1]*v[0]
	if math.Abs(det) < 0.1*u.Len()*v.Len() {
		return crossing{}, false
	}
	d := q.Sub(p)
	s, t := (d[0]*v[1]-d[1]*v[0])/det, (d[0]*u[1]-d[1]*u[0])/det
	// A line counts as ending at the crossing within these fractions of its length.
	es, et := a.Width/u.Len(), b.Width/v.Len()
	if s < -es || s > 1+es || t < -et || t > 1+et {
		return crossing{}, false
	}
	ends := 0
	if s < es || s > 1-es {
		ends++
	}
	if t < et || t > 1-et {
		ends++
	}
	return crossing{p.Add(u.Mul(s)), [3]CrossingKind{CrossingX, CrossingT, CrossingL}[ends]}, true
}

// floorB converts a point of the floor from W to the robot's frame.
func (s *Environment) floorB(p mgl64.Vec2) mgl64.Vec2 {
	w := onFloor(p)
	return s.toB(&w).Vec2()
}

// trueLines appends all lines of the field, at their exact positions.
func (s *Environment) trueLines(into *ObjectList) {
	if s.Lines == nil {
		return
	}
	for i := range s.Lines.marks {
		switch m := &s.Lines.marks[i]; {
		case m.Kind == spatial.Segment:
			into.Lines = append(into.Lines, LineObject{s.floorB(m.A), s.floorB(m.B), 1})
		case fullCircle(m):
			into.Circles = append(into.Circles, s.floorB(m.A))
		}
	}
	for _, c := range s.Lines.crossings {
		into.Crossings = append(into.Crossings, CrossingObject{s.floorB(c.at), c.kind})
	}
}

// Streams of random numbers for the errors of lines' points in pixels.
const (
	lineStart uint64 = iota << 40
	lineEnd
	lineCrossing
	lineCircle
)

// perceiveLines appends the visible parts of lines, at the positions at which vision locates them.
func (v *Vision) perceiveLines(view *Viewpoint, env *Environment, noise random.Source, into *ObjectList) {
	if env.Lines == nil {
		return
	}
	v.pixels.Clear()
	f := lineDetector{view: view, maxRange: view.MaxRange, env: env, targets: v.viewsFor(view)}
	f.detectSegments(env.Lines, &v.pixels)
	f.detectCrossings(env.Lines, &v.pixels)
	// locate returns the position at which vision locates the floor point that a pixel shows.
	locate := func(at [2]float64, item uint64) (mgl64.Vec2, bool) {
		nu, nv := v.errors[generalModel].Normal(noise, streamLines, item)
		dirC, ok := view.Model.Unproject(at[0]+nu*v.cfg.PixelNoise, at[1]+nv*v.cfg.PixelNoise)
		if !ok {
			return mgl64.Vec2{}, false
		}
		p, ok := view.intersectPlane(dirC, 0)
		return env.toB(&p).Vec2(), ok
	}
	for i, s := range v.pixels.Segments {
		a, okA := locate(s.Start, lineStart|uint64(i))
		b, okB := locate(s.End, lineEnd|uint64(i))
		if okA && okB {
			into.Lines = append(into.Lines, LineObject{a, b, s.Confidence})
		}
	}
	for i, c := range v.pixels.Crossings {
		if p, ok := locate(c.At, lineCrossing|uint64(i)); ok {
			into.Crossings = append(into.Crossings, CrossingObject{p, c.Kind})
		}
	}
	for i := range env.Lines.marks {
		m := &env.Lines.marks[i]
		if !fullCircle(m) || f.visibleShare(m) < 0.25 {
			continue
		}
		// A circle is fitted to many points, so its centre is as accurate as a single point.
		if at, ok := view.pixel(onFloor(m.A)); ok {
			if p, ok := locate(at, lineCircle|uint64(i)); ok {
				into.Circles = append(into.Circles, p)
			}
		}
	}
}

// visibleShare returns the fraction of a mark that is visible, from 0 to 1.
func (l *lineDetector) visibleShare(m *spatial.Mark) float64 {
	n := 0
	for k := range lineSteps {
		if _, ok := l.seePoint(onFloor(along(m, (float64(k)+0.5)/lineSteps)), BackgroundLabel); ok {
			n++
		}
	}
	return float64(n) / lineSteps
}

// unoccluded reports whether neither a target nor the robot itself occludes a point in W.
func (l *lineDetector) unoccluded(p mgl64.Vec3) bool {
	e := l.view
	dx, dy, dz := p[0]-e.PoseWC.Pos[0], p[1]-e.PoseWC.Pos[1], p[2]-e.PoseWC.Pos[2]
	point := targetView{toX: dx, toY: dy, reach: 1e-3, bottom: dz - 1e-3, top: dz + 1e-3}
	point.flat = math.Hypot(dx, dy)
	if point.flat <= point.reach {
		return true
	}
	point.sin = point.reach / point.flat
	point.cos = 1
	slope := dz / point.flat
	point.from, point.to = slope-1e-6, slope+1e-6
	if e.SelfOcclusion != nil {
		for _, own := range e.SelfOcclusion.at(bearing(&l.env.ahead, dx, dy)) {
			if float64(own.from) < slope && slope < float64(own.to) {
				return false
			}
		}
	}
	line := planeDir{x: dx / point.flat, y: dy / point.flat}
	walls := l.env.Walls
	l.targets.walls = walls.appendHiding(l.targets.walls[:0], &e.PoseWC.Pos, dx, dy, point.reach)
	for _, i := range l.targets.walls {
		var set slopes
		set.set(point.from, point.to)
		if line.subtractSolid(&set, &e.PoseWC.Pos, point.flat, &walls.boxes[i]); set.n == 0 {
			return false
		}
	}
	for _, i := range l.targets.candidates {
		if s := &l.targets.all[i]; s.mayHide(&point) {
			o := occluder{s: s, t: &l.env.Targets[i]}
			var set slopes
			set.set(point.from, point.to)
			if line.subtractOccluder(&set, point.flat, &o, bearing(&o.t.ahead, dx, dy)); set.n == 0 {
				return false
			}
		}
	}
	return true
}
