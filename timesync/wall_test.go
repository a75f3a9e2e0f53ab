package timesync

import (
	"context"
	"time"
)

// step is that of the runs in tests.
const step = 5 * time.Millisecond

// fakeWall moves only when told to, or when somebody waits.
type fakeWall struct{ now time.Duration }

func (w *fakeWall) Now() time.Duration { return w.now }

func (w *fakeWall) Wait(_ context.Context, until time.Duration) { w.now = max(w.now, until) }
