package scenery

import (
	"image"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// letterPixels is the size of the font in which text is drawn before it is scaled onto a wall.
const letterPixels = 64

var boldFace = sync.OnceValue(func() font.Face {
	parsed, err := opentype.Parse(gobold.TTF)
	if err == nil {
		var face font.Face
		if face, err = opentype.NewFace(parsed, &opentype.FaceOptions{Size: letterPixels, DPI: 72}); err == nil {
			return face
		}
	}
	panic(err) // never happens: the font is part of the program
})

var drawing sync.Mutex // of boldFace, which is not safe for concurrent use

// text paints a line of text as large as possible into a rectangle. Text is at most as high as the rectangle and keeps
// its proportions.
func (c *wallPainter) text(x0, x1, z0, z1 float64, ink rgb, line string) {
	drawing.Lock()
	bounds, _ := font.BoundString(boldFace(), line)
	at := image.Rect(bounds.Min.X.Floor(), bounds.Min.Y.Floor(), bounds.Max.X.Ceil(), bounds.Max.Y.Ceil())
	mask := image.NewAlpha(at)
	(&font.Drawer{Dst: mask, Src: image.Opaque, Face: boldFace(), Dot: fixed.P(0, 0)}).DrawString(line)
	drawing.Unlock()
	if at.Empty() {
		return
	}
	per := math.Max(float64(at.Dx())/(x1-x0), float64(at.Dy())/(z1-z0)) // pixels per metre
	left, top := (x0+x1)/2-float64(at.Dx())/2/per, (z0+z1)/2+float64(at.Dy())/2/per
	c.fill(left, left+float64(at.Dx())/per, top-float64(at.Dy())/per, top, ink, func(x, z float64) bool {
		return mask.AlphaAt(at.Min.X+int((x-left)*per), at.Min.Y+int((top-z)*per)).A > 127
	})
}

// sign paints a sign with lines of text, of which all have the same height.
func (c *wallPainter) sign(x, z, w, h float64, ground, ink rgb, lines ...string) {
	c.box(x, x+w, z, z+h, ground)
	row := h / (float64(len(lines)) + 0.6)
	for i, line := range lines {
		top := z + h - row*(float64(i)+0.3)
		c.text(x+0.06*w, x+0.94*w, top-0.85*row, top-0.1*row, ink, line)
	}
}

// Words on signs. Besides the league's they are invented.
var (
	signLeague = [][]string{{"Middle Size", "League"}, {"Middle Size League"}, {"RoboCup", "Soccer"}, {"RoboCup"},
		{"MSL"}}
	signNames = []string{"NORDWERK", "KINETIK", "OMNI", "Mechatron", "DRIVES", "Lumen", "TECHNO", "Robotica", "VECTOR",
		"Precision", "SERVO", "Vision"}
	signInks = []rgb{{24, 44, 130}, {190, 30, 36}, {20, 22, 26}, {20, 110, 70}, {226, 96, 20}}
)

// name paints a sponsor's name on white, at most w wide and h high.
func (c *wallPainter) name(x, z, w, h float64) {
	c.box(x, x+w, z, z+h, rgb{226, 226, 222})
	c.text(x+0.05*w, x+0.95*w, z+0.15*h, z+0.85*h, c.randomOf(signInks), signNames[c.random.IntN(len(signNames))])
}

// leagueBanner paints a banner of the league. On an upright banner, a figure with a ball is above the text.
func (c *wallPainter) leagueBanner(x, z, w, h float64) {
	grounds := []rgb{{190, 206, 40}, {20, 42, 120}, {34, 92, 150}, {226, 226, 222}, {28, 26, 30}, {60, 128, 180}}
	ground := c.randomOf(grounds)
	ink := rgb{236, 236, 236}
	if int(ground[0])+int(ground[1])+int(ground[2]) > 380 {
		ink = rgb{22, 34, 70}
	}
	lines := signLeague[c.random.IntN(len(signLeague))]
	if h < 1.2*w {
		c.sign(x, z, w, h, ground, ink, lines...)
		return
	}
	c.sign(x, z, w, 0.3*h, ground, ink, lines...)
	c.box(x, x+w, z+0.3*h, z+h, ground)
	figure := c.bright()
	c.disc(x+0.5*w, z+0.8*h, 0.16*w, 0.09*h, 0, c.height, figure)
	c.box(x+0.3*w, x+0.7*w, z+0.5*h, z+0.72*h, figure)
	c.box(x+0.33*w, x+0.45*w, z+0.33*h, z+0.5*h, figure.times(0.7))
	c.box(x+0.55*w, x+0.67*w, z+0.33*h, z+0.5*h, figure.times(0.7))
	c.disc(x+0.75*w, z+0.38*h, 0.09*w, 0.04*h, 0, c.height, rgb{235, 200, 60})
}
