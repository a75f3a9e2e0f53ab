package timesync

import (
	"math"
	"time"
)

// Cadence is a rate in sim time: what goes by it is due at 0, and then at the first step at or after each period.
type Cadence struct {
	rate float64 // a second; 0 is every step
	next time.Duration
}

// NewCadence returns one with so many times a second of sim time; 0 is every step.
func NewCadence(rate float64) Cadence { return Cadence{rate: rate} }

// Due reports whether a period is over, and if so begins the next.
func (c *Cadence) Due(now time.Duration) bool {
	if now < c.next {
		return false
	}
	if c.rate > 0 {
		n := math.Floor(now.Seconds()*c.rate + 1e-9) // a period that ends at a step is over, whatever its rounding
		c.next = time.Duration((n + 1) / c.rate * float64(time.Second))
	}
	return true
}
