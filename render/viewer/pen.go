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

// Pen draws positions in the world over a window's image. It does not consider occlusion.
type Pen struct {
	canvas
	Sight
	straight bool // whether the camera images straight lines as straight lines
	thin     bool // whether lines are drawn one pixel wide, like beams
}

// NewPen returns a Pen that draws on a window's image. The argument sight describes how that image shows the world.
func NewPen(im *render.Image, sight Sight) *Pen {
	_, straight := sight.Model.(optics.Pinhole)
	return &Pen{canvas: canvas{im}, Sight: sight, straight: straight}
}

// Limits of the subdivision of lines. All values are guesses. A line is halved until the parts of its image deviate
// from straight lines by at most flat pixels, so that no bend is visible. The number of halvings is between leastCuts
// and mostCuts. With fewer than leastCuts, an S-shaped line in a mirror's image could be mistaken for a straight line,
// because its centre is on the chord.
const (
	flat      = 0.2
	leastCuts = 2
	mostCuts  = 9
)

// Line draws a straight line between two points in W. It leaves out the parts that the optics cannot image.
func (p *Pen) Line(fromW, toW mgl64.Vec3, ink Ink) {
	p.subdivide(fromW, toW, p.project(fromW), p.project(toW), ink, 0)
}

// Beam draws a line that is one pixel wide, without antialiasing. It must be fast, because a laser scanner has hundreds
// of beams.
func (p *Pen) Beam(fromW, toW mgl64.Vec3, ink Ink) {
	p.thin = true
	p.Line(fromW, toW, ink)
	p.thin = false
}

// project returns the position in the window at which a point in W is seen.
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

// distanceFromLine returns the distance of the pixel m from the line through the pixels a and b, in pixels.
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

// Mark draws a cross with a ring around a point. The size is in pixels. Mark draws nothing if the optics cannot image
// the point.
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

// halfWidth is half the width of lines, pixels.
const halfWidth = 0.75

// stroke draws an antialiased straight line between two positions in the window, clipped to the camera's image.
func (p *Pen) stroke(x0, y0, x1, y1 float64, ink Ink) {
	const margin = 2 // room for the line's width
	f, a, b := &p.Frame, [2]float64{x0, y0}, [2]float64{x1, y1}
	if !render.ClipLine(&a, &b, [2]float64{float64(f.Min.X - margin), float64(f.Min.Y - margin)},
		[2]float64{float64(f.Max.X + margin), float64(f.Max.Y + margin)}) {
		return
	}
	x0, y0, x1, y1 = a[0], a[1], b[0], b[1]
	upright := math.Abs(y1-y0) > math.Abs(x1-x0)
	if upright {
		x0, y0, x1, y1 = y0, x0, y1, x1
	}
	if x0 > x1 {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	slope := 0.0
	if x1 > x0 {
		slope = (y1 - y0) / (x1 - x0)
	}
	if p.thin {
		p.hair(x0, y0, x1, slope, ink, upright)
	} else {
		p.sweep(x0, y0, x1, slope, ink, upright)
	}
}

// hair draws a line that is one pixel wide. It steps from a0 to a1 along the line's longer axis. At each step it
// colours the pixel nearest to the line. c0 is the coordinate of the line's start along the shorter axis.
func (p *Pen) hair(a0, c0, a1, slope float64, ink Ink, upright bool) {
	for a, end := int(math.Ceil(a0-0.5)), int(math.Floor(a1+0.5)); a <= end; a++ {
		c := int(math.Floor(c0 + (float64(a)-a0)*slope + 0.5))
		if upright {
			p.blend(c, a, ink, int32(ink.Opacity))
		} else {
			p.blend(a, c, ink, int32(ink.Opacity))
		}
	}
}

// sweep colours the pixels near a line. Their opacity depends on their distance from the line. See hair for the
// arguments.
func (p *Pen) sweep(a0, c0, a1, slope float64, ink Ink, upright bool) {
	narrow := 1 / math.Sqrt(1+slope*slope) // distance from the line per pixel along the shorter axis
	reach := (halfWidth + 0.5) / narrow
	for a := int(math.Ceil(a0 - 0.5)); a <= int(math.Floor(a1+0.5)); a++ {
		c := c0 + (float64(a)-a0)*slope
		for k := int(math.Ceil(c - reach)); k <= int(math.Floor(c+reach)); k++ {
			cover := int32(min(1, halfWidth+0.5-math.Abs(float64(k)-c)*narrow) * float64(ink.Opacity))
			if upright {
				p.blend(k, a, ink, cover)
			} else {
				p.blend(a, k, ink, cover)
			}
		}
	}
}

// blend blends ink over a pixel of the camera's image. The argument cover is the covered fraction of the pixel, from 0
// to 255.
func (p *Pen) blend(x, y int, ink Ink, cover int32) {
	f := &p.Frame
	if x < f.Min.X || y < f.Min.Y || x >= f.Max.X || y >= f.Max.Y {
		return
	}
	pix := p.im.Pix[3*(y*p.im.Width+x):][:3]
	pix[0] += uint8((int32(ink.R) - int32(pix[0])) * cover / 255)
	pix[1] += uint8((int32(ink.G) - int32(pix[1])) * cover / 255)
	pix[2] += uint8((int32(ink.B) - int32(pix[2])) * cover / 255)
}
