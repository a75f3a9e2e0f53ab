package contour

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// painter finds where scan lines cross markings. Let a direction's slope be its downward component. The floor point of
// a direction times its slope is linear in the direction, so only the markings have to be transformed. Its memory is
// reused.
type painter struct {
	up      mgl64.Vec3 // C
	height2 float64    // square of the eye's over the floor, m²
	far2    float64    // square of the range, m²
	marks   []placedMark
	painted []stretch // of the scan line, in rising order
}

// placedMark is a marking as a camera has it.
type placedMark struct {
	*spatial.Mark
	a, b  mgl64.Vec3 // its ends, or its middle and the same, from the eye, C, metres
	reach float64    // how far it is wide beside them, metres
	// Of a direction's place on the floor, times the direction's slope: from A on, along a segment's axis and to its
	// left, of others along x and y.
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
		// Nearest point to the eye's foot.
		t := math.Max(0, math.Min(m.length, -ax*ex-ay*ey))
		if math.Hypot(ax+t*ex, ay+t*ey) > maxRange+m.reach {
			continue
		}
		m.a, m.b = spatial.TurnBack(&rot, ax, ay, -h), spatial.TurnBack(&rot, bx, by, -h)
		// The floor's place of a direction v is h·v/slope from the eye's foot, and −a from A.
		m.along = spatial.TurnBack(&rot, h*ex, h*ey, ax*ex+ay*ey)
		m.across = spatial.TurnBack(&rot, -h*ey, h*ex, ay*ex-ax*ey)
		p.marks = append(p.marks, m)
	}
	return len(p.marks) > 0
}

// mayCross reports whether a fan may cross the marking.
func (m *placedMark) mayCross(f *fan) bool {
	a, b := dot(&f.normal, &m.a), dot(&f.normal, &m.b)
	return !(a > m.reach && b > m.reach || a < -m.reach && b < -m.reach)
}

// paint adds the points of a fan that lie on markings.
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

// floorFan is what meets the floor in range of a fan: between two shares of the way from its first direction to its
// last.
type floorFan struct {
	*fan
	low, high   float64
	slope, rise float64 // the slope of the first, and how much more that of the last is
}

// horizon is the slope of what looks just below the horizon.
const horizon = 1e-4

// lay returns the part of a fan that meets the floor in range, or false if nothing does.
func (p *painter) lay(f *fan) (floor floorFan, ok bool) {
	a, b := -dot(&p.up, &f.from), -dot(&p.up, &f.to)
	floor = floorFan{f, 0, 1, a, b - a}
	below := a >= horizon && b >= horizon
	if !below && !clip(horizon-a, a-b, &floor.low, &floor.high) {
		return floor, false
	}
	// It is in range where height²·v² ≤ far²·slope².
	c, d := p.height2*f.from2-p.far2*a*a, p.height2*f.to2-p.far2*b*b
	if below && c <= 0 && d <= 0 {
		return floor, true
	}
	if below && c > 0 && d > 0 && f.fromTo > a*b {
		return floor, false // it looks away from the floor
	}
	half := p.height2*f.fromTo - p.far2*a*b - c
	return floor, clipQuadratic(d-c-2*half, half, c, &floor.low, &floor.high)
}

// markedFan is a fan with a marking: how its place along and across the marking, times its slope, goes from its first
// direction on.
type markedFan struct {
	*floorFan
	along, alongRise, across, acrossRise float64
}

// cross adds the points of a fan that lie on a marking.
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

// beside restricts an interval to where a coordinate, times the slope, is between two values, and reports whether
// anything remains.
func (x *markedFan) beside(at, rise, low, high float64, from, to *float64) bool {
	return clip(at-high*x.slope, rise-high*x.rise, from, to) && clip(low*x.slope-at, low*x.rise-rise, from, to)
}

// disc restricts an interval to within a radius of the marking's centre.
func (x *markedFan) disc(radius float64, from, to *float64) bool {
	r2 := radius * radius
	return clipQuadratic(x.alongRise*x.alongRise+x.acrossRise*x.acrossRise-r2*x.rise*x.rise,
		x.alongRise*x.along+x.acrossRise*x.across-r2*x.rise*x.slope,
		x.along*x.along+x.across*x.across-r2*x.slope*x.slope, from, to)
}

// points returns the points between two shares of the way.
func (f *fan) points(from, to float64) stretch {
	return stretch{int(math.Ceil(f.pointAt(from) - 1e-9)), int(math.Floor(f.pointAt(to) + 1e-9))}
}

// addArc adds the points between two shares of the way that lie on an arc.
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

// insert adds a stretch in its place, unless it is empty.
func (p *painter) insert(s stretch) {
	if s.first > s.last {
		return
	}
	p.painted = append(p.painted, s)
	for i := len(p.painted) - 1; i > 0 && p.painted[i].first < p.painted[i-1].first; i-- {
		p.painted[i], p.painted[i-1] = p.painted[i-1], p.painted[i]
	}
}

// clip restricts [from, to] to where at + t·slope ≤ 0, and reports whether anything remains.
func clip(at, slope float64, from, to *float64) bool {
	switch {
	case slope > 0:
		*to = math.Min(*to, -at/slope)
	case slope < 0:
		*from = math.Max(*from, -at/slope)
	case at > 0:
		return false
	}
	return *from <= *to
}

// clipQuadratic restricts [from, to] to where a·t² + 2·b·t + c ≤ 0, an interval within it, and reports whether anything
// remains.
func clipQuadratic(a, b, c float64, from, to *float64) bool {
	d := b*b - a*c
	if a <= 0 { // outside of a hyperbola's branches, which begin or end before the horizon
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
	*from, *to = math.Max(*from, (-b-root)/a), math.Min(*to, (-b+root)/a)
	return *from <= *to
}
