package timesync

import (
	"slices"
	"time"
)

// Lateness is how long after their due time paced steps began.
type Lateness struct {
	Median, P95 time.Duration // of the last 1024 steps
	Worst       time.Duration // of all steps
	Steps       int64         // paced steps
	// how often the run was so late that the pacer gave up the lost time: the step then counted as due at once
	GaveUp int64
}

// latenessTally records how late steps begin.
type latenessTally struct {
	recent [1024]time.Duration
	steps  int64
	worst  time.Duration
	gaveUp int64
}

func (t *latenessTally) add(d time.Duration) {
	t.recent[t.steps%int64(len(t.recent))] = d
	t.steps++
	t.worst = max(t.worst, d)
}

func (t *latenessTally) lateness() Lateness {
	l := Lateness{Worst: t.worst, Steps: t.steps, GaveUp: t.gaveUp}
	if n := min(t.steps, int64(len(t.recent))); n > 0 {
		s := slices.Sorted(slices.Values(t.recent[:n]))
		l.Median, l.P95 = s[n/2], s[n*95/100]
	}
	return l
}
