package viewer

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/omnipitch/omnipitch/render"
)

// Inset is the image of a robot's camera.
type Inset struct {
	Name    string
	Picture *render.Image
}

// help describes the keys.
var help = []string{
	"left drag    orbit",
	"right drag   pan",
	"wheel        nearer, farther",
	"F            follow the next robot, the ball, nothing",
	"C            look through the next camera",
	"I            robots' pictures on and off",
	"space        pause",
	"N            one step while paused",
	"T            drive the next robot, none, with:",
	"W S A D      forwards, backwards, left, right; shift: faster",
	"arrows       forwards, backwards, turn",
	"E, enter     dribbler on and off, kick",
	"R            back to the start",
	"H            this help",
	"Q, escape    close",
}

// insetWidth is the width of an inset in the window, pixels.
const insetWidth = 200

// Write draws the insets, the status and, if the user has asked for it, the help over an image.
func (v *Viewer) Write(im *render.Image, insets []Inset, status string) {
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
	if v.help {
		c.dim(image.Rect(8, 28, 480, 44+16*len(help)))
		for i, line := range help {
			c.text(18, 48+16*i, line)
		}
	}
}

// canvas draws on an image.
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

// text writes a line with a shadow, its left end and base line given.
func (c canvas) text(x, y int, s string) {
	for _, layer := range []struct {
		d  int
		in color.Color
	}{{1, color.Black}, {0, color.White}} {
		d := font.Drawer{Dst: c, Src: image.NewUniform(layer.in), Face: basicfont.Face7x13, Dot: fixed.P(x+layer.d, y+layer.d)}
		d.DrawString(s)
	}
}

func (c canvas) dim(r image.Rectangle) {
	r = r.Intersect(c.Bounds())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for i := 3 * (y*c.im.Width + r.Min.X); i < 3*(y*c.im.Width+r.Max.X); i++ {
			c.im.Pix[i] /= 3
		}
	}
}

// shrink draws an image into a rectangle.
func (c canvas) shrink(from *render.Image, into image.Rectangle) {
	draw.ApproxBiLinear.Scale(c, into, canvas{from}, image.Rect(0, 0, from.Width, from.Height), draw.Src, nil)
}

// Fit draws an image into the middle of another, as large as it fits, on black.
func Fit(into, from *render.Image) {
	clear(into.Pix)
	w, h := into.Width, into.Width*from.Height/from.Width
	if h > into.Height {
		w, h = into.Height*from.Width/from.Height, into.Height
	}
	x, y := (into.Width-w)/2, (into.Height-h)/2
	canvas{into}.shrink(from, image.Rect(x, y, x+w, y+h))
}
