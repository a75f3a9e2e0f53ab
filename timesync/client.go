package timesync

import (
	"container/heap"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Client is sim time as a robot's program sees it, from the ticks that some transport brings: between them it goes on
// as fast as they came lately, but never past where the next is expected, and it stands while the simulation does. All
// methods may be called from any goroutine.
//
//	client := timesync.NewClient(timesync.SystemWall())
//	go func() { for t := range clockMessages { client.Tick(t) } }()
//	ticker := client.NewTicker(33 * time.Millisecond)
//	for now := range ticker.C { … }
type Client struct {
	wall Wall

	mu     sync.Mutex
	ticks  int
	sim    time.Duration // of the last tick
	at     time.Duration // wall time of its arrival
	step   time.Duration // between ticks, lately
	meter  *Meter
	shown  time.Duration
	timers timers
	alarm  func(left time.Duration) // fires the first of them between ticks
	first  chan struct{}
}

// clientWindow is over how much wall time a client averages the real-time factor.
const clientWindow = 500 * time.Millisecond

// NewClient returns a client that has not seen a tick. Until the first its time is 0 and stands.
func NewClient(wall Wall) *Client {
	c := &Client{wall: wall, meter: NewMeter(clientWindow), first: make(chan struct{})}
	var timer *time.Timer
	c.alarm = func(left time.Duration) {
		if timer != nil {
			timer.Reset(left)
			return
		}
		timer = time.AfterFunc(left, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.fire()
		})
	}
	return c
}

// ErrTimeJumped is what sleepers get when sim time goes back: the simulation was reset or replaced.
var ErrTimeJumped = errors.New("timesync: sim time went back")

// Tick sets the sim time of the newest tick. Times that come twice are ignored; a time that lies before the last sets
// the clock back, with which what is left of all timers stays.
func (c *Client) Tick(sim time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.wall.Now()
	switch {
	case c.ticks == 0:
		close(c.first)
		c.shown = sim
	case sim < c.sim:
		c.back(sim)
	case sim == c.sim:
		return
	default:
		c.step = sim - c.sim
	}
	c.ticks++
	c.meter.Add(now, sim)
	c.sim, c.at = sim, now
	c.shown = max(c.shown, sim)
	c.fire()
}

// back moves everything to an earlier time.
func (c *Client) back(sim time.Duration) {
	shift := sim - c.now()
	c.shown, c.step = sim, 0
	c.timers = slices.DeleteFunc(c.timers, func(t *Timer) bool {
		if t.sleeping {
			t.jumped = true
			close(t.fired)
			return true
		}
		t.due += shift
		t.drain()
		return false
	})
	for i, t := range c.timers {
		t.at = i
	}
	heap.Init(&c.timers)
}

// Ready is closed with the first tick.
func (c *Client) Ready() <-chan struct{} { return c.first }

// Now returns sim time; it never goes back unless the simulation does.
func (c *Client) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Client) now() time.Duration {
	if f := c.meter.Factor(); c.step > 0 && f > 0 {
		since := min(float64(c.wall.Now()-c.at)*f, float64(c.step-1))
		c.shown = max(c.shown, c.sim+time.Duration(since))
	}
	return c.shown
}

// Factor returns the real-time factor as the ticks show it.
func (c *Client) Factor() Estimate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.meter.Estimate()
}

// Predict returns the wall time after which so much sim time will have gone by, and 0 before the real-time factor is
// known.
func (c *Client) Predict(d time.Duration) Forecast {
	e := c.Factor()
	if !(e.Factor > 0) {
		return Forecast{}
	}
	mean := time.Duration(float64(d) / e.Factor)
	return Forecast{Likely: mean, Upper: time.Duration(float64(d) / max(e.Factor-2*e.Error, e.Factor/10))}
}

// Sleep returns when so much sim time has gone by, with ErrTimeJumped when it went back meanwhile, or with the
// context's error.
func (c *Client) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	if d <= 0 {
		c.mu.Unlock()
		return ctx.Err()
	}
	t := &Timer{client: c, due: c.now() + d, sleeping: true, fired: make(chan struct{})}
	heap.Push(&c.timers, t)
	c.arm()
	c.mu.Unlock()
	select {
	case <-t.fired:
		if t.jumped {
			return ErrTimeJumped
		}
		return nil
	case <-ctx.Done():
		t.Stop()
		return ctx.Err()
	}
}

// Timer fires in sim time: once, or again and again.
type Timer struct {
	// C has the sim time at which the timer was due, of the newest time that it fired.
	C <-chan time.Duration

	client   *Client
	c        chan time.Duration
	due      time.Duration
	period   time.Duration // 0 fires once
	at       int           // in the heap; −1 out of it
	sleeping bool
	jumped   bool
	fired    chan struct{} // of a sleeper
}

// NewTimer returns a timer that fires after so much sim time.
func (c *Client) NewTimer(d time.Duration) *Timer { return c.timer(d, 0) }

// NewTicker returns a timer that fires every period of sim time, and not for what was missed. It panics unless the
// period is positive.
func (c *Client) NewTicker(period time.Duration) *Timer {
	if period <= 0 {
		panic("timesync: period must be positive")
	}
	return c.timer(period, period)
}

func (c *Client) timer(d, period time.Duration) *Timer {
	ch := make(chan time.Duration, 1)
	t := &Timer{C: ch, c: ch, client: c, period: period}
	c.mu.Lock()
	defer c.mu.Unlock()
	t.due = c.now() + d
	heap.Push(&c.timers, t)
	c.fire()
	return t
}

// Stop ends a timer. It reports whether it would have fired again.
func (t *Timer) Stop() bool {
	t.client.mu.Lock()
	defer t.client.mu.Unlock()
	if t.at < 0 {
		return false
	}
	heap.Remove(&t.client.timers, t.at)
	return true
}

// drain removes a time that was not received.
func (t *Timer) drain() {
	select {
	case <-t.c:
	default:
	}
}

// fire fires what is due, and sets the alarm for what comes before the next tick.
func (c *Client) fire() {
	for len(c.timers) > 0 && c.timers[0].due <= c.now() {
		t := c.timers[0]
		if t.sleeping {
			heap.Pop(&c.timers)
			close(t.fired)
			continue
		}
		t.drain() // the newest counts
		if t.period == 0 {
			heap.Pop(&c.timers)
			t.c <- t.due
			continue
		}
		t.due += (c.now() - t.due) / t.period * t.period
		t.c <- t.due
		t.due += t.period
		heap.Fix(&c.timers, 0)
	}
	c.arm()
}

// arm sets the alarm, if a timer is due before the next tick.
func (c *Client) arm() {
	f := c.meter.Factor()
	if len(c.timers) == 0 || c.step == 0 || !(f > 0) {
		return
	}
	due := c.timers[0].due
	if due >= c.sim+c.step {
		return // that tick will fire it
	}
	c.alarm(time.Duration(float64(due-c.now())/f) + 1)
}

// timers is a heap by the time that they are due.
type timers []*Timer

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].due < t[j].due }
func (t timers) Swap(i, j int)      { t[i], t[j] = t[j], t[i]; t[i].at, t[j].at = i, j }
func (t *timers) Push(x any)        { x.(*Timer).at = len(*t); *t = append(*t, x.(*Timer)) }
func (t *timers) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	(*t)[last], x.at, *t = nil, -1, (*t)[:last]
	return x
}
