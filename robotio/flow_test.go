package robotio

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// A topic's rate is that of its messages. It drops to zero soon after they end.
func TestRateEndsWithMessages(t *testing.T) {
	for _, c := range []struct {
		period time.Duration
		rate   float64
		ends   time.Duration // time after the last message
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
		must.Near(t, "rate", f.rateAt(now), c.rate, 1e-9)
		must.Near(t, "rate before the end", f.rateAt(now+c.ends), c.rate, 1e-9)
		must.Near(t, "rate after it", f.rateAt(now+c.ends+1), 0, 0)
	}
}
