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
	picture  Picture // content of the image; nil to compute visibility in closed form from env and targets
	maxRange float64
	env      *Environment
	targets  *targetViews // of env
	steps    steps        // of the line being tested
}

// seePoint returns the pixel of a point in W, and whether the point is visible. The argument code is the code of the
// surface on which the point lies.
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
	radial = radial && optics.Inside(l.view.Model, below[0], below[1]) // a mirror images the point straight below it
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

// addSegment appends the part of a line between two steps as one segment.
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
	// Left is on the left in the image.
	if f.Left[0] > f.Right[0] {
		f.Left, f.Right = f.Right, f.Left
	}
	into.Bars = append(into.Bars, f)
}
