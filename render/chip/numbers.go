package chip

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// Numbers holds a chip's parameters and an image's key in the form that the arithmetic needs, here and in
// render/internal/tile. Charge is counted in full wells.
type Numbers struct {
	Exposure float32    // charge of light 1
	Shot     float32    // variance of the charge divided by the charge
	Read     float32    // variance of the charge of a dark pixel
	Gain     [3]float32 // of red, green and blue
	// for red and blue: Scale times a pixel's distance from the image's centre is the distance from which the pixel
	// gets its light
	Scale   [2]float32
	Key     Key
	Keep    float32 // fraction of the light that the lens does not scatter into glare
	Fixed   FixedNumbers
	Columns ColumnNumbers
	Lamps   [3]float32 // fraction of the light that comes from lamps
	// relative deviation of the lamps' light during each row's exposure from its mean, see AppendRows; empty without
	// flicker
	Rows []float32
}

// NewNumbers returns the parameters of a valid chip for an image of width × height pixels.
func NewNumbers(c *render.Chip, noiseKey uint64, width, height int) Numbers {
	read, corner := c.ReadNoise/c.FullWell, math.Hypot(float64(width-1), float64(height-1))/2
	n := Numbers{Exposure: float32(c.Exposure), Shot: float32(1 / c.FullWell), Read: float32(read * read),
		Key: newKey(noiseKey), Keep: float32(1 - c.Glare), Columns: newColumnNumbers(c, height)}
	if c.Fixed.On() {
		n.Fixed = newFixedNumbers(&c.Fixed, c.FullWell)
	}
	for i, share := range c.Rows.Lamps {
		n.Lamps[i] = float32(share)
	}
	for i, b := range c.Balance {
		n.Gain[i] = float32(c.Gain * b)
	}
	if c.Chromatic != 0 {
		n.Scale = [2]float32{float32(1 / (1 + c.Chromatic/corner)), float32(1 / (1 - c.Chromatic/corner))}
	}
	return n
}

// AppendRows returns Numbers.Rows of a chip for an image with the given number of rows. It reuses the memory of the
// first argument if that is large enough. The result is empty if the light does not differ between rows.
func AppendRows(to []float32, c *render.Chip, rows int) []float32 {
	to = to[:0]
	if !c.Rows.On() {
		return to
	}
	for row := range rows {
		to = append(to, float32(c.Rows.Deviation(row, rows)))
	}
	return to
}

// reading returns the reading, 0 to 1, of a pixel of a sensor without fixed pattern noise, given the pixel's light, a
// normal random number and the colour.
func (n *Numbers) reading(light, normal float32, color int) float32 {
	return n.readingOf(light*n.Exposure, 0, normal, color)
}

// readingOf returns the reading, 0 to 1, of a pixel, given the charge that the pixel collects, its additional dark
// signal, a normal random number and the colour. The dark signal adds no noise.
func (n *Numbers) readingOf(charge, dark, normal float32, color int) float32 {
	sigma := sqrt(float32(charge*n.Shot) + n.Read)
	return max(0, min(1, n.Gain[color]*min(1, (charge+dark)+float32(sigma*normal))))
}

// readingAt returns the reading, 0 to 1, of the pixel at (x, y) in a colour. It includes the pixel's random noise and
// its fixed pattern noise.
func (n *Numbers) readingAt(light float32, x, y, width, color int) float32 {
	index := uint32(3*(y*width+x) + color)
	charge, dark := light*n.Exposure, float32(0)
	if len(n.Rows) > 0 {
		charge += float32(charge * float32(n.Lamps[color]*n.Rows[y]))
	}
	if n.Fixed.On {
		charge, dark = n.Fixed.add(charge, index, x, y)
	}
	return n.readingOf(charge, dark, normal(byteSum(n.Key.bits(index))), color)
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// table holds, for one colour, the resulting byte for each byte of a rendered image and each sum of random bytes.
type table [256 << tableShift]byte

const tableShift = 10 // a sum of random bytes has fewer than 1 << tableShift values

// tableKey is everything that a table depends on.
type tableKey struct{ exposure, shot, read, gain float32 }

func newTable(k tableKey) *table {
	t := &table{}
	n := Numbers{Exposure: k.exposure, Shot: k.shot, Read: k.read, Gain: [3]float32{k.gain}}
	for v := range 256 {
		light := render.Decode8(byte(v))
		for sum := range uint32(steps) {
			t[v<<tableShift|int(sum)] = render.Encode8(n.reading(light, normal(sum), 0))
		}
	}
	return t
}
