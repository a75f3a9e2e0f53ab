//go:build !linux

package timesync

import (
	"context"
	"time"
)

// sleep may end early.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Prompt does nothing here.
func Prompt() (undo func()) { return func() {} }
