package abstraction

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction/contour"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// lineDetector detects the markings of the field and the bars of the goals in one frame.
type lineDetector struct {
	view     *Viewpoint
	picture  Picture // content of the image; if nil, visibility is computed in closed form from env and targets
	maxRange float64
	env      *Environment
	targets  *TargetViews // of env
	steps    steps        // of the line being tested
}

// seePoint returns the pixel of a point in W, and whether the point is visible. The argument code is the code of the
// surface that contains the point.
func (l *lineDetector) seePoint(p mgl64.Vec3, code int16) (at [2]float64, ok bool) {
	if p.Sub(l.view.PoseWC.Pos).Len() > l.maxRange {
		return at, false
	}
	at, ok = l.view.pixel(p)
	if !ok {
		return at, false
	}
	return at, l.shows(&p, at[0], at[1], code)
}

func onFloor(p mgl64.Vec2) mgl64.Vec3 { return mgl64.Vec3{p[0], p[1], 0} }

// detectPoints appends the line points on all scan lines.
func (l *lineDetector) detectPoints(lines *Lines, into *FeatureList) {
	below, radial := l.view.pixel(l.view.PoseWC.Pos.Add(mgl64.Vec3{0, 0, -1}))
	// a mirror that images the floor straight below it
	radial = radial && optics.Inside(l.view.Model, below[0], below[1])
	into.LinePoints = l.picture.LinePoints(lines.marks, l.view.PoseWC, radial, l.maxRange, into.LinePoints)
}

// LinePoints returns the line points that level features would report, up to a range in m. It changes neither view nor
// env.
func LinePoints(view *Viewpoint, env *Environment, picture Picture, maxRange float64) [][2]float64 {
	if env.Lines == nil {
		return nil
	}
	whole := *view
	whole.MaxRange = math.Inf(1)
	whole.prepare()
	var found FeatureList
	l := lineDetector{view: &whole, picture: picture, maxRange: maxRange}
	l.detectPoints(env.Lines, &found)
	return found.LinePoints
}

// LinePoints appends the centres of markings on scan lines.
func (l *Labels) LinePoints(marks []spatial.Mark, poseWC spatial.Pose, radial bool, maxRange float64,
	into [][2]float64) [][2]float64 {
	view := Viewpoint{Model: l.Model, PoseWC: poseWC, MaxRange: maxRange}
	view.prepare()
	for n := range contour.ScanLines {
		u, v, du, dv, steps := contour.Scan(l.Width, l.Height, n, radial)
		first, last := -1, -1
		end := func() {
			if first >= 0 {
				middle := float64(first+last) / 2
				into = append(into, [2]float64{u + middle*du, v + middle*dv})
			}
			first = -1
		}
		for k := range steps {
			x, y := u+float64(k)*du, v+float64(k)*dv
			code, inside := l.At(x, y)
			if !inside {
				break
			}
			if code == BackgroundLabel && view.painted(marks, x, y) {
				if first < 0 {
					first = k
				}
				last = k
			} else {
				end()
			}
		}
		end()
	}
	return into
}

// painted reports whether a pixel that shows the floor shows a marking.
func (vp *Viewpoint) painted(marks []spatial.Mark, u, v float64) bool {
	dirC, ok := vp.Model.Unproject(u, v)
	if !ok {
		return false
	}
	p, ok := vp.intersectPlane(dirC, 0)
	return ok && slices.ContainsFunc(marks, func(m spatial.Mark) bool { return m.Distance(p[0], p[1]) <= m.Width/2 })
}

// detectSegments appends the visible parts of straight lines.
func (l *lineDetector) detectSegments(lines *Lines, into *FeatureList) {
	for i := range lines.marks {
		m := &lines.marks[i]
		if m.Kind != spatial.Segment {
			continue
		}
		first := -1
		from, to := l.lookAlong(mgl64.Vec3{m.A[0], m.A[1]}, mgl64.Vec3{m.B[0], m.B[1]}, BackgroundLabel)
		for k := from; k <= to; k++ {
			switch ok := k < to && l.steps.visible[k]; {
			case ok && first < 0:
				first = k
			case !ok && first >= 0:
				if k-first > 2 {
					l.splitBent(m, first, k-1, into)
				}
				first = -1
			}
		}
	}
}

// maxBend is the largest deviation of a segment from a straight line in the image, pixels.
const maxBend = 2

