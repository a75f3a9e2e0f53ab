package timesync

import (
	"slices"
	"time"
)

// Lateness is how exactly steps began.
type Lateness struct {
	Median, P95, Worst time.Duration // after they were due, of the last steps, 1024 at most; the worst is that of all
	Steps              int64         // that had a time
	GaveUp             int64         // how often the run was so late that it began anew
}

// tally counts how late steps begin.
type tally struct {
	recent [1024]time.Duration
	steps  int64
	worst  time.Duration
	gaveUp int64
}

func (t *tally) late(d time.Duration) {
	t.recent[t.steps%int64(len(t.recent))] = d
	t.steps++
	t.worst = max(t.worst, d)
}

func (t *tally) lateness() Lateness {
	l := Lateness{Worst: t.worst, Steps: t.steps, GaveUp: t.gaveUp}
	if n := min(t.steps, int64(len(t.recent))); n > 0 {
		s := slices.Sorted(slices.Values(t.recent[:n]))
		l.Median, l.P95 = s[n/2], s[n*95/100]
	}
	return l
}
