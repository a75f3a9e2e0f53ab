// Package allocs bounds, in tests, what code may allocate for the input it is given.
package allocs

import (
	"runtime/metrics"
	"testing"
)

// ParseLimit is what any input of less than 1 MiB may make a loader or decoder allocate, in bytes, garbage included.
const ParseLimit = 64 << 20

// AtMost runs f and fails the test when f allocated more bytes than limit, garbage included. Other goroutines count, so
// the limit should be far above what they allocate meanwhile.
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