// splitBent appends a part of a line, divided into segments that bend by at most maxBend.
func (l *lineDetector) splitBent(m *spatial.Mark, first, last int, into *FeatureList) {
	a, b := &l.steps.pixels[first], &l.steps.pixels[last]
	du, dv := b.U-a.U, b.V-a.V
	most, at := maxBend*math.Hypot(du, dv), -1
	for k := first + 1; k < last; k++ {
		p := &l.steps.pixels[k]
		if off := math.Abs(du*(p.V-a.V) - dv*(p.U-a.U)); off > most {
			most, at = off, k
		}
	}
	if at < 0 || l.picture == nil { // objects are on the floor, where a line is straight
		l.addSegment(m, first, last, into)
		return
	}
	l.splitBent(m, first, at, into)
	l.splitBent(m, at, last, into)
}

// addSegment appends one segment: the part of a line between two steps.
func (l *lineDetector) addSegment(m *spatial.Mark, first, last int, into *FeatureList) {
	dx, dy := m.B[0]-m.A[0], m.B[1]-m.A[1]
	beside := m.Width / 2 / math.Hypot(dx, dy)
	into.Segments = append(into.Segments, SegmentFeature{Confidence: float64(last-first) / lineSteps})
	s := &into.Segments[len(into.Segments)-1]
	s.Start, s.StartWidth = l.width(first, -dy*beside, dx*beside)
	s.End, s.EndWidth = l.width(last, -dy*beside, dx*beside)
}

// width returns the pixel of a step, and the width of the line there in pixels. The width is measured between the
// points at the offsets (x, y) and (−x, −y), in m, from the step. It is 0 if the camera does not image these points.
func (l *lineDetector) width(step int, x, y float64) (at [2]float64, width float64) {
	place, pixel := &l.steps.places[step], &l.steps.pixels[step]
	left, okL := l.view.pixel(mgl64.Vec3{place[0] + x, place[1] + y, place[2]})
	right, okR := l.view.pixel(mgl64.Vec3{place[0] - x, place[1] - y, place[2]})
	if okL && okR {
		width = math.Hypot(left[0]-right[0], left[1]-right[1])
	}
	return [2]float64{pixel.U, pixel.V}, width
}

func (l *lineDetector) detectCrossings(lines *Lines, into *FeatureList) {
	for _, c := range lines.crossings {
		if at, ok := l.seePoint(onFloor(c.at), BackgroundLabel); ok {
			into.Crossings = append(into.Crossings, CrossingFeature{at, c.kind})
		}
	}
}

// detectCircles appends full circles of which at least a quarter is visible.
func (l *lineDetector) detectCircles(lines *Lines, into *FeatureList) {
	for i := range lines.circles {
		if !l.lookAround(&lines.circles[i]) {
			continue
		}
		var seen [lineSteps][2]float64
		n := 0
		for k := range lineSteps {
			if l.steps.visible[k] {
				seen[n] = [2]float64{l.steps.pixels[k].U, l.steps.pixels[k].V}
				n++
			}
		}
		if n < lineSteps/4 {
			continue
		}
		c := CircleFeature{Left: seen[0], Right: seen[0]}
		for _, p := range seen[:n] {
			if p[0] < c.Left[0] {
				c.Left = p
			}
			if p[0] > c.Right[0] {
				c.Right = p
			}
		}
		c.Middle = seen[0]
		for _, p := range seen[:n] {
			if math.Abs(p[0]-(c.Left[0]+c.Right[0])/2) < math.Abs(c.Middle[0]-(c.Left[0]+c.Right[0])/2) {
				c.Middle = p
			}
		}
		into.Circles = append(into.Circles, c)
	}
}

// Bar is a goal's bar: the ends of its axis, W, and its thickness, m.
type Bar struct {
	A, B  mgl64.Vec3
	Width float64
}

// detectBar appends a goal's bar.
func (l *lineDetector) detectBar(b *Bar, into *FeatureList) {
	n := 0
	var ends [2][2]float64
	from, to := l.lookAlong(b.A, b.B, GoalLabel)
	for k := from; k < to; k++ {
		if !l.steps.visible[k] {
			continue
		}
		at := [2]float64{l.steps.pixels[k].U, l.steps.pixels[k].V}
		if n == 0 {
			ends[0] = at
		}
		ends[1] = at
		n++
	}
	if n < 3 {
		return
	}
	middle := b.A.Add(b.B).Mul(0.5)
	low, okL := l.view.pixel(middle.Sub(mgl64.Vec3{0, 0, b.Width / 2}))
	high, okH := l.view.pixel(middle.Add(mgl64.Vec3{0, 0, b.Width / 2}))
	f := BarFeature{Left: ends[0], Right: ends[1], Confidence: float64(n) / lineSteps}
	if okL && okH {
		f.Width = math.Hypot(low[0]-high[0], low[1]-high[1])
	}
	// Left is the end on the left in the image.
	if f.Left[0] > f.Right[0] {
		f.Left, f.Right = f.Right, f.Left
	}
	into.Bars = append(into.Bars, f)
}

