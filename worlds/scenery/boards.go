package scenery

import (
	"math"
	"math/rand/v2"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/worlds"
)

// Sizes of the images on walls with boards or panels, pixels. wallFine is the number of samples per pixel, in each
// direction.
const (
	wallPixels = 2048
	wallRows   = 512
	wallFine   = 2
)

// wallPicture returns the image on the walls of a hall, or nil for plain walls.
func wallPicture(room *render.Room, h *worlds.Hall) *render.Image {
	paint := (*wallPainter).practiceHall
	switch {
	case h.Walls == render.PanelWalls:
		paint = (*wallPainter).arena
	case h.Walls != render.BoardWalls && h.Spectators:
		return crowd(room.Height, h.Seed)
	case h.Walls != render.BoardWalls:
		return nil
	}
	c := newWallPainter(room.Height, rand.New(rand.NewPCG(h.Seed, 3)), wallPixels, wallRows, wallFine)
	paint(c, encoded(room.Wall), h)
	return mirrored(c.image())
}

// encoded returns a linear colour in sRGB.
func encoded(linear mgl32.Vec3) (out rgb) {
	for i, l := range linear {
		out[i] = byte(math.Round(255 * render.Encoded(float64(l))))
	}
	return out
}

// mirrored exchanges the left and the right of an image. Renderers show an image on walls from behind, so text must be
// mirrored.
func mirrored(im *render.Image) *render.Image {
	out := render.NewImage(im.Width, im.Height)
	for i := 0; i < len(im.Pix); i += 3 {
		row, col := i/3/im.Width, i/3%im.Width
		copy(out.Pix[3*(row*im.Width+im.Width-1-col):][:3], im.Pix[i:i+3])
	}
	return out
}

// between returns a random number between two others.
func (c *wallPainter) between(lo, hi float64) float64 { return lo + (hi-lo)*c.random.Float64() }

// practiceHall paints white boards with signs, and above them corrugated sheets with columns and banners. sheet is the
// colour of the sheets. Dimensions and colours are guesses from photographs.
func (c *wallPainter) practiceHall(sheet rgb, _ *worlds.Hall) {
	c.ribs(0, wallWidth, 0, c.height, sheet, c.between(0.12, 0.3))
	bay := wallWidth / float64(4+c.random.IntN(2))
	top := min(c.between(1.6, 2.5), 0.6*c.height)
	for x := 0.0; x < wallWidth-0.01; x += bay {
		switch c.random.IntN(5) {
		case 0: // a rolling gate
			c.ribs(x+0.15*bay, x+0.85*bay, 0, min(4, 0.8*c.height), rgb{52, 54, 56}, 0.1)
		case 1: // plywood
			c.box(x, x+bay, top, top+c.between(0.5, 1.2), rgb{112, 90, 66})
		case 2: // a brace
			rise := (c.height - top) / bay
			c.fill(x, x+bay, top, c.height, sheet.times(1.25), func(px, pz float64) bool {
				return math.Abs(pz-top-rise*(px-x)) < 0.07
			})
		}
		c.box(x-0.12, x+0.12, 0, c.height, sheet.times(1.2))
		c.box(x-0.12, x-0.08, 0, c.height, sheet.times(0.7))
	}
	c.whiteBoards(top)
	for x := c.between(0, 3); x < wallWidth-2.6; {
		w, z := c.between(0.8, 2.6), c.between(0.6, 0.7*top)
		h := min(c.between(0.5, 1)*w, c.height-z-0.3)
		if c.random.IntN(2) == 0 {
			w, h = c.between(0.7, 1.3), min(c.between(1.8, 2.8), c.height-z-0.3)
		}
		c.leagueBanner(x, z, w, h)
		x += w + c.between(0.3, 3.5)
	}
	for x := c.between(0, 2); x < wallWidth-1.4; x += c.between(1.5, 5) {
		c.name(x, 0.12, c.between(0.8, 1.4), c.between(0.25, 0.4))
	}
}

// ribs paints corrugated sheet, whose ribs lie along the wall.
func (c *wallPainter) ribs(x0, x1, z0, z1 float64, color rgb, pitch float64) {
	c.box(x0, x1, z0, z1, color)
	for z := z0; z < z1; z += pitch {
		c.box(x0, x1, z, min(z+0.3*pitch, z1), color.times(0.78))
		c.box(x0, x1, min(z+0.6*pitch, z1), min(z+0.8*pitch, z1), color.times(1.1))
	}
}

