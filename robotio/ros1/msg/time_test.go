package msg

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestTime(t *testing.T) {
	for _, c := range []struct {
		d    time.Duration
		want Time
	}{
		{0, Time{}}, {-1, Time{}}, {1500 * time.Millisecond, Time{1, 5e8}},
		{math.MaxInt64, Time{math.MaxUint32, 999999999}},
	} {
		must.Equal(t, TimeFrom(c.d), c.want, "TimeFrom(%v)", c.d)
	}
	must.Equal(t, (Time{3, 7}).String(), "3.000000007", "String")
}

// TestConversions checks conversion both ways, and that nanoseconds are in [0, 1e9).
func TestConversions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, math.MaxInt32*1e9).Draw(t, "d"))
		if r := TimeFrom(d); r.Since() != d || r.Nsec >= 1_000_000_000 {
			t.Fatalf("TimeFrom(%v) = %v", d, r)
		}
	})
}
