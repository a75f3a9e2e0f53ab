package timesync

import (
	"slices"
	"sync"
	"time"
)

// Timers call functions at sim times. Any goroutine may call Add. Only the goroutine that steps may call Fire and
// Shift.
type Timers struct {
	mu sync.Mutex
	// sorted by due time; timers that are due at the same time are in the order in which they were added
	timers []*timer
}

type timer struct {
	due, period time.Duration // period 0: once
	call        func(due time.Duration)
}

// Add adds a timer. It calls f for the first time when the delay has passed since the clock's time, and then once per
// period. If the period is 0, it calls f only once. The argument of f is the sim time at which the call was due. The
// function that Add returns removes the timer.
func (t *Timers) Add(clock *Clock, delay, period time.Duration, f func(due time.Duration)) (stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	added := &timer{due: clock.Time() + delay, period: period, call: f}
	t.insert(added)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.timers = slices.DeleteFunc(t.timers, func(other *timer) bool { return other == added })
	}
}

// Shift calls the function set, which sets the clock to another time. The remaining time of each timer stays the same.
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

// next returns the function of the first timer that is due at a sim time, and the time at which this timer was due. It
// removes the timer, or sets a periodic timer to its next time. If no timer is due, the returned function is nil.
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
