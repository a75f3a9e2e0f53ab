package robotio

import (
	"testing"
	"time"
)

// A topic has the rate of its messages while they come, and soon after they have ended none.
func TestRateEndsWithMessages(t *testing.T) {
	for _, c := range []struct {
		period time.Duration
		rate   float64
		ends   time.Duration // after the last
	}{
		{100 * time.Millisecond, 10, time.Second},
		{2 * time.Second, 0.5, 8 * time.Second},
	} {
		var f flow
		now := 5 * time.Second
		for range 20 {
			now += c.period
			f.count(now, now)
		}
		near(t, "rate", f.rateAt(now), c.rate, 1e-9)
		near(t, "rate before the end", f.rateAt(now+c.ends), c.rate, 1e-9)
		near(t, "rate after it", f.rateAt(now+c.ends+1), 0, 0)
	}
}
