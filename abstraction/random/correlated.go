package random

import (
	"math"
	"time"
)

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
