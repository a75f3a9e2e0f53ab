package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
)

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
		s.visible[k] = at.OK && s.placesC[k].LenSqr() <= l.maxRange*l.maxRange && l.shows(&s.places[k], at.U, at.V,
			code)
	}
}

// shows reports whether a point in W that projects to a pixel is visible. If there is a picture, the point is visible
// if the picture has the given code at the pixel.
func (l *lineDetector) shows(place *mgl64.Vec3, u, v float64, code int16) bool {
	if l.picture == nil {
		return optics.Inside(l.view.Model, u, v) && l.unoccluded(*place)
	}
	shown, inside := l.picture.At(u, v)
	return inside && shown == code
}

// stepsInView returns the range of steps between two points, W, that may be in range and in the image.
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

// clipHalf restricts [from, to] to where at + t·slope ≥ 0, and reports whether anything remains.
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
