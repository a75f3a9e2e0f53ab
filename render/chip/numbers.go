package chip

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// Numbers holds a chip's parameters and an image's key as the arithmetic uses them, also for other implementations.
// Charge is counted in full wells.
type Numbers struct {
	Exposure float32    // charge of light 1
	Shot     float32    // variance of the charge, per charge
	Read     float32    // variance of the charge of a dark pixel
	Gain     [3]float32 // of red, green and blue
	// for red and blue: distance from the middle at which the lens takes a pixel's light, relative to the pixel's own
	Scale   [2]float32
	Key     Key
	Keep    float32 // fraction of the light that the lens does not scatter
	Fixed   FixedNumbers
	Columns ColumnNumbers
	Lamps   [3]float32 // fraction of the light that comes from lamps
	// relative deviation of the lamps' light in each row from its mean (AppendRows); empty: no flicker
	Rows []float32
}

// NewNumbers returns the parameters of a valid chip for an image of width × height pixels.
func NewNumbers(c *render.Chip, noiseKey uint64, width, height int) Numbers {
	read, corner := c.ReadNoise/c.FullWell, math.Hypot(float64(width-1), float64(height-1))/2
	n := Numbers{Exposure: float32(c.Exposure), Shot: float32(1 / c.FullWell), Read: float32(read * read),
		Key: newKey(noiseKey), Keep: float32(1 - c.Glare),
		Columns: newColumnNumbers(c, height)}
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

// AppendRows appends the Rows of a chip's Numbers, for an image with that many rows, to to. It appends nothing if rows
// do not differ.
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

// reading returns the reading of a pixel, 0 to 1, for its light and a normal number, for a sensor whose pixels are all
// alike.
func (n *Numbers) reading(light, normal float32, color int) float32 {
	return n.readingOf(light*n.Exposure, 0, normal, color)
}

// readingOf returns the reading of a pixel for the charge that it collects, its noiseless additional dark signal, and a
// normal number.
func (n *Numbers) readingOf(charge, dark, normal float32, color int) float32 {
	sigma := sqrt(float32(charge*n.Shot) + n.Read)
	return max(0, min(1, n.Gain[color]*min(1, (charge+dark)+float32(sigma*normal))))
}

// readingAt returns the reading of the pixel at (x, y) in a colour.
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

// table maps each drawn byte and each sum of random bytes to the resulting byte, for one colour.
type table [256 << tableShift]byte

const tableShift = 10 // steps fit into 1 << tableShift

// tableKey is everything that a table depends on.
type tableKey struct{ exposure, shot, read, gain float32 }

func (n *Numbers) tableKey(color int) tableKey {
	return tableKey{n.Exposure, n.Shot, n.Read, n.Gain[color]}
}

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