// whiteBoards paints white boards up to a height, with some gaps in which cupboards and tables stand.
func (c *wallPainter) whiteBoards(top float64) {
	const n = 20
	gap := 0
	for i := range n {
		x0, x1 := wallWidth*float64(i)/n, wallWidth*float64(i+1)/n
		if gap == 0 && c.random.IntN(12) == 0 {
			gap = 2 + c.random.IntN(3)
		}
		if gap > 0 {
			gap--
			c.cupboards(x0, x1, top)
			continue
		}
		c.box(x0, x1, 0, top, rgb{214, 212, 204}.times(c.between(0.95, 1.03)))
		c.box(x0, x0+0.02, 0, top, rgb{150, 148, 142})
	}
	c.box(0, wallWidth, 0, 0.07, rgb{26, 26, 28})
}

// cupboards paints furniture and equipment before a grey wall.
func (c *wallPainter) cupboards(x0, x1, top float64) {
	c.box(x0, x1, 0, top, rgb{122, 118, 110})
	greys := []rgb{{196, 194, 188}, {90, 92, 96}, {40, 42, 44}, {150, 122, 84}, {60, 74, 104}}
	for x := x0; x < x1-0.2; {
		w := min(c.between(0.4, 0.9), x1-x)
		h := c.between(0.7, min(1.9, top))
		color := c.randomOf(greys)
		c.box(x, x+w, 0, h, color)
		c.box(x+0.48*w, x+0.52*w, 0.05, h-0.05, color.times(0.7))
		if h < 1 && c.random.IntN(2) == 0 {
			c.box(x+0.15*w, x+0.85*w, h, h+0.3, rgb{18, 18, 22}) // a screen
		}
		x += w + c.between(0, 0.15)
	}
}

// arena paints a dark wall with a band of grey panels and numbers above it, and a barrier at its foot. Spectators stand
// behind the barrier. dark is the colour of the wall. Dimensions and colours are guesses from photographs.
func (c *wallPainter) arena(dark rgb, h *worlds.Hall) {
	c.box(0, wallWidth, 0, c.height, dark)
	low, high := c.height*c.between(0.3, 0.45), c.height*c.between(0.55, 0.75)
	cols, rows := 10+c.random.IntN(8), 2+c.random.IntN(3)
	grey := rgb{150, 150, 152}
	if c.random.IntN(3) > 0 {
		for i := range cols * rows {
			w, tall := wallWidth/float64(cols), (high-low)/float64(rows)
			x, z := w*float64(i%cols), low+tall*float64(i/cols)
			c.box(x, x+w, z, z+tall, grey.times([...]float64{0.6, 0.8, 1}[c.random.IntN(3)]))
			c.box(x, x+0.03, z, z+tall, dark)
		}
	}
	for i := range 4 {
		x := wallWidth * (float64(i) + 0.5) / 4
		c.text(x-0.5, x+0.5, high+0.1, high+0.1+0.08*c.height, rgb{170, 170, 170}, string(rune('A'+c.random.IntN(16))))
	}
	if c.random.IntN(2) == 0 { // a large screen
		x, z := c.between(1, wallWidth-5), c.between(1.8, max(0.4*c.height, 2))
		c.sign(x, z, 3.2, min(1.8, c.height-z), rgb{206, 224, 236}, rgb{60, 70, 90}, "MSL", "2 : 1")
	}
	barrier := c.between(0.6, 1)
	if h.Spectators {
		for row := range 2 {
			z := barrier + 0.55 - 0.3*float64(row)
			for x := 0.2; x < wallWidth-0.2; x += c.between(0.35, 1.1) {
				c.spectator(x, z, 0.45+0.15*float64(row))
			}
		}
	}
	c.box(0, wallWidth, 0, barrier, dark.times(0.8))
	if c.random.IntN(2) == 0 { // white panels
		for i := range 12 {
			x := wallWidth * float64(i) / 12
			c.box(x+0.03, x+1.94, 0.06, barrier, rgb{190, 192, 198}.times(c.between(0.85, 1)))
			if c.random.IntN(4) == 0 {
				c.name(x+0.4, 0.15, 1.1, 0.6*barrier)
			}
		}
		return
	}
	for x := 0.0; x < wallWidth; x += 0.125 { // steel bars
		c.box(x, x+0.025, 0.1, barrier, rgb{150, 152, 156})
	}
	c.box(0, wallWidth, barrier-0.05, barrier, rgb{160, 162, 166})
}
