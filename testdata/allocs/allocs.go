// Package allocs limits, in tests, how much memory code may allocate for a given input.
package allocs

import (
	"runtime/metrics"
	"testing"
)

// ParseLimit is the number of bytes, garbage included, that a loader or decoder may allocate for an input of less than
// 1 MiB.
const ParseLimit = 64 << 20

// AtMost runs f, and fails the test if f allocates more than limit bytes, garbage included. Allocations of other
// goroutines during the call count too, so the limit should be far above those.
func AtMost(tb testing.TB, limit uint64, f func()) {
	tb.Helper()
	before := total()
	f()
	if got := total() - before; got > limit {
		tb.Errorf("allocated %d bytes: must be at most %d", got, limit)
	}
}

// total returns the bytes that the program has allocated since it started.
func total() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
