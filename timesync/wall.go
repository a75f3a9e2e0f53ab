package timesync

import (
	"context"
	"sync/atomic"
	"time"
)

// Wall is a monotonic wall clock. Tests use a simulated clock, on which waiting takes no time.
type Wall interface {
	// Now returns the time since some fixed instant.
	Now() time.Duration
	// Wait blocks until this clock reaches a time, or until ctx ends.
	Wait(ctx context.Context, until time.Duration)
}

// systemWall sleeps until shortly before the requested time and spins for the rest, because the kernel wakes sleepers
// late.
type systemWall struct {
	start time.Time
	spin  atomic.Int64 // ns to spin before the requested time; it follows how late the kernel woke recent sleeps
}

const (
	leastSpin  = 20 * time.Microsecond
	mostSpin   = 200 * time.Microsecond // the scheduler preempts a thread that spins for longer
	longestNap = 20 * time.Millisecond
)

// SystemWall returns the machine's monotonic clock, which begins at 0 when SystemWall is called.
func SystemWall() Wall {
	w := &systemWall{start: time.Now()}
	w.spin.Store(int64(100 * time.Microsecond))
	return w
}

func (w *systemWall) Now() time.Duration { return time.Since(w.start) }

func (w *systemWall) Wait(ctx context.Context, until time.Duration) {
	for {
		now := w.Now()
		spin := time.Duration(w.spin.Load())
		switch left := until - now; {
		case left <= 0 || ctx.Err() != nil:
			return
		case left > spin:
			nap := min(left-spin, longestNap)
			sleep(ctx, nap)
			w.learn(w.Now() - now - nap)
		default:
			for w.Now() < until {
			}
		}
	}
}

// learn adjusts the spin time to how late a sleep ended. The spin time grows at once, and shrinks slowly.
func (w *systemWall) learn(late time.Duration) {
	spin := time.Duration(w.spin.Load())
	if want := late + late/4; want > spin {
		spin = want
	} else {
		spin -= (spin - want) / 64
	}
	w.spin.Store(int64(min(max(spin, leastSpin), mostSpin)))
}

// coarseWall waits with timers of the Go runtime.
type coarseWall struct{ start time.Time }

// CoarseWall returns the machine's monotonic clock, which begins at 0 when CoarseWall is called. The method Wait of
// this clock may return some milliseconds late, but it costs no processor time, and returns at once when the context
// ends.
func CoarseWall() Wall { return coarseWall{time.Now()} }

func (w coarseWall) Now() time.Duration { return time.Since(w.start) }

func (w coarseWall) Wait(ctx context.Context, until time.Duration) {
	timer := time.NewTimer(until - w.Now())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
