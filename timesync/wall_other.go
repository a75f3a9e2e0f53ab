//go:build !linux

package timesync

import (
	"context"
	"time"
)

// sleep sleeps for a duration, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Prompt does nothing on this operating system.
func Prompt() (undo func()) { return func() {} }
