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
		into = im.appendMiddles(l, into)
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
	for _, s := range im.painter.painted {
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
// im.near to the bodies that may be in the box.
func (im *Image) clearBetween(a, b [2]float64) bool {
	around := noExtent()
	around.add(a[0], a[1])
	around.add(b[0], b[1])
	inside := around.within(im.camera.width, im.camera.height)
	const rounding = 0.5 // of points to pixels
	around.minU, around.maxU, around.minV, around.maxV = around.minU-rounding, around.maxU+rounding,
		around.minV-rounding, around.maxV+rounding
	im.near = im.near[:0]
	for _, r := range im.shown {
		if r.extent.overlaps(&around) {
			im.near = append(im.near, r)
		}
	}
	return inside && len(im.near) == 0 && !im.own.overlaps(&around)
}

// at returns a point of the scan line.
func (l *scanLine) at(k int) [2]float64 {
	return [2]float64{l.u + float64(k)*l.du, l.v + float64(k)*l.dv}
}

func (l *scanLine) middle(first, last int) [2]float64 {
	k := float64(first+last) / 2
	return [2]float64{l.u + k*l.du, l.v + k*l.dv}
}
