package abstraction

import (
	"math"
	"time"
)

// Correlated makes noise whose autocorrelation falls exponentially from frame to frame (an Ornstein-Uhlenbeck process), with the
// number of a frame still independent of what else was asked for.
//
// Frames that are a block apart have numbers of their own. Those between are drawn by halving: given its values at both ends, the
// middle of a stretch is normal with a known mean and variance (a Brownian bridge of the process).
type Correlated struct {
	halvings []halving // of ever shorter stretches; none for noise from frame to frame
}

// halving is how the middle of a stretch follows from its ends.
type halving struct{ mean, sigma float64 }

// NewCorrelated returns noise with a time constant, of a sensor with so many frames a second.
func NewCorrelated(constant time.Duration, rate float64) Correlated {
	if constant <= 0 {
		return Correlated{}
	}
	a := math.Exp(-1 / (constant.Seconds() * rate))
	levels := 0
	for math.Pow(a, math.Exp2(float64(levels))) > 1e-6 { // what two ends of a block then share, nobody can measure
		levels++
	}
	c := Correlated{}
	for l := levels - 1; l >= 0; l-- {
		half := math.Pow(a, math.Exp2(float64(l)))
		c.halvings = append(c.halvings, halving{half / (1 + half*half), math.Sqrt((1 - half*half) / (1 + half*half))})
	}
	return c
}

// Normal returns two independent standard normal numbers for the noise's frame.
func (c *Correlated) Normal(noise Noise, stream uint16, item uint64) (x, y float64) {
	index := Index(stream, item)
	if len(c.halvings) == 0 {
		return noise.Normal(index)
	}
	span := uint64(1) << len(c.halvings)
	from := noise.frame &^ (span - 1)
	ax, ay := noise.Frame(from).Normal(index)
	if from == noise.frame {
		return ax, ay
	}
	bx, by := noise.Frame(from + span).Normal(index)
	for _, h := range c.halvings {
		span /= 2
		middle := from + span
		nx, ny := noise.Frame(middle).Normal(index)
		x, y = (ax+bx)*h.mean+nx*h.sigma, (ay+by)*h.mean+ny*h.sigma
		switch {
		case middle == noise.frame:
			return x, y
		case middle < noise.frame:
			from, ax, ay = middle, x, y
		default:
			bx, by = x, y
		}
	}
	return x, y
}
