package viewer

import "math"

// halfWidth is half the width of lines, pixels.
const halfWidth = 0.75

// stroke draws a straight line between two positions in the window, with smooth edges, as far as it lies in the camera's image.
func (p *Pen) stroke(x0, y0, x1, y1 float64, ink Ink) {
	if !p.clip(&x0, &y0, &x1, &y1) {
		return
	}
	dx, dy := x1-x0, y1-y0
	if math.Abs(dy) > math.Abs(dx) {
		p.sweep(y0, x0, y1, x1, ink, true)
	} else {
		p.sweep(x0, y0, x1, y1, ink, false)
	}
}

// sweep goes from a to b along the axis in which a line is longer, and covers the pixels near it across.
func (p *Pen) sweep(a0, c0, a1, c1 float64, ink Ink, upright bool) {
	if a0 > a1 {
		a0, c0, a1, c1 = a1, c1, a0, c0
	}
	slope := 0.0
	if a1 > a0 {
		slope = (c1 - c0) / (a1 - a0)
	}
	narrow := 1 / math.Sqrt(1+slope*slope) // distance from the line, for each pixel across
	reach := (halfWidth + 0.5) / narrow
	for a := int(math.Ceil(a0 - 0.5)); a <= int(math.Floor(a1+0.5)); a++ {
		c := c0 + (float64(a)-a0)*slope
		for k := int(math.Ceil(c - reach)); k <= int(math.Floor(c+reach)); k++ {
			cover := min(1, halfWidth+0.5-math.Abs(float64(k)-c)*narrow)
			if upright {
				p.blend(k, a, ink, cover)
			} else {
				p.blend(a, k, ink, cover)
			}
		}
	}
}

// blend covers a share of a pixel of the camera's image.
func (p *Pen) blend(x, y int, ink Ink, cover float64) {
	f := &p.Frame
	if x < f.Min.X || y < f.Min.Y || x >= f.Max.X || y >= f.Max.Y {
		return
	}
	share := int32(cover * float64(ink.Opacity))
	pix := p.im.Pix[3*(y*p.im.Width+x):][:3]
	for i, c := range [3]uint8{ink.R, ink.G, ink.B} {
		pix[i] += uint8((int32(c) - int32(pix[i])) * share / 255)
	}
}

// clip cuts a line off at the edges of the camera's image, with a margin for its width, and tells whether anything is left. After Liang and Barsky
// (1984).
func (p *Pen) clip(x0, y0, x1, y1 *float64) bool {
	const margin = 2
	t0, t1 := 0.0, 1.0
	dx, dy := *x1-*x0, *y1-*y0
	edge := func(d, room float64) bool {
		switch {
		case d == 0:
			return room >= 0
		case d < 0:
			t0 = max(t0, room/d)
		default:
			t1 = min(t1, room/d)
		}
		return t0 <= t1
	}
	f := &p.Frame
	if !edge(-dx, *x0-float64(f.Min.X-margin)) || !edge(dx, float64(f.Max.X+margin)-*x0) ||
		!edge(-dy, *y0-float64(f.Min.Y-margin)) || !edge(dy, float64(f.Max.Y+margin)-*y0) {
		return false
	}
	*x0, *y0, *x1, *y1 = *x0+t0*dx, *y0+t0*dy, *x0+t1*dx, *y0+t1*dy
	return true
}
