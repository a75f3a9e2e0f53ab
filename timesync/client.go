package timesync

import (
	"container/heap"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Client is the clock of sim time in a robot's program. It follows clock messages, which are called ticks. Between two
// ticks a Client advances at the rate of the last ticks. It does not reach the expected time of the next tick before
// this tick arrives, so it stops when the simulation stops. Any goroutine may call its methods.
//
//	client := timesync.NewClient(timesync.SystemWall())
//	go func() { for t := range clockMessages { client.Tick(t) } }()
//	ticker := client.NewTicker(33 * time.Millisecond)
//	for now := range ticker.C { … }
type Client struct {
	wall Wall

	mu      sync.Mutex
	ticks   int
	sim     time.Duration // of the last tick
	arrived time.Duration // wall time at which the last tick arrived
	step    time.Duration // sim time between the last two ticks
	meter   *Meter
	shown   time.Duration // latest value of Now
	timers  timers
	alarm   func(left time.Duration) // function that calls the method fire when a wall time has passed
	first   chan struct{}
}

// clientWindow is the wall time over which a client averages the real-time factor.
const clientWindow = 500 * time.Millisecond

// NewClient returns a client whose time is 0 until the first tick.
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

// ErrTimeJumped is returned by Sleep when sim time goes back because the simulation was reset or replaced.
var ErrTimeJumped = errors.New("timesync: sim time went back")

// Tick sets the sim time of the newest tick. It ignores a tick with the same time as the last tick. A time before the
// last tick sets the clock back; the remaining durations of all timers stay the same.
func (c *Client) Tick(sim time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.wall.Now()
	switch {
	case c.ticks == 0:
		close(c.first)
		c.shown = sim
	case sim < c.sim:
		c.setBack(sim)
	case sim == c.sim:
		return
	default:
		c.step = sim - c.sim
	}
	c.ticks++
	c.meter.Add(now, sim)
	c.sim, c.arrived = sim, now
	c.shown = max(c.shown, sim)
	c.fire()
}

// setBack moves the clock and all timers to an earlier time, and wakes sleepers with ErrTimeJumped.
func (c *Client) setBack(sim time.Duration) {
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
		t.index = i
	}
	heap.Init(&c.timers)
}

// Ready returns a channel that is closed at the first tick.
func (c *Client) Ready() <-chan struct{} { return c.first }

// Now returns the present sim time. It goes back only when the simulation is reset or replaced.
func (c *Client) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Client) now() time.Duration {
	if f := c.meter.Factor(); c.step > 0 && f > 0 {
		since := min(float64(c.wall.Now()-c.arrived)*f, float64(c.step-1))
		c.shown = max(c.shown, c.sim+time.Duration(since))
	}
	return c.shown
}

// Factor returns the real-time factor measured from the ticks.
func (c *Client) Factor() Estimate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.meter.Estimate()
}

// Predict predicts the wall time that the duration d of sim time will take from now on. It returns 0 as long as the
// real-time factor is not known.
func (c *Client) Predict(d time.Duration) Forecast {
	e := c.Factor()
	if !(e.Factor > 0) {
		return Forecast{}
	}
	mean := time.Duration(float64(d) / e.Factor)
	return Forecast{Likely: mean, Upper: time.Duration(float64(d) / max(e.Factor-2*e.Error, e.Factor/10))}
}

// Sleep blocks for a duration of sim time. It returns ErrTimeJumped if sim time goes back meanwhile, and the context's
// error if ctx ends.
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

// Timer fires in sim time, once or periodically.
type Timer struct {
	// C delivers the sim time at which the timer was due. It holds only the newest such time.
	C <-chan time.Duration

	client   *Client
	c        chan time.Duration
	due      time.Duration
	period   time.Duration // 0 to fire once
	index    int           // index in the client's heap of timers; −1: not in the heap
	sleeping bool          // the timer was made by Sleep
	jumped   bool          // sim time went back during the Sleep
	fired    chan struct{} // closed to wake the goroutine that sleeps
}

// NewTimer returns a timer that fires once after a duration of sim time.
func (c *Client) NewTimer(d time.Duration) *Timer { return c.timer(d, 0) }

// NewTicker returns a timer that fires every period of sim time. The timer skips periods that it missed. NewTicker
// panics if the period is not positive.
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

// Stop stops a timer, and reports whether it would have fired again.
func (t *Timer) Stop() bool {
	t.client.mu.Lock()
	defer t.client.mu.Unlock()
	if t.index < 0 {
		return false
	}
	heap.Remove(&t.client.timers, t.index)
	return true
}

// drain removes from C a time that nobody has received.
func (t *Timer) drain() {
	select {
	case <-t.c:
	default:
	}
}

// fire fires the timers that are due. If another timer is due before the next tick, fire sets the alarm for this timer.
func (c *Client) fire() {
	for len(c.timers) > 0 && c.timers[0].due <= c.now() {
		t := c.timers[0]
		if t.sleeping {
			heap.Pop(&c.timers)
			close(t.fired)
			continue
		}
		t.drain() // C holds only the newest time
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

// arm sets the alarm if a timer is due before the next tick.
func (c *Client) arm() {
	f := c.meter.Factor()
	if len(c.timers) == 0 || c.step == 0 || !(f > 0) {
		return
	}
	due := c.timers[0].due
	if due >= c.sim+c.step {
		return // the next tick will fire the timer
	}
	c.alarm(time.Duration(float64(due-c.now())/f) + 1)
}

// timers is a heap, ordered by due time.
type timers []*Timer

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].due < t[j].due }
func (t timers) Swap(i, j int)      { t[i], t[j] = t[j], t[i]; t[i].index, t[j].index = i, j }
func (t *timers) Push(x any)        { x.(*Timer).index = len(*t); *t = append(*t, x.(*Timer)) }
func (t *timers) Pop() any {
	last := len(*t) - 1
	x := (*t)[last]
	(*t)[last], x.index, *t = nil, -1, (*t)[:last]
	return x
}
