package viewer

import (
	"math"
	"unicode/utf8"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Ink is a colour and its opacity; 255 is opaque.
type Ink struct{ R, G, B, Opacity uint8 }

// Pen draws positions in the world over a window's image. It ignores occlusion.
type Pen struct {
	canvas
	Sight
	straight bool // whether the camera shows straight lines as straight
	thin     bool // whether lines are drawn one pixel wide, as beams
}

// NewPen returns a Pen that draws on a window's image, given how that image shows the world.
func NewPen(im *render.Image, sight Sight) *Pen {
	_, straight := sight.Model.(optics.Pinhole)
	return &Pen{canvas: canvas{im}, Sight: sight, straight: straight}
}

// A line is divided until its image deviates by at most flat pixels from a straight line. leastCuts and mostCuts bound
// how often the line is halved. The values are guesses. With flat, no bend is visible. With leastCuts, a line in a
// mirror's image that bends both ways is not mistaken for a straight line because its centre is on the chord.
const (
	flat      = 0.2
	leastCuts = 2
	mostCuts  = 9
)

// Line draws a straight line between two points of W. It leaves out what the optics cannot image.
func (p *Pen) Line(fromW, toW mgl64.Vec3, ink Ink) {
	p.subdivide(fromW, toW, p.project(fromW), p.project(toW), ink, 0)
}

// Beam draws a line one pixel wide, without antialiasing: it must be fast, since a laser scanner has hundreds of beams.
func (p *Pen) Beam(fromW, toW mgl64.Vec3, ink Ink) {
	p.thin = true
	p.Line(fromW, toW, ink)
	p.thin = false
}

// project returns the position in the window at which a point of W is seen.
func (p *Pen) project(posW mgl64.Vec3) optics.Pixel {
	x, y, ok := p.Project(posW)
	return optics.Pixel{U: x, V: y, OK: ok}
}

func (p *Pen) subdivide(fromW, toW mgl64.Vec3, a, b optics.Pixel, ink Ink, cuts int) {
	if a.OK && b.OK && p.straight {
		p.stroke(a.U, a.V, b.U, b.V, ink)
		return
	}
	if cuts == mostCuts || !a.OK && !b.OK && (p.straight || cuts > leastCuts) {
		return
	}
	midW := fromW.Add(toW).Mul(0.5)
	m := p.project(midW)
	if a.OK && b.OK && m.OK && cuts >= leastCuts && distanceFromLine(a, b, m) <= flat {
		p.stroke(a.U, a.V, b.U, b.V, ink)
		return
	}
	p.subdivide(fromW, midW, a, m, ink, cuts+1)
	p.subdivide(midW, toW, m, b, ink, cuts+1)
}

// distanceFromLine returns the distance of m from the line between a and b, pixels.
func distanceFromLine(a, b, m optics.Pixel) float64 {
	dx, dy, mx, my := b.U-a.U, b.V-a.V, m.U-a.U, m.V-a.V
	length := math.Hypot(dx, dy)
	if length < 1e-9 {
		return math.Hypot(mx, my)
	}
	return math.Abs(dx*my-dy*mx) / length
}

// Circle draws a horizontal circle.
func (p *Pen) Circle(centreW mgl64.Vec3, radius float64, ink Ink) {
	p.Arc(centreW, radius, 0, 2*math.Pi, ink)
}

// Arc draws the part of a horizontal circle between two bearings, rad.
func (p *Pen) Arc(centreW mgl64.Vec3, radius, from, to float64, ink Ink) {
	n := max(1, int(math.Ceil(math.Abs(to-from)/(2*math.Pi)*48)))
	at := func(i int) mgl64.Vec3 {
		sin, cos := math.Sincos(from + (to-from)*float64(i)/float64(n))
		return centreW.Add(mgl64.Vec3{radius * cos, radius * sin})
	}
	for i := range n {
		p.Line(at(i), at(i+1), ink)
	}
}

// Mark draws a cross with a ring around a point, with a size in pixels, unless the optics cannot image the point.
func (p *Pen) Mark(posW mgl64.Vec3, size float64, ink Ink) {
	at := p.project(posW)
	if !at.OK || !p.shows(at) {
		return
	}
	p.stroke(at.U-size, at.V-size, at.U+size, at.V+size, ink)
	p.stroke(at.U-size, at.V+size, at.U+size, at.V-size, ink)
	const corners = 12
	for i := range corners {
		s0, c0 := math.Sincos(2 * math.Pi * float64(i) / corners)
		s1, c1 := math.Sincos(2 * math.Pi * float64(i+1) / corners)
		r := size * math.Sqrt2
		p.stroke(at.U+r*c0, at.V+r*s0, at.U+r*c1, at.V+r*s1, ink)
	}
}

// Dot draws a small square at a point.
func (p *Pen) Dot(posW mgl64.Vec3, ink Ink) {
	at := p.project(posW)
	if !at.OK || !p.shows(at) {
		return
	}
	x, y := int(math.Round(at.U)), int(math.Round(at.V))
	for v := y - 1; v <= y+1; v++ {
		for u := x - 1; u <= x+1; u++ {
			p.blend(u, v, ink, int32(ink.Opacity))
		}
	}
}

// Write writes a text whose lower edge is centred on a point.
func (p *Pen) Write(posW mgl64.Vec3, text string) {
	at := p.project(posW)
	if at.OK && p.shows(at) {
		p.text(int(math.Round(at.U))-letterWidth*utf8.RuneCountInString(text)/2, int(math.Round(at.V))-letterDepth,
			text)
	}
}

// shows reports whether a position is inside the camera's image.
func (p *Pen) shows(at optics.Pixel) bool {
	return at.U >= float64(p.Frame.Min.X)-0.5 && at.V >= float64(p.Frame.Min.Y)-0.5 &&
		at.U < float64(p.Frame.Max.X)-0.5 && at.V < float64(p.Frame.Max.Y)-0.5
}
