package scenery

import (
	"math"
	"math/rand/v2"

	"github.com/omnipitch/omnipitch/render"
)

// wallWidth is the length of wall after which an image on it repeats, metres.
const wallWidth = 24

type rgb [3]byte

// times returns the colour multiplied by a factor, which makes it darker or lighter.
func (c rgb) times(share float64) (out rgb) {
	for i := range c {
		out[i] = byte(min(255, max(0, math.Round(share*float64(c[i])))))
	}
	return out
}

// wallPainter paints an image on a wall. Coordinates are in m: along the wall, and up from the floor.
type wallPainter struct {
	height float64
	random *rand.Rand
	fine   *render.Image
	sub    int // samples per pixel of the finished image, in each direction
}

// newWallPainter returns a painter for walls of a height in m, whose image has cols × rows pixels.
func newWallPainter(height float64, random *rand.Rand, cols, rows, sub int) *wallPainter {
	return &wallPainter{height, random, render.NewImage(sub*cols, sub*rows), sub}
}

func (c *wallPainter) randomOf(list []rgb) rgb { return list[c.random.IntN(len(list))] }

// bright returns a strong colour, chosen at random.
func (c *wallPainter) bright() rgb {
	out := rgb{byte(30 + c.random.IntN(60)), byte(30 + c.random.IntN(200)), byte(150 + c.random.IntN(100))}
	c.random.Shuffle(3, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// fill paints those points of a rectangle for which the function inside returns true. Horizontally, the image wraps
// around.
func (c *wallPainter) fill(x0, x1, z0, z1 float64, color rgb, inside func(x, z float64) bool) {
	width, rows := c.fine.Width, c.fine.Height
	perX, perZ := float64(width)/wallWidth, float64(rows)/c.height
	for col := int(math.Floor(x0 * perX)); float64(col) < x1*perX; col++ {
		for row := max(0, int(math.Floor((c.height-z1)*perZ))); float64(row) < (c.height-z0)*perZ && row < rows; row++ {
			x, z := (float64(col)+0.5)/perX, c.height-(float64(row)+0.5)/perZ
			if x < x0 || x >= x1 || z < z0 || z >= z1 || inside != nil && !inside(x, z) {
				continue
			}
			at := 3 * (row*width + (col+width)%width)
			copy(c.fine.Pix[at:at+3], color[:])
		}
	}
}

func (c *wallPainter) box(x0, x1, z0, z1 float64, color rgb) { c.fill(x0, x1, z0, z1, color, nil) }

// disc paints an ellipse around a point. It paints only the part between the heights z0 and z1.
func (c *wallPainter) disc(x, z, rx, rz, z0, z1 float64, color rgb) {
	c.fill(x-rx, x+rx, max(z0, z-rz), min(z1, z+rz), color, func(px, pz float64) bool {
		return math.Hypot((px-x)/rx,
			(pz-z)/rz) < 1
	})
}

// image returns the finished image. Each pixel is the mean of its samples in linear light.
func (c *wallPainter) image() *render.Image {
	var linear [256]float64
	for i := range linear {
		linear[i] = render.Linear(float64(i) / 255)
	}
	n := c.sub
	im := render.NewImage(c.fine.Width/n, c.fine.Height/n)
	for row := range im.Height {
		for col := range im.Width {
			for k := range 3 {
				sum := 0.0
				for i := range n * n {
					at := (row*n+i/n)*c.fine.Width + col*n + i%n
					sum += linear[c.fine.Pix[3*at+k]]
				}
				im.Pix[3*(row*im.Width+col)+k] = byte(math.Round(255 * render.Encoded(sum/float64(n)/float64(n))))
			}
		}
	}
	return im
}
