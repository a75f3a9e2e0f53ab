package quantity

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// marked appends an image with its overlay: the outlines and line points are drawn in the colours of their kinds.
func (c *Context) marked(into []byte) []byte {
	img := c.Observation.Color
	into = append(into, img.Pix...)
	p := canvas{img, into}
	s := c.findShapes()
	for _, halo := range [2]bool{true, false} { // a black border keeps lines visible on any background
		for i := range s.all {
			x := &s.all[i]
			pen := p.set
			rgb := bytesOf(colorOf(x.kind))
			if halo {
				pen, rgb = p.dot, [3]byte{}
			}
			for k := x.from; k+1 < x.to; k++ {
				p.line(s.corners[k], s.corners[k+1], pen, rgb)
			}
			p.line(s.corners[x.to-1], s.corners[x.from], pen, rgb)
		}
	}
	for _, uv := range c.linePoints() {
		p.dot(int(math.Round(uv[0])), int(math.Round(uv[1])), lineRGB)
	}
	return into
}

// lineRGB is the colour of line points: red, because red differs from the white lines and the green floor.
var lineRGB = [3]byte{255, 40, 40}

func bytesOf(color [3]float64) (rgb [3]byte) {
	for i, x := range color {
		rgb[i] = byte(math.Round(255 * x))
	}
	return rgb
}

// canvas is a copy of an image's pixels.
type canvas struct {
	of  *render.Image
	pix []byte
}

func (p canvas) set(u, v int, rgb [3]byte) {
	if u >= 0 && v >= 0 && u < p.of.Width && v < p.of.Height {
		copy(p.pix[3*(v*p.of.Width+u):], rgb[:])
	}
}

// dot draws a cross of five pixels around a pixel.
func (p canvas) dot(x, y int, rgb [3]byte) {
	for _, d := range [...][2]int{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		p.set(x+d[0], y+d[1], rgb)
	}
}

// line clips a straight line from a to b to the image, and then draws it by calling the function pen for each pixel.
func (p canvas) line(a, b [2]float64, pen func(u, v int, rgb [3]byte), rgb [3]byte) {
	if !render.ClipLine(&a, &b, [2]float64{-1, -1}, [2]float64{float64(p.of.Width), float64(p.of.Height)}) {
		return
	}
	du, dv := b[0]-a[0], b[1]-a[1]
	steps := math.Ceil(math.Max(math.Abs(du), math.Abs(dv)))
	for k := 0.0; k <= steps; k++ {
		t := k / math.Max(steps, 1)
		pen(int(math.Round(a[0]+t*du)), int(math.Round(a[1]+t*dv)), rgb)
	}
}
