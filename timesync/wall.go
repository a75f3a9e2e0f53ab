package timesync

import (
	"context"
	"sync/atomic"
	"time"
)

// Wall is a monotonic wall clock. Tests use their own, on which waiting takes no time.
type Wall interface {
	// Now returns the time since some fixed instant.
	Now() time.Duration
	// Wait returns at that time, or earlier when ctx ends.
	Wait(ctx context.Context, until time.Duration)
}

// systemWall sleeps until shortly before the time and spins for the rest: the kernel wakes a sleeper late.
type systemWall struct {
	start time.Time
	spin  atomic.Int64 // ns before the time at which sleep ends: what the kernel was late by, lately
}

const (
	leastSpin  = 20 * time.Microsecond
	mostSpin   = 200 * time.Microsecond // a thread that spins long has had its turn when it counts
	longestNap = 20 * time.Millisecond
)

// SystemWall returns the machine's monotonic clock, counted from this call.
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

// learn follows how late sleep ends: at once upwards, slowly down.
func (w *systemWall) learn(late time.Duration) {
	spin := time.Duration(w.spin.Load())
	if want := late + late/4; want > spin {
		spin = want
	} else {
		spin -= (spin - want) / 64
	}
	w.spin.Store(int64(min(max(spin, leastSpin), mostSpin)))
}

// coarseWall waits with the Go runtime's timers.
type coarseWall struct{ start time.Time }

// CoarseWall returns the machine's monotonic clock, counted from this call, for those who may wake some milliseconds
// late: to wait costs no processor time, and ends at once with the context.
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
