package imaging

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
)

// Streams of pixel noise within a frame.
const (
	streamColor uint64 = iota
	streamDepth
	streamOutlines
)

// grainSteps is the number of quantiles of each grey value's distribution, a power of two. 1,024 leave out what is
// rarer than one in a thousand on either side.
const grainSteps = 1024

// Grain is a chip's temporal noise, as a table: for each noiseless 8-bit value the quantiles of what the chip would
// deliver. Drawing a noisy pixel is one look-up.
//
// In linear light a pixel that collects e electrons on average, its light times the exposure, has the variance
// e + σ_read², by the linear camera model of EMVA 1288. It is clipped at the full well, amplified by the gain and by
// its colour's share of the white balance, clipped again, encoded as sRGB and rounded, which adds the quantisation.
type Grain struct {
	table [3]*quantiles // of red, green and blue, which may share one
}

type quantiles [256][grainSteps]uint8

// NewGrain computes the table.
func NewGrain(chip *Imager) *Grain {
	g := &Grain{}
	balance := chip.balance()
	for c := range g.table {
		for other := range c {
			if balance[other] == balance[c] {
				g.table[c] = g.table[other]
			}
		}
		if g.table[c] == nil {
			g.table[c] = newQuantiles(chip, chip.Gain*balance[c])
		}
	}
	return g
}

func newQuantiles(chip *Imager, gain float64) *quantiles {
	t := &quantiles{}
	normal := normalQuantiles(grainSteps)
	for v := range t {
		mean := render.Linear(float64(v)/255) * chip.Exposure * chip.FullWell
		sigma := math.Sqrt(mean + chip.ReadNoise*chip.ReadNoise)
		for q := range t[v] {
			full := math.Min(1, (mean+sigma*float64(normal[q]))/chip.FullWell)
			t[v][q] = uint8(math.Round(255 * render.Encoded(math.Max(0, math.Min(1, gain*full)))))
		}
	}
	return t
}

// balance returns the factors of red, green and blue that make the light of the white balance's temperature white;
// green stays. Images are drawn as a camera sees them that is balanced to render.White.
func (i *Imager) balance() [3]float64 {
	drawn, wanted := render.BlackBody(render.White), render.BlackBody(i.WhiteBalance)
	var b [3]float64
	for c := range b {
		b[c] = drawn[c] / wanted[c] * wanted[1] / drawn[1]
	}
	return b
}

// apply replaces every byte of an image by a noisy one.
func (g *Grain) apply(pix []byte, noise random.Source) {
	pixels := noise.Pixels(streamColor)
	red, green, blue := g.table[0], g.table[1], g.table[2]
	n := len(pix) / 6 * 6
	for i := 0; i < n; i += 6 { // 60 of 64 bits serve six bytes
		bits := pixels.Bits(uint64(i))
		p := pix[i : i+6 : i+6]
		p[0] = red[p[0]][bits&(grainSteps-1)]
		p[1] = green[p[1]][bits>>10&(grainSteps-1)]
		p[2] = blue[p[2]][bits>>20&(grainSteps-1)]
		p[3] = red[p[3]][bits>>30&(grainSteps-1)]
		p[4] = green[p[4]][bits>>40&(grainSteps-1)]
		p[5] = blue[p[5]][bits>>50&(grainSteps-1)]
	}
	bits := pixels.Bits(uint64(n))
	for i := n; i < len(pix); i++ {
		pix[i] = g.table[i%3][pix[i]][bits&(grainSteps-1)]
		bits >>= 10
	}
}

// normalQuantiles returns the standard normal distribution's quantiles in the middle of n equal shares.
func normalQuantiles(n int) []float32 {
	q := make([]float32, n)
	for i := range q {
		q[i] = float32(math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(n)-1))
	}
	return q
}

// encodedSteps are so many that no two grey values of 8 bits share a step.
const encodedSteps = 1 << 14

var toLinear, toEncoded = func() (decode [256]float32, encode [encodedSteps]byte) {
	for v := range decode {
		decode[v] = float32(render.Linear(float64(v) / 255))
	}
	for i := range encode {
		encode[i] = byte(math.Round(255 * render.Encoded(float64(i)/(encodedSteps-1))))
	}
	return decode, encode
}()
