package contour

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// painter finds the points of scan lines that lie on markings. A direction's slope is its component downwards. The
// product of a direction's slope and its point on the floor is linear in the direction. So only the markings have to be
// transformed, and not each scan line. Its memory is reused.
type painter struct {
	up      mgl64.Vec3 // C
	height2 float64    // square of the eye's height over the floor, m²
	far2    float64    // square of the range, m²
	marks   []placedMark
	painted []stretch // painted stretches of the current scan line, in ascending order
}

// placedMark is a marking relative to a camera.
type placedMark struct {
	*spatial.Mark
	// vectors from the eye to the marking's ends in C, metres; both are the centre if it is not a segment
	a, b  mgl64.Vec3
	reach float64 // extent of the marking beside these points, metres
	// The scalar product of a direction with along or across is the direction's slope times a coordinate of its point
	// on the floor, relative to the mark's point A. For a segment, the coordinates are along the segment and to its
	// left. For other marks they are along x and y.
	along, across mgl64.Vec3
	length        float64 // of a segment
}

// place sets the markings in range of a pose. It returns false if there are none, or if the camera is below the floor.
func (p *painter) place(marks []spatial.Mark, poseWC *spatial.Pose, maxRange float64) bool {
	p.marks = p.marks[:0]
	h := poseWC.Pos[2]
	if h <= 0 {
		return false
	}
	rot := poseWC.Rotation()
	p.up, p.height2, p.far2 = spatial.TurnBack(&rot, 0, 0, 1), h*h, maxRange*maxRange
	for i := range marks {
		m := placedMark{Mark: &marks[i]}
		ax, ay := m.A[0]-poseWC.Pos[0], m.A[1]-poseWC.Pos[1]
		bx, by := ax, ay
		ex, ey := 1.0, 0.0
		if m.reach = m.Radius + m.Width; m.Kind == spatial.Segment {
			bx, by = m.B[0]-poseWC.Pos[0], m.B[1]-poseWC.Pos[1]
			m.reach, m.length = m.Width, math.Hypot(bx-ax, by-ay)
			if m.length == 0 {
				continue
			}
			ex, ey = (bx-ax)/m.length, (by-ay)/m.length
		}
		// The point of the segment that is nearest to the point below the eye.
		t := max(0, min(m.length, -ax*ex-ay*ey))
		if math.Hypot(ax+t*ex, ay+t*ey) > maxRange+m.reach {
			continue
		}
		m.a, m.b = spatial.TurnBack(&rot, ax, ay, -h), spatial.TurnBack(&rot, bx, by, -h)
		// A direction v meets the floor at h·v/slope from the point below the eye. The mark's point A is at (ax, ay)
		// from there.
		m.along = spatial.TurnBack(&rot, h*ex, h*ey, ax*ex+ay*ey)
		m.across = spatial.TurnBack(&rot, -h*ey, h*ex, ay*ex-ax*ey)
		p.marks = append(p.marks, m)
	}
	return len(p.marks) > 0
}

// mayCross reports whether a fan of directions may cross the marking. It avoids branches, which the processor would
// mispredict.
func (m *placedMark) mayCross(f *fan) bool {
	a, b := dot(&f.normal, &m.a), dot(&f.normal, &m.b)
	beside := one(a > m.reach)&one(b > m.reach) | one(a < -m.reach)&one(b < -m.reach)
	// All directions of the fan are ahead of the plane through the eye whose normal is the fan's middle.
	behind := one(dot(&f.middle, &m.a) < -m.reach) & one(dot(&f.middle, &m.b) < -m.reach)
	return beside|behind == 0
}

// paint adds the points of a fan of directions that lie on markings.
func (p *painter) paint(f *fan) {
	var floor floorFan
	laid := false
	for i := range p.marks {
		m := &p.marks[i]
		if !m.mayCross(f) {
			continue
		}
		if !laid {
			if floor, laid = p.lay(f); !laid {
				return
			}
		}
		p.cross(m, &floor)
	}
}

// floorFan is the part of a fan that meets the floor in range. low and high are fractions of the way from the fan's
// first direction to its last.
type floorFan struct {
	*fan
	low, high   float64
	slope, rise float64 // slope of the fan's first direction, and how much larger the slope of the last direction is
}

// horizon is the slope of a direction just below the horizon.
const horizon = 1e-4

// lay returns the part of a fan that meets the floor in range. It returns false if no direction does.
func (p *painter) lay(f *fan) (floor floorFan, ok bool) {
	a, b := -dot(&p.up, &f.from), -dot(&p.up, &f.to)
	floor = floorFan{f, 0, 1, a, b - a}
	below := a >= horizon && b >= horizon
	if !below && !clip(horizon-a, a-b, &floor.low, &floor.high) {
		return floor, false
	}
	// A direction v meets the floor in range if height²·v² ≤ far²·slope².
	c, d := p.height2*f.from2-p.far2*a*a, p.height2*f.to2-p.far2*b*b
	if below && c <= 0 && d <= 0 {
		return floor, true
	}
	if below && c > 0 && d > 0 && f.fromTo > a*b {
		return floor, false // both ends are out of range on the same side
	}
	half := p.height2*f.fromTo - p.far2*a*b - c
	return floor, clipQuadratic(d-c-2*half, half, c, &floor.low, &floor.high)
}

