package omnipitch

import (
	"slices"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// timers are called by sim time.
type timers struct {
	mu  sync.Mutex
	set []*timer // by the time that they are due, and the order in which they were set
}

type timer struct {
	due, period time.Duration
	call        func(due time.Duration)
}

// After calls f once, by the goroutine that steps, at the end of the first step by which so much sim time has gone by,
// before that step's observations are delivered. f gets the time that it was due. In this way timers are exact,
// whatever the speed; what f does should be short. While a run is paused, what is due at once is called at once. Timers
// of programs that follow a clock over a wire belong to timesync.Client.
func (s *Sim) After(d time.Duration, f func(due time.Duration)) (stop func()) {
	stop = s.timers.add(s.timing.clock, max(d, 0), &timer{call: f})
	if d <= 0 {
		s.timing.clock.Poke()
	}
	return stop
}

// Every does the same again and again: at the end of a step once for every period that has gone by. It panics unless
// the period is positive.
func (s *Sim) Every(period time.Duration, f func(due time.Duration)) (stop func()) {
	if period <= 0 {
		panic("omnipitch: period must be positive")
	}
	return s.timers.add(s.timing.clock, period, &timer{period: period, call: f})
}

// add adds a timer that is due after so much sim time.
func (a *timers) add(clock *timesync.Clock, after time.Duration, x *timer) (stop func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x.due = clock.Time() + after
	a.insert(x)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.set = slices.DeleteFunc(a.set, func(other *timer) bool { return other == x })
	}
}

// restart sets the timers to a clock that set sets to another time: each is due after as long as it would have been.
func (a *timers) restart(clock *timesync.Clock, set func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := clock.Time()
	set()
	for now, i := clock.Time(), 0; i < len(a.set); i++ {
		a.set[i].due += now - was
	}
}

func (a *timers) insert(x *timer) {
	i := len(a.set)
	for i > 0 && a.set[i-1].due > x.due {
		i--
	}
	a.set = slices.Insert(a.set, i, x)
}

// fire calls what is due.
func (a *timers) fire(now time.Duration) {
	for {
		x, due := a.take(now)
		if x == nil {
			return
		}
		x.call(due)
	}
}

// take takes the first that is due, and sets it anew if it comes again.
func (a *timers) take(now time.Duration) (x *timer, due time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.set) == 0 || a.set[0].due > now {
		return nil, 0
	}
	x = a.set[0]
	due = x.due
	a.set = slices.Delete(a.set, 0, 1)
	if x.period > 0 {
		x.due += x.period
		a.insert(x)
	}
	return x, due
}
