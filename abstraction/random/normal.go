package random

import (
	"math"
	"time"
)

// ziggurat covers the normal density with layers of equal area, each with a rectangle that lies wholly below the
// density: 99 % of all numbers take one multiplication. Source: Marsaglia and Tsang, "The ziggurat method for
// generating random variables", JSS 2000; the layer and the abscissa in it come from different bits (Doornik, "An
// improved ziggurat method", 2005).
type ziggurat struct {
	within  [layers]uint64      // an abscissa below this, in 2⁻⁶³ of the layer's width, lies in the layer's rectangle
	scale   [layers]float64     // 2⁻⁶³ of a layer's width
	width   [layers + 1]float64 // of the layers, from the lowest, which includes the tail
	density [layers + 1]float64 // at those widths, up to 1
}

const (
	layers = 128
	// tailFrom is where the tail begins, and layerArea the area of each layer, of √(2π) in all; for 128 layers, ibid.
	tailFrom  = 3.442619855899
	layerArea = 9.91256303526217e-3
)

// normal is the ziggurat of all noise.
var normal = newZiggurat()

func newZiggurat() (z ziggurat) {
	f := func(x float64) float64 { return math.Exp(-x * x / 2) }
	z.width[0], z.width[1] = layerArea/f(tailFrom), tailFrom
	for i := 2; i < layers; i++ {
		z.width[i] = math.Sqrt(-2 * math.Log(layerArea/z.width[i-1]+f(z.width[i-1])))
	}
	for i := range layers {
		z.within[i] = uint64(z.width[i+1] / z.width[i] * (1 << 63))
		z.scale[i] = z.width[i] / (1 << 63)
		z.density[i] = f(z.width[i])
	}
	z.density[layers] = 1
	return z
}

// split returns the layer encoded in random bits, and the abscissa in it, in 2⁻⁶³ of its width.
func split(random uint64) (layer int, abscissa int64) {
	return int(random % layers), int64(random&^(layers-1) | layers/2)
}

// inner returns the number encoded in random bits, and whether it lies in its layer's rectangle, where it is accepted.
func (z *ziggurat) inner(random uint64) (x float64, ok bool) {
	layer, abscissa := split(random)
	return float64(abscissa) * z.scale[layer], uint64(max(abscissa, -abscissa)) < z.within[layer]
}

// outer accepts or rejects a number that inner did not accept, and returns it or another one from further bits.
func (z *ziggurat) outer(random uint64, further func(attempt uint64) (lo, hi uint64)) float64 {
	for attempt := uint64(0); ; attempt++ {
		x, ok := z.inner(random)
		if ok {
			return x
		}
		p, q := further(attempt)
		layer, abscissa := split(random)
		if layer == 0 {
			// Tail, ibid.; a rejected number is replaced there.
			if beyond := -math.Log(unit(p)) / tailFrom; -2*math.Log(unit(q)) > beyond*beyond {
				return math.Copysign(tailFrom+beyond, float64(abscissa))
			}
			continue
		}
		if z.density[layer]+unit(p)*(z.density[layer+1]-z.density[layer]) < math.Exp(-x*x/2) {
			return x
		}
		random = q
	}
}

// unit returns a number in (0, 1].
func unit(random uint64) float64 { return float64(random>>11+1) / (1 << 53) }

// Correlated is noise with exponential autocorrelation over frames (an Ornstein–Uhlenbeck process). The random number
// of a frame is nevertheless a function of the frame's key alone.
//
// The frames are divided into blocks of 2ⁿ frames. The first frames of the blocks have independent numbers. The numbers
// of the frames between them follow by bisection: given the values at both ends of an interval, the value at the centre
// of the interval is normally distributed with a known mean and variance (a Brownian bridge of the process).
type Correlated struct {
	halvings []halving // for successively shorter intervals; empty for independent noise
}

// halving is the distribution of the value at the centre of an interval. The expected value is the field mean times the
// sum of the values at the ends of the interval, and the standard deviation is the field sigma.
type halving struct{ mean, sigma float64 }

// NewCorrelated returns noise with the given time constant of the correlation, for a sensor with the given rate in Hz.
func NewCorrelated(constant time.Duration, rate float64) Correlated {
	if constant <= 0 {
		return Correlated{}
	}
	a := math.Exp(-1 / (constant.Seconds() * rate))
	levels := 0
	// the correlation between the ends of a block is negligible
	for math.Pow(a, math.Exp2(float64(levels))) > 1e-6 {
		levels++
	}
	c := Correlated{}
	for l := levels - 1; l >= 0; l-- {
		half := math.Pow(a, math.Exp2(float64(l)))
		c.halvings = append(c.halvings, halving{half / (1 + half*half), math.Sqrt((1 - half*half) / (1 + half*half))})
	}
	return c
}

// Normal returns two independent standard normal numbers for an item of a stream, in the source's frame.
func (c *Correlated) Normal(source Source, stream uint16, item uint64) (x, y float64) {
	index := Index(stream, item)
	if len(c.halvings) == 0 {
		return source.Normal(index)
	}
	span := uint64(1) << len(c.halvings)
	from := source.frame &^ (span - 1)
	ax, ay := source.Frame(from).Normal(index)
	if from == source.frame {
		return ax, ay
	}
	bx, by := source.Frame(from + span).Normal(index)
	for _, h := range c.halvings {
		span /= 2
		middle := from + span
		nx, ny := source.Frame(middle).Normal(index)
		x, y = (ax+bx)*h.mean+nx*h.sigma, (ay+by)*h.mean+ny*h.sigma
		switch {
		case middle == source.frame:
			return x, y
		case middle < source.frame:
			from, ax, ay = middle, x, y
		default:
			bx, by = x, y
		}
	}
	return x, y
}
