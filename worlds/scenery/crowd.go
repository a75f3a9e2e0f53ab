package scenery

import (
	"math"
	"math/rand/v2"

	"github.com/omnipitch/omnipitch/render"
)

const (
	crowdPixels = 512 // width of the image
	crowdRows   = 128 // height of the image, from the ceiling to the floor
	crowdFine   = 4   // samples per pixel, in each direction
	bannerTop   = 1.0 // metres: height of the sponsors' banners, which stand on the floor
	crowdTop    = 3.9 // metres: top of the banks, behind the last row's heads
	seats       = 44  // seats in a row
	rowPitch    = 0.7 // metres by which each row is higher than the one in front
	crowdBanks  = 4   // rows
	aisleEvery  = 8   // metres
)

// crowd returns an image of banners and rows of spectators for the walls of a hall, sRGB. Every place along the wall
// looks different, which a visual compass needs. Dimensions and colours are guesses.
func crowd(height float64, seed uint64) *render.Image {
	c := newWallPainter(height, rand.New(rand.NewPCG(seed, 2)), crowdPixels, crowdRows, crowdFine)
	c.box(0, wallWidth, 0, height, rgb{150, 150, 148})             // the wall itself
	c.box(0, wallWidth, crowdTop, crowdTop+0.06, rgb{96, 97, 100}) // a rail
	// starts with the last row, because the rows in front hide parts of it
	for row := crowdBanks - 1; row >= 0; row-- {
		c.bank(row)
	}
	for x := 0.0; x < wallWidth; {
		w := math.Min(1.5+2.5*c.random.Float64(), wallWidth-x)
		c.banner(x, w)
		x += w
	}
	return c.image()
}

// Colours of spectators: skin from light to dark, hair, and the colours of most clothes.
var (
	crowdSkins = []rgb{{238, 196, 164}, {224, 172, 132}, {196, 142, 100}, {146, 96, 64}, {96, 62, 44}}
	crowdHairs = []rgb{{28, 22, 18}, {48, 34, 24}, {92, 62, 38}, {168, 128, 78}, {128, 124, 118}, {196, 190, 182}}
	crowdCalm  = []rgb{{32, 34, 40}, {44, 52, 72}, {92, 96, 100}, {150, 148, 142}, {214, 212, 206}, {70, 62, 52}}
)

// bank paints a row of seats with its spectators. Rows that are farther back are darker.
func (c *wallPainter) bank(row int) {
	floor, shade := bannerTop+rowPitch*(float64(row)-0.5), 1-0.07*float64(row)
	c.box(0, wallWidth, 0, floor+rowPitch+0.15, rgb{70, 68, 66}.times(shade))
	c.box(0, wallWidth, floor-0.05, floor, rgb{112, 110, 106}.times(shade)) // the edge of the step
	seat := c.bright().times(0.6 * shade)
	full := 0.75 + 0.2*c.random.Float64()
	for n := range seats {
		x := (float64(n) + 0.5) * wallWidth / seats
		if math.Mod(x+1.5*float64(row%2), aisleEvery) < 0.9 {
			continue // an aisle
		}
		c.box(x-0.2, x+0.2, floor+0.1, floor+0.55, seat)
		if c.random.Float64() < full {
			c.spectator(x+0.08*(c.random.Float64()-0.5), floor+0.12, shade*(0.92+0.16*c.random.Float64()))
		}
	}
}

