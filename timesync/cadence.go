package timesync

import (
	"math"
	"time"
)

// Cadence is a rate in sim time. It is due at time 0, and then at the first step at or after the end of each period.
type Cadence struct {
	rate float64 // Hz; 0 for every step
	next time.Duration
}

// NewCadence returns a cadence with the given rate: periods per second of sim time. A cadence of rate 0 is due at every
// step.
func NewCadence(rate float64) Cadence { return Cadence{rate: rate} }

// Due reports whether the cadence is due at the given sim time. If it is due, Due also starts the next period.
func (c *Cadence) Due(now time.Duration) bool {
	if now < c.next {
		return false
	}
	if c.rate > 0 {
		n := math.Floor(now.Seconds()*c.rate + 1e-9) // the margin covers rounding of a period that ends at a step
		c.next = time.Duration((n + 1) / c.rate * float64(time.Second))
	}
	return true
}
