package viewer

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

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

// hair draws a line one pixel wide. It steps from a0 to a1 along the line's longer axis, and colours the pixel nearest
// to the line at each step. c0 is the coordinate of the line's start along the shorter axis.
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

// sweep colours the pixels near a line by their distance from it.
func (p *Pen) sweep(a0, c0, a1, slope float64, ink Ink, upright bool) {
	narrow := 1 / math.Sqrt(1+slope*slope) // distance from the line per pixel across
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

// blend blends ink over a pixel of the camera's image. The argument cover, 0 to 255, says how much of the pixel is
// covered; 255 is all.
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
