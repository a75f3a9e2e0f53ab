package random

import (
	"math"
	"time"
)

// ziggurat covers the normal density with layers of equal area. Each layer contains a rectangle that lies wholly below
// the density, so that 99 % of all numbers take one multiplication. Source: Marsaglia and Tsang, "The ziggurat method
// for generating random variables", JSS 2000. The layer and the abscissa come from different bits, as in Doornik, "An
// improved ziggurat method", 2005.
type ziggurat struct {
	// an abscissa with a smaller absolute value, in 2⁻⁶³ of the layer's width, lies in the layer's rectangle
	within  [layers]uint64
	scale   [layers]float64     // 2⁻⁶³ of a layer's width
	width   [layers + 1]float64 // widths of the layers, from the lowest layer, which includes the tail
	density [layers + 1]float64 // at those widths, up to 1
}

const (
	layers = 128
	// tailFrom is the abscissa at which the tail begins. layerArea is the area of each layer; the whole area is √(2π).
	// Both values are from Marsaglia and Tsang, for 128 layers.
	tailFrom  = 3.442619855899
	layerArea = 9.91256303526217e-3
)

// normal is the ziggurat from which all normal numbers come.
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

// split returns the layer that random bits encode, and the abscissa in this layer in 2⁻⁶³ of the layer's width.
func split(random uint64) (layer int, abscissa int64) {
	return int(random % layers), int64(random&^(layers-1) | layers/2)
}

// inner returns the number that random bits encode. It returns true if the number lies in its layer's rectangle. Such a
// number is accepted.
func (z *ziggurat) inner(random uint64) (x float64, ok bool) {
	layer, abscissa := split(random)
	return float64(abscissa) * z.scale[layer], uint64(max(abscissa, -abscissa)) < z.within[layer]
}

// outer returns the number that random bits encode, if it accepts the number. Otherwise it tries numbers from further
// bits until it accepts one.
func (z *ziggurat) outer(random uint64, further func(attempt uint64) (lo, hi uint64)) float64 {
	for attempt := uint64(0); ; attempt++ {
		x, ok := z.inner(random)
		if ok {
			return x
		}
		p, q := further(attempt)
		layer, abscissa := split(random)
		if layer == 0 {
			// The tail has its own method, by Marsaglia and Tsang. A rejected number is replaced by another number of
			// the tail.
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
	// the correlation between the ends of a block must be negligible
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

// Normal returns two independent standard normal numbers for an item of a stream, in the frame of the source.
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
