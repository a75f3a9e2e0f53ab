package timesync

import (
	"context"
	"time"
)

// Wall is a monotonic wall clock. Tests use their own.
type Wall interface {
	// Now returns the time since some fixed instant.
	Now() time.Duration
	// Sleep returns after d, or earlier when ctx ends.
	Sleep(ctx context.Context, d time.Duration)
}

type systemWall struct{ start time.Time }

// SystemWall returns the machine's monotonic clock, counted from this call.
func SystemWall() Wall { return systemWall{start: time.Now()} }

func (w systemWall) Now() time.Duration { return time.Since(w.start) }

func (w systemWall) Sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
