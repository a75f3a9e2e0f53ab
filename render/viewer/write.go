package viewer

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/omnipitch/omnipitch/render"
)

// Inset is the image of a robot's camera.
type Inset struct {
	Name    string
	Picture *render.Image
}

// insetWidth is the width of an inset in the window, pixels.
const insetWidth = 200

// Write draws over an image: the insets, the status line, a message about the last action (which may be empty), and the
// help if it is switched on.
func (v *Viewer) Write(im *render.Image, insets []Inset, status, said string) {
	c := canvas{im}
	if v.insets {
		x := 8
		for _, p := range insets {
			h := insetWidth * p.Picture.Height / p.Picture.Width
			y := im.Height - h - 8
			if x+insetWidth > im.Width {
				break
			}
			c.shrink(p.Picture, image.Rect(x, y, x+insetWidth, y+h))
			c.text(x+4, y+13, p.Name)
			x += insetWidth + 8
		}
	}
	state := status
	if v.paused {
		state += "  paused"
	}
	if name, ok := v.Through(); ok {
		state += "  through " + name
	} else if v.followed >= 0 {
		state += "  following " + v.targets[v.followed].Name
	}
	if s := v.Steering(); s.Robot != "" {
		state += "  driving " + s.Robot
		if s.Dribble {
			state += ", dribbling"
		}
	}
	c.text(8, 16, state+"  (H: help)")
	c.text(8, 32, said)
	if v.help {
		help := Help()
		c.dim(image.Rect(8, 40, 640, 56+16*len(help)))
		for i, line := range help {
			c.text(18, 60+16*i, line.Input)
			c.text(150, 60+16*i, line.Does)
		}
	}
}

// canvas adapts an image to package draw.
type canvas struct{ im *render.Image }

func (c canvas) ColorModel() color.Model { return color.RGBAModel }
func (c canvas) Bounds() image.Rectangle { return image.Rect(0, 0, c.im.Width, c.im.Height) }

func (c canvas) At(x, y int) color.Color {
	p := c.im.Pix[3*(y*c.im.Width+x):]
	return color.RGBA{p[0], p[1], p[2], 255}
}

func (c canvas) Set(x, y int, to color.Color) {
	r, g, b, _ := to.RGBA()
	p := c.im.Pix[3*(y*c.im.Width+x):]
	p[0], p[1], p[2] = byte(r>>8), byte(g>>8), byte(b>>8)
}

// Metrics of the letters, pixels: advance, and depth below the baseline.
const letterWidth, letterDepth = 7, 3

// text writes a line of text with a shadow. (x, y) is the left end of its baseline.
func (c canvas) text(x, y int, s string) {
	for _, layer := range [...]struct {
		shift int
		level byte
	}{{1, 0}, {0, 255}} {
		at := fixed.P(x+layer.shift, y+layer.shift)
		for _, r := range s {
			to, mask, from, advance, _ := basicfont.Face7x13.Glyph(at, r)
			at.X += advance
			letter, _ := mask.(*image.Alpha)
			for v := 0; letter != nil && v < to.Dy(); v++ {
				for u := range to.Dx() {
					if letter.AlphaAt(from.X+u, from.Y+v).A > 127 {
						c.dot(to.Min.X+u, to.Min.Y+v, layer.level)
					}
				}
			}
		}
	}
}

// dot sets a pixel to a grey level if it lies in the image.
func (c canvas) dot(x, y int, level byte) {
	if x < 0 || y < 0 || x >= c.im.Width || y >= c.im.Height {
		return
	}
	p := c.im.Pix[3*(y*c.im.Width+x):][:3]
	p[0], p[1], p[2] = level, level, level
}

func (c canvas) dim(r image.Rectangle) {
	r = r.Intersect(c.Bounds())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for i := 3 * (y*c.im.Width + r.Min.X); i < 3*(y*c.im.Width+r.Max.X); i++ {
			c.im.Pix[i] /= 3
		}
	}
}

// shrink draws a scaled-down image into a rectangle.
func (c canvas) shrink(from *render.Image, into image.Rectangle) {
	draw.ApproxBiLinear.Scale(c, into, canvas{from}, image.Rect(0, 0, from.Width, from.Height), draw.Src, nil)
}
