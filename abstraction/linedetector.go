package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// scanLines is the number of scan lines of an image. NuBot's omni vision has as many radial ones (Xiao et al. 2017).
const scanLines = 72

// lineSteps is the number of points of a line whose visibility is tested.
const lineSteps = 64

// lineDetector detects markings and bars.
type lineDetector struct {
	view     *Viewpoint
	labels   *Labels // of the image; nil to compute visibility in closed form from env and targets
	maxRange float64
	env      *Environment
	targets  *targetViews // of env
}

// seePoint returns the pixel of a point in W, and whether the point is visible: what is there has that code.
func (l *lineDetector) seePoint(p mgl64.Vec3, code int16) (at [2]float64, ok bool) {
	if p.Sub(l.view.PoseWC.Pos).Len() > l.maxRange {
		return at, false
	}
	at, ok = l.view.pixel(p)
	if !ok {
		return at, false
	}
	if l.labels == nil {
		return at, optics.Inside(l.view.Model, at[0], at[1]) && l.unoccluded(p)
	}
	shown, inside := l.labels.at(at[0], at[1])
	return at, inside && shown == code
}

func onFloor(p mgl64.Vec2) mgl64.Vec3 { return mgl64.Vec3{p[0], p[1], 0} }

// detectPoints adds the line points on all scan lines.
func (l *lineDetector) detectPoints(lines *Lines, into *FeatureList) {
	w, h := float64(l.labels.Width), float64(l.labels.Height)
	cu, cv := (w-1)/2, (h-1)/2
	below, radial := l.view.pixel(l.view.PoseWC.Pos.Add(mgl64.Vec3{0, 0, -1}))
	radial = radial && optics.Inside(l.view.Model, below[0], below[1]) // a mirror images what is straight below it
	for k := range scanLines {
		if radial {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / scanLines)
			l.scanLine(lines, cu, cv, cos, sin, int(math.Hypot(w, h)/2), into)
		} else {
			l.scanLine(lines, (float64(k)+0.5)*w/scanLines, h-1, 0, -1, int(h), into)
		}
	}
}

// scanLine adds the line points on one scan line: from a pixel on, in steps of one pixel.
func (l *lineDetector) scanLine(lines *Lines, u, v, du, dv float64, steps int, into *FeatureList) {
	first, last := -1, -1
	end := func() {
		if first >= 0 {
			middle := float64(first+last) / 2
			into.LinePoints = append(into.LinePoints, [2]float64{u + middle*du, v + middle*dv})
		}
		first = -1
	}
	for k := range steps {
		x, y := u+float64(k)*du, v+float64(k)*dv
		code, inside := l.labels.at(x, y)
		if !inside {
			break
		}
		if code == BackgroundLabel && l.painted(lines, x, y) {
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

// painted tells whether a pixel that shows the floor shows a marking.
func (l *lineDetector) painted(lines *Lines, u, v float64) bool {
	dirC, ok := l.view.Model.Unproject(u, v)
	if !ok {
		return false
	}
	p, ok := l.view.intersectPlane(dirC, 0)
	if !ok || p.Sub(l.view.PoseWC.Pos).Len() > l.maxRange {
		return false
	}
	return lines.grid.at(p[0], p[1])
}

// detectSegments adds the visible parts of straight lines.
func (l *lineDetector) detectSegments(lines *Lines, into *FeatureList) {
	for i := range lines.marks {
		m := &lines.marks[i]
		if m.Kind != spatial.Segment {
			continue
		}
		first := -1
		var pixels [lineSteps][2]float64
		for k := range lineSteps + 1 {
			ok := false
			if k < lineSteps {
				pixels[k], ok = l.seePoint(onFloor(along(m, (float64(k)+0.5)/lineSteps)), BackgroundLabel)
			}
			switch {
			case ok && first < 0:
				first = k
			case !ok && first >= 0:
				if k-first > 2 {
					l.splitBent(m, &pixels, first, k-1, into)
				}
				first = -1
			}
		}
	}
}

// maxBend is the largest deviation of a segment from a straight line in the image, pixels.
const maxBend = 2

// splitBent adds the part of a line from one of its steps to another, divided into segments that bend by at most maxBend.
func (l *lineDetector) splitBent(m *spatial.Mark, pixels *[lineSteps][2]float64, first, last int, into *FeatureList) {
	a, b := mgl64.Vec2(pixels[first]), mgl64.Vec2(pixels[last])
	d := b.Sub(a)
	most, at := maxBend*d.Len(), -1
	for k := first + 1; k < last; k++ {
		p := mgl64.Vec2(pixels[k]).Sub(a)
		if off := math.Abs(d[0]*p[1] - d[1]*p[0]); off > most {
			most, at = off, k
		}
	}
	if at < 0 || l.labels == nil { // objects are on the floor, where a line does not bend
		l.addSegment(m.A, m.B, m.Width, first, last, into)
		return
	}
	l.splitBent(m, pixels, first, at, into)
	l.splitBent(m, pixels, at, last, into)
}

// addSegment adds the part of a line from one of its steps to another as one segment.
func (l *lineDetector) addSegment(a, b mgl64.Vec2, width float64, first, last int, into *FeatureList) {
	d := b.Sub(a)
	beside := mgl64.Vec2{-d[1], d[0]}.Mul(width / 2 / d.Len())
	s := SegmentFeature{Confidence: float64(last-first) / lineSteps}
	ends := [2]struct {
		at    *[2]float64
		width *float64
	}{{&s.Start, &s.StartWidth}, {&s.End, &s.EndWidth}}
	for k, step := range [2]int{first, last} {
		p := a.Add(d.Mul((float64(step) + 0.5) / lineSteps))
		at, _ := l.view.pixel(onFloor(p))
		left, okL := l.view.pixel(onFloor(p.Add(beside)))
		right, okR := l.view.pixel(onFloor(p.Sub(beside)))
		*ends[k].at = at
		if okL && okR {
			*ends[k].width = math.Hypot(left[0]-right[0], left[1]-right[1])
		}
	}
	into.Segments = append(into.Segments, s)
}

func (l *lineDetector) detectCrossings(lines *Lines, into *FeatureList) {
	for _, c := range lines.crossings {
		if at, ok := l.seePoint(onFloor(c.at), BackgroundLabel); ok {
			into.Crossings = append(into.Crossings, CrossingFeature{at, c.kind})
		}
	}
}

// detectCircles adds full circles of which at least a quarter is visible.
func (l *lineDetector) detectCircles(lines *Lines, into *FeatureList) {
	for i := range lines.marks {
		m := &lines.marks[i]
		if !fullCircle(m) {
			continue
		}
		var seen [lineSteps][2]float64
		n := 0
		for k := range lineSteps {
			if at, ok := l.seePoint(onFloor(along(m, float64(k)/lineSteps)), BackgroundLabel); ok {
				seen[n] = at
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

// Bar is a goal's bar: the ends of its axis, W, and its thickness, metres.
type Bar struct {
	A, B  mgl64.Vec3
	Width float64
}

// detectBar adds a goal's bar.
func (l *lineDetector) detectBar(b *Bar, into *FeatureList) {
	n := 0
	var ends [2][2]float64
	for k := range lineSteps {
		at, ok := l.seePoint(b.A.Add(b.B.Sub(b.A).Mul((float64(k)+0.5)/lineSteps)), GoalLabel)
		if !ok {
			continue
		}
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
	// Left is to the left in the image.
	if f.Left[0] > f.Right[0] {
		f.Left, f.Right = f.Right, f.Left
	}
	into.Bars = append(into.Bars, f)
}