// markedFan is a fan relative to a marking. Its fields describe two products: the slope of a direction times its
// coordinate along the marking, and the slope times its coordinate across the marking. For each product it holds the
// value at the fan's first direction, and the increase to the last direction.
type markedFan struct {
	*floorFan
	along, alongRise, across, acrossRise float64
}

// cross adds the points of a fan that lie on a given marking.
func (p *painter) cross(m *placedMark, f *floorFan) {
	x := markedFan{floorFan: f, along: dot(&m.along, &f.from), across: dot(&m.across, &f.from)}
	x.alongRise, x.acrossRise = dot(&m.along, &f.to)-x.along, dot(&m.across, &f.to)-x.across
	from, to := f.low, f.high
	if m.Kind == spatial.Segment {
		half := m.Width / 2
		if x.beside(x.across, x.acrossRise, -half, half, &from, &to) && x.beside(x.along, x.alongRise, -half,
			m.length+half, &from, &to) {
			p.insert(x.points(from, to))
		}
		return
	}
	outer, inner := m.Radius+m.Width/2, m.Radius-m.Width/2
	if m.Kind == spatial.Spot {
		outer, inner = m.Radius, 0
	}
	if !x.disc(outer, &from, &to) {
		return
	}
	a, b := from, to
	if inner <= 0 || !x.disc(inner, &a, &b) {
		p.addArc(m, &x, from, to)
		return
	}
	if a > from {
		p.addArc(m, &x, from, a)
	}
	if b < to {
		p.addArc(m, &x, b, to)
	}
}

// beside restricts an interval to the part where a coordinate of the marking is between two values. It reports whether
// anything remains. at and rise are the coordinate times the slope and its increase, as in markedFan.
func (x *markedFan) beside(at, rise, low, high float64, from, to *float64) bool {
	return clip(at-high*x.slope, rise-high*x.rise, from, to) && clip(low*x.slope-at, low*x.rise-rise, from, to)
}

// disc restricts an interval to the part that is within a radius of the marking's centre. It reports whether anything
// remains.
func (x *markedFan) disc(radius float64, from, to *float64) bool {
	r2 := radius * radius
	return clipQuadratic(x.alongRise*x.alongRise+x.acrossRise*x.acrossRise-r2*x.rise*x.rise,
		x.alongRise*x.along+x.acrossRise*x.across-r2*x.rise*x.slope,
		x.along*x.along+x.across*x.across-r2*x.slope*x.slope, from, to)
}

// points returns the points of the scan line between two fractions of the fan.
func (f *fan) points(from, to float64) stretch {
	return stretch{int(math.Ceil(f.pointAt(from) - 1e-9)), int(math.Floor(f.pointAt(to) + 1e-9))}
}

// addArc adds the points between two fractions of the fan that lie on an arc.
func (p *painter) addArc(m *placedMark, x *markedFan, from, to float64) {
	s := x.points(from, to)
	if m.Kind == spatial.Arc && m.Sweep < 2*math.Pi-1e-9 {
		off := func(k int) bool {
			w := x.weightsAt(float64(k))
			all := w[0] + w[1]
			slope := all*x.slope + w[1]*x.rise
			return m.Distance(m.A[0]+(all*x.along+w[1]*x.alongRise)/slope,
				m.A[1]+(all*x.across+w[1]*x.acrossRise)/slope) > m.Width/2
		}
		for s.first <= s.last && off(s.first) {
			s.first++
		}
		for s.first <= s.last && off(s.last) {
			s.last--
		}
	}
	p.insert(s)
}

// insert inserts a stretch so that painted remains in order. It ignores an empty stretch.
func (p *painter) insert(s stretch) {
	if s.first > s.last {
		return
	}
	p.painted = append(p.painted, s)
	for i := len(p.painted) - 1; i > 0 && p.painted[i].first < p.painted[i-1].first; i-- {
		p.painted[i], p.painted[i-1] = p.painted[i-1], p.painted[i]
	}
}

// clip restricts [from, to] to the part where at + t·slope ≤ 0. It reports whether anything remains.
func clip(at, slope float64, from, to *float64) bool {
	switch {
	case slope > 0:
		*to = min(*to, -at/slope)
	case slope < 0:
		*from = max(*from, -at/slope)
	case at > 0:
		return false
	}
	return *from <= *to
}

// clipQuadratic restricts [from, to] to one interval where a·t² + 2·b·t + c ≤ 0. It reports whether anything remains.
func clipQuadratic(a, b, c float64, from, to *float64) bool {
	d := b*b - a*c
	// the solutions are outside of two roots; only one side is kept, because the other is beyond the horizon
	if a <= 0 {
		if a == 0 {
			return clip(c, 2*b, from, to)
		}
		if d <= 0 {
			return true
		}
		root := math.Sqrt(d)
		first, second := (-b+root)/a, (-b-root)/a // first ≤ second
		if *to <= first || *from >= second {
			return true
		}
		if *from < first {
			*to = first
		} else {
			*from = second
		}
		return *from <= *to
	}
	if d < 0 {
		return false
	}
	root := math.Sqrt(d)
	*from, *to = max(*from, (-b-root)/a), min(*to, (-b+root)/a)
	return *from <= *to
}
