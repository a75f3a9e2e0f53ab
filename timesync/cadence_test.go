package timesync

import (
	"testing"
	"time"
)

func TestCadenceIsDueAtTheFirstStepOfEachPeriod(t *testing.T) {
	for _, rate := range []float64{0, 1, 3, 7, 30, 50, 200, 1000} {
		c := NewCadence(rate)
		last := int64(-1)
		for k := range int64(1_000_000) {
			n := k // number of the period; steps of 5 ms
			if rate > 0 {
				n = k * int64(rate) / 200
			}
			if due := c.Due(time.Duration(k) * step); due != (n > last) {
				t.Fatalf("%v Hz: due is %v at step %d", rate, due, k)
			}
			last = n
		}
	}
}
