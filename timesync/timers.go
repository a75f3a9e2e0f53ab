package timesync

import (
	"slices"
	"sync"
	"time"
)

// Timers call functions at sim times. All methods may be called from any goroutine, but only the one that steps calls
// Fire and Shift.
type Timers struct {
	mu     sync.Mutex
	timers []*timer // in the order in which they are due; among equals, in the order in which they were added
}

type timer struct {
	due, period time.Duration // period 0: once
	call        func(due time.Duration)
}

// Add adds a timer that is due at the clock's time plus after, and then at every period. A period of 0 means once. f
// receives the time at which it was due. The function that Add returns removes the timer.
func (t *Timers) Add(clock *Clock, after, period time.Duration, f func(due time.Duration)) (stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	added := &timer{due: clock.Time() + after, period: period, call: f}
	t.insert(added)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.timers = slices.DeleteFunc(t.timers, func(other *timer) bool { return other == added })
	}
}

// Shift calls set, which sets the clock to another time. The time until each timer is due stays the same.
func (t *Timers) Shift(clock *Clock, set func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := clock.Time()
	set()
	shift := clock.Time() - before
	for _, timer := range t.timers {
		timer.due += shift
	}
}

func (t *Timers) insert(added *timer) {
	i := len(t.timers)
	for i > 0 && t.timers[i-1].due > added.due {
		i--
	}
	t.timers = slices.Insert(t.timers, i, added)
}

// Fire calls the functions of the timers that are due at a sim time.
func (t *Timers) Fire(now time.Duration) {
	for {
		call, due := t.next(now)
		if call == nil {
			return
		}
		call(due)
	}
}

// next removes the first timer that is due, or sets a periodic one to its next time, and returns its function and the
// time at which it was due. The function is nil if no timer is due.
func (t *Timers) next(now time.Duration) (call func(due time.Duration), due time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.timers) == 0 || t.timers[0].due > now {
		return nil, 0
	}
	first := t.timers[0]
	call, due = first.call, first.due
	t.timers = slices.Delete(t.timers, 0, 1)
	if first.period > 0 {
		first.due += first.period
		t.insert(first)
	}
	return call, due
}