// spectator paints one person whose hips are at the given point.
func (c *wallPainter) spectator(x, z, shade float64) {
	skin, hair, wears := c.randomOf(crowdSkins).times(shade), c.randomOf(crowdHairs).times(shade), c.randomOf(crowdCalm)
	if c.random.IntN(5) < 3 {
		wears = c.bright()
	}
	wears = wears.times(shade)
	if c.random.IntN(7) == 0 {
		z += 0.35 // the person stands
	}
	size := 0.9 + 0.2*c.random.Float64()
	shoulder, wide := z+0.5*size, 0.21*size
	c.box(x-0.8*wide, x+0.8*wide, z-0.45, z, c.randomOf(crowdCalm).times(0.8*shade)) // legs
	c.fill(x-wide, x+wide, z, shoulder+0.06, wears, func(px, pz float64) bool {
		return pz < shoulder+0.06-0.35*math.Abs(px-x) // shoulders slope
	})
	for _, side := range [2]float64{-1, 1} { // arms, darker than the body
		c.box(x+side*0.86*wide-0.035, x+side*0.86*wide+0.035, z+0.05, shoulder-0.04, wears.times(0.78))
	}
	switch c.random.IntN(6) {
	case 0: // an open jacket
		c.box(x-0.05, x+0.05, z, shoulder, c.randomOf(crowdCalm).times(shade))
	case 1: // a scarf
		c.box(x-0.12, x+0.12, shoulder-0.02, shoulder+0.05, c.bright().times(shade))
	case 2: // arms up, with something to wave
		for _, side := range [2]float64{-1, 1} {
			c.box(x+side*0.24-0.04, x+side*0.24+0.04, shoulder-0.1, shoulder+0.35, wears.times(0.9))
			c.disc(x+side*0.24, shoulder+0.38, 0.045, 0.05, 0, c.height, skin)
		}
	}
	c.face(x, shoulder+0.21*size, size, skin, hair)
}

// face paints a head around a point: hair, a face with eyes and a mouth, and the neck.
func (c *wallPainter) face(x, z, size float64, skin, hair rgb) {
	rx, rz := 0.088*size, 0.122*size
	c.box(x-0.45*rx, x+0.45*rx, z-1.4*rz, z-0.5*rz, skin.times(0.8))
	if c.random.IntN(3) == 0 {
		c.box(x-1.1*rx, x+1.1*rx, z-1.25*rz, z+0.3*rz, hair) // long hair
	}
	c.disc(x, z+0.1*rz, 1.12*rx, 1.08*rz, 0, c.height, hair)
	look := 0.25 * rx * (2*c.random.Float64() - 1)
	c.disc(x+look, z, 0.95*rx, rz, 0, z+0.5*rz, skin)
	c.box(x+look-0.6*rx, x+look-0.15*rx, z+0.05*rz, z+0.22*rz, skin.times(0.4))
	c.box(x+look+0.15*rx, x+look+0.6*rx, z+0.05*rz, z+0.22*rz, skin.times(0.4))
	c.box(x+look-0.4*rx, x+look+0.4*rx, z-0.6*rz, z-0.46*rz, skin.times(0.62))
	switch c.random.IntN(8) {
	case 0: // the person wears a cap
		c.disc(x, z+0.35*rz, 1.15*rx, 0.8*rz, z+0.35*rz, c.height, c.bright())
	case 1: // the person has a beard
		c.disc(x+look, z-0.1*rz, 0.9*rx, 0.95*rz, 0, z-0.35*rz, hair)
	}
}

// banner paints a banner in front of the first row of seats. The banner bears an illegible name.
func (c *wallPainter) banner(x, w float64) {
	ground, ink := c.bright(), c.bright()
	c.box(x, x+w, 0.1, bannerTop, ground)
	c.box(x, x+0.02, 0.1, bannerTop, ground.times(0.5))
	for at := x + 0.15*w; at < x+0.85*w; {
		letter := 0.08 + 0.1*c.random.Float64()
		if c.random.IntN(6) > 0 {
			low, high := 0.38+0.1*float64(c.random.IntN(2)), 0.64+0.08*float64(c.random.IntN(2))
			c.box(at, at+0.72*letter, low, high, ink)
			c.box(at+0.2*letter, at+0.5*letter, low+0.08, high-0.08, ground) // the inside of letters
		}
		at += letter
	}
}