// lineSteps is the number of points of a line whose visibility is tested.
const lineSteps = 64

// steps are the points of a line or a bar relative to a camera.
type steps struct {
	places  [lineSteps]mgl64.Vec3 // W
	placesC [lineSteps]mgl64.Vec3
	pixels  [lineSteps]optics.Pixel
	visible [lineSteps]bool
}

// lookAlong sets the steps of a straight line between two points in W. It sets only the steps that may be in range and
// in the image, and returns their range of indices. If there is a picture, a step is visible if the picture has the
// given code at the step's pixel.
func (l *lineDetector) lookAlong(a, b mgl64.Vec3, code int16) (first, last int) {
	first, last = l.stepsInView(&a, &b)
	for k := first; k < last; k++ {
		share := (float64(k) + 0.5) / lineSteps
		p := &l.steps.places[k]
		for i := range p {
			p[i] = a[i] + share*(b[i]-a[i])
		}
	}
	l.look(first, last, code)
	return first, last
}

// lookAround sets all steps of a circle. It returns false if no step is in range.
func (l *lineDetector) lookAround(c *circle) bool {
	o := &l.view.PoseWC.Pos
	if math.Hypot(c.middle[0]-o[0], c.middle[1]-o[1])-c.radius > l.maxRange {
		return false
	}
	for k := range c.points {
		l.steps.places[k] = mgl64.Vec3{c.points[k][0], c.points[k][1]}
	}
	l.look(0, lineSteps, BackgroundLabel)
	return true
}

// look sets the pixels and the visibility of steps.
func (l *lineDetector) look(first, last int, code int16) {
	if first >= last {
		return
	}
	s, o, m := &l.steps, &l.view.PoseWC.Pos, &l.view.rotWC
	for k := first; k < last; k++ {
		p, c := &s.places[k], &s.placesC[k]
		x, y, z := p[0]-o[0], p[1]-o[1], p[2]-o[2]
		c[0], c[1], c[2] = m[0]*x+m[1]*y+m[2]*z, m[3]*x+m[4]*y+m[5]*z, m[6]*x+m[7]*y+m[8]*z
	}
	optics.ProjectAll(l.view.Model, s.placesC[first:last], s.pixels[first:last])
	for k := first; k < last; k++ {
		at := &s.pixels[k]
		s.visible[k] = at.OK && s.placesC[k].LenSqr() <= l.maxRange*l.maxRange &&
			(l.picture != nil || l.shows(&s.places[k], at.U, at.V, code))
	}
	if l.picture != nil {
		l.picture.OnlyShowing(code, s.pixels[first:last], s.visible[first:last])
	}
}

// shows reports whether a point in W that projects to a pixel is visible. If there is a picture, the point is visible
// if its pixel has the given code.
func (l *lineDetector) shows(place *mgl64.Vec3, u, v float64, code int16) bool {
	if l.picture == nil {
		return optics.Inside(l.view.Model, u, v) && l.unoccluded(*place)
	}
	shown, inside := l.picture.At(u, v)
	return inside && shown == code
}

// stepsInView returns the range of steps between two points in W that may be in range and in the image.
func (l *lineDetector) stepsInView(a, b *mgl64.Vec3) (first, last int) {
	o := &l.view.PoseWC.Pos
	toX, toY, toZ := a[0]-o[0], a[1]-o[1], a[2]-o[2]
	alongX, alongY, alongZ := b[0]-a[0], b[1]-a[1], b[2]-a[2]
	from, to := 0.0, 1.0
	if !clipQuadratic(alongX*alongX+alongY*alongY+alongZ*alongZ, toX*alongX+toY*alongY+toZ*alongZ,
		toX*toX+toY*toY+toZ*toZ-l.maxRange*l.maxRange, &from, &to) {
		return 0, 0
	}
	if l.view.edged {
		for i := range l.view.edges {
			n := &l.view.edges[i]
			if !clipHalf(n[0]*toX+n[1]*toY+n[2]*toZ, n[0]*alongX+n[1]*alongY+n[2]*alongZ, &from, &to) {
				return 0, 0
			}
		}
	}
	// One more step at both ends, because rounding may include one on the border.
	return max(int(from*lineSteps)-1, 0), min(int(to*lineSteps)+2, lineSteps)
}

// clipHalf restricts [from, to] to the part where at + t·slope ≥ 0. It reports whether anything remains.
func clipHalf(at, slope float64, from, to *float64) bool {
	switch {
	case slope > 0:
		*from = math.Max(*from, -at/slope)
	case slope < 0:
		*to = math.Min(*to, -at/slope)
	case at < 0:
		return false
	}
	return *from <= *to
}
