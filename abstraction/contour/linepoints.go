package contour

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// LinePoints appends the centres of visible markings on all scan lines, in pixels. It ignores markings farther than
// maxRange, m. Radial scan lines are for a camera whose image contains the floor straight below it.
func (im *Image) LinePoints(marks []spatial.Mark, poseWC spatial.Pose, radial bool, maxRange float64,
	into [][2]float64) [][2]float64 {
	p := &im.painter
	if !p.place(marks, &poseWC, maxRange) {
		return into
	}
	scan := im.camera.vertical
	if radial {
		scan = im.camera.radial
	}
	lines := scan()
	for k := range lines.all {
		l := &lines.all[k]
		p.painted = p.painted[:0]
		for i := range l.fans {
			p.paint(&l.fans[i])
		}
		if len(p.painted) > 0 {
			into = im.appendMiddles(l, into)
		}
	}
	return into
}

// stretch is a range of points of a scan line.
type stretch struct{ first, last int }

// appendMiddles appends the centres of the visible parts of the scan line's painted stretches.
func (im *Image) appendMiddles(l *scanLine, into [][2]float64) [][2]float64 {
	first, last := -1, -1
	add := func(from, to int) {
		if first >= 0 && from > last+1 {
			into = append(into, l.middle(first, last))
			first = -1
		}
		if first < 0 {
			first = from
		}
		last = to
	}
	painted := im.painter.painted
	end := painted[0].last
	for _, s := range painted[1:] {
		end = max(end, s.last)
	}
	whole := boxOf(l.at(painted[0].first), l.at(end))
	whole.round()
	im.beside = whole.overlapping(im.shown, im.beside)
	for _, s := range painted {
		s.first = max(s.first, last+1)
		if s.first > s.last {
			continue
		}
		if im.clearBetween(l.at(s.first), l.at(s.last)) {
			add(s.first, s.last)
			continue
		}
		for k := s.first; k <= s.last; k++ {
			if at := l.at(k); im.clear(at[0], at[1], im.near) {
				add(k, k)
			}
		}
	}
	if first >= 0 {
		into = append(into, l.middle(first, last))
	}
	return into
}

// clearBetween reports whether all pixels in a box are in the image and show no body, judged by bounding boxes. It sets
// im.near to the bodies of im.beside that may be in the box.
func (im *Image) clearBetween(a, b [2]float64) bool {
	around := boxOf(a, b)
	inside := around.within(im.camera.width, im.camera.height)
	around.round()
	im.near = around.overlapping(im.beside, im.near)
	return inside && len(im.near) == 0 && !im.own.overlaps(&around)
}

// boxOf returns the extent of two points.
func boxOf(a, b [2]float64) extent {
	return extent{min(a[0], b[0]), max(a[0], b[0]), min(a[1], b[1]), max(a[1], b[1])}
}

// round extends an extent of points to that of their pixels.
func (e *extent) round() {
	const rounding = 0.5 // of points to pixels
	e.minU, e.maxU, e.minV, e.maxV = e.minU-rounding, e.maxU+rounding, e.minV-rounding, e.maxV+rounding
}

// overlapping returns those of the given regions that overlap an extent. It reuses the memory of its last argument.
func (e *extent) overlapping(all, into []*region) []*region {
	into = into[:0]
	for _, r := range all {
		if r.extent.overlaps(e) {
			into = append(into, r)
		}
	}
	return into
}

// at returns a point of the scan line.
func (l *scanLine) at(k int) [2]float64 {
	return [2]float64{l.u + float64(k)*l.du, l.v + float64(k)*l.dv}
}

func (l *scanLine) middle(first, last int) [2]float64 {
	k := float64(first+last) / 2
	return [2]float64{l.u + k*l.du, l.v + k*l.dv}
}
