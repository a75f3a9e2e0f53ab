package timesync

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// step is the step of the runs in tests.
const step = 5 * time.Millisecond

// fakeWall advances only by assignment and in Wait.
type fakeWall struct{ now time.Duration }

func (w *fakeWall) Now() time.Duration { return w.now }

func (w *fakeWall) Wait(_ context.Context, until time.Duration) { w.now = max(w.now, until) }

func TestCoarseWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock advances when all goroutines wait
		w := CoarseWall()
		w.Wait(t.Context(), time.Hour)
		if got := w.Now(); got != time.Hour {
			t.Errorf("waited until %v, want 1h", got)
		}
		w.Wait(t.Context(), time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		w.Wait(ctx, 2*time.Hour)
		if got := w.Now(); got != time.Hour+time.Minute {
			t.Errorf("waited until %v beside a context that ends after 1h1m", got)
		}
	})
}
