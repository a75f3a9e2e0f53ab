package timesync

import (
	"context"
	"sync"
	"time"
)

// Clock is sim time: whole steps of integer nanoseconds, and between them what wall time says. One goroutine steps; all
// methods may be called from any.
type Clock struct {
	wall Wall
	step time.Duration

	mu     sync.Mutex
	origin time.Duration // sim time of step 0: 0, but for jumps
	steps  int64         // since then
	at     time.Duration // wall time of the last step, later by what the clock has been paused since
	rate   float64       // sim time per wall time between steps
	paused bool
	held   time.Duration // what the clock shows while it is paused
	shown  time.Duration // the latest that was shown of this epoch
	epoch  uint64        // resets and jumps before now
	single int           // steps that may be taken although the clock is paused

	changed chan struct{} // holds one token when there may be something new for who awaits a step
	onPause []func()
}

// NewClock returns a clock at 0 that goes by fixed steps. It panics unless the step is positive.
func NewClock(wall Wall, step time.Duration) *Clock {
	if step <= 0 {
		panic("timesync: step must be positive")
	}
	return &Clock{wall: wall, step: step, at: wall.Now(), rate: 1, changed: make(chan struct{}, 1)}
}

// Step returns the length of a step.
func (c *Clock) Step() time.Duration { return c.step }

// Time returns the sim time of the last step, or of the jump after it.
func (c *Clock) Time() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time()
}

func (c *Clock) time() time.Duration { return c.origin + time.Duration(c.steps)*c.step }

// Steps returns how many steps the clock has gone since it was made, reset, or jumped.
func (c *Clock) Steps() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps
}

// Epoch returns how many resets and jumps there were. Sim times of different epochs have no order.
func (c *Clock) Epoch() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// Tick counts a step, also while the clock is paused, and returns the sim time after it.
func (c *Clock) Tick() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steps++
	c.at = c.wall.Now()
	c.held = c.time()
	c.shown = max(c.shown, c.held)
	return c.held
}

// Now returns sim time as finely as the wall clock counts: it goes on between steps at the clock's rate, but never
// reaches the next one, and never goes back but by Reset and Jump.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Duration {
	if !c.paused {
		since := time.Duration(min(float64(c.wall.Now()-c.at)*c.rate, float64(c.step-1)))
		c.shown = max(c.shown, c.time()+max(since, 0))
		return c.shown
	}
	return c.held
}

// Pause stops the clock at what it shows.
func (c *Clock) Pause() {
	c.mu.Lock()
	was := c.paused
	c.held, c.paused = c.now(), true
	c.mu.Unlock()
	c.tellPause(!was)
}

// Resume lets a paused clock go on from what it shows.
func (c *Clock) Resume() {
	c.mu.Lock()
	was := c.paused
	if was {
		c.paused, c.single = false, 0
		c.carryOn(c.held)
		c.wake()
	}
	c.mu.Unlock()
	c.tellPause(was)
}

// OnPause calls f whenever the clock has been paused or resumed, by the goroutine that did it. It must be called before
// others use the clock.
func (c *Clock) OnPause(f func()) { c.onPause = append(c.onPause, f) }

func (c *Clock) tellPause(changed bool) {
	if changed {
		for _, f := range c.onPause {
			f()
		}
	}
}

// Advance lets a paused clock take single steps. It does nothing unless the clock is paused.
func (c *Clock) Advance(steps int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused {
		c.single += max(steps, 0)
		c.wake()
	}
}

func (c *Clock) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Await returns when a step may be taken, which it counts if the clock is paused, or when ctx ends. It reports whether
// it had to wait. While it waits, it calls poked, unless that is nil, after each Poke.
func (c *Clock) Await(ctx context.Context, poked func()) (waited bool) {
	for ctx.Err() == nil && !c.mayStep() {
		waited = true
		if poked != nil {
			poked()
		}
		select {
		case <-c.changed:
		case <-ctx.Done():
		}
	}
	return waited
}

// Poke has Await call its function.
func (c *Clock) Poke() { c.wake() }

func (c *Clock) mayStep() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused && c.single > 0 {
		c.single--
		return true
	}
	return !c.paused
}

// carryOn has the clock show a time now.
func (c *Clock) carryOn(shown time.Duration) {
	c.at = c.wall.Now()
	if c.rate > 0 {
		c.at -= time.Duration(float64(shown-c.time()) / c.rate)
	}
}

// Paused reports whether the clock is.
func (c *Clock) Paused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paused
}

// SetRate says how fast sim time goes between steps: the real-time factor, 1,000,000 at most. It panics when that is
// negative or NaN.
func (c *Clock) SetRate(factor float64) {
	if !(factor >= 0) {
		panic("timesync: rate must not be negative")
	}
	factor = min(factor, speedLimit)
	c.mu.Lock()
	defer c.mu.Unlock()
	if factor == c.rate {
		return
	}
	shown := c.now()
	c.rate = factor
	if !c.paused {
		c.carryOn(shown)
	}
}

// Reset sets the clock to 0, paused or not as before.
func (c *Clock) Reset() { c.Jump(0) }

// Jump sets the clock to a sim time, forwards or back, from which it counts on.
func (c *Clock) Jump(to time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.origin, c.steps, c.at = to, 0, c.wall.Now()
	c.held, c.shown = to, to
	c.epoch++
}
