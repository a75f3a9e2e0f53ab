package timesync

import (
	"context"
	"math"
	"sync"
	"time"
)

// Clock is the clock of sim time. It counts whole steps of integer nanoseconds, and interpolates between two steps by
// wall time. One goroutine takes the steps; any goroutine may call the methods of the Clock.
type Clock struct {
	wall Wall
	step time.Duration

	mu       sync.Mutex
	origin   time.Duration // sim time of step 0; not 0 if the clock has jumped to another time
	steps    int64         // number of steps since the clock was at origin
	stepWall time.Duration // wall time of the last step, plus the time for which the clock has been paused since then
	rate     float64       // sim time over wall time, for the interpolation between steps
	paused   bool
	held     time.Duration // the result of Now while the clock is paused
	shown    time.Duration // latest result of Now in this epoch
	epoch    uint64        // number of resets and jumps
	single   int           // number of steps that may still be taken although the clock is paused

	changed chan struct{} // holds an element when Await has to check again
	onPause []func()
}

// NewClock returns a clock at time 0 that advances by fixed steps. It panics if the step is not positive.
func NewClock(wall Wall, step time.Duration) *Clock {
	if step <= 0 {
		panic("timesync: step must be positive")
	}
	return &Clock{wall: wall, step: step, stepWall: wall.Now(), rate: 1, changed: make(chan struct{}, 1)}
}

// Step returns the length of a step.
func (c *Clock) Step() time.Duration { return c.step }

// Time returns the sim time that the last step reached, or the last jump if that was later.
func (c *Clock) Time() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time()
}

func (c *Clock) time() time.Duration { return c.origin + time.Duration(c.steps)*c.step }

// Steps returns the number of steps since the clock was made or reset, or since it last jumped.
func (c *Clock) Steps() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steps
}

// Epoch returns the number of resets and jumps. Sim times of different epochs cannot be compared.
func (c *Clock) Epoch() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// Tick counts a step, even while the clock is paused, and returns the sim time after it.
func (c *Clock) Tick() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steps++
	c.stepWall = c.wall.Now()
	c.held = c.time()
	c.shown = max(c.shown, c.held)
	return c.held
}

// Now returns the present sim time, interpolated with the resolution of the wall clock. Between two steps the result
// grows at the clock's rate, but does not reach the time of the next step. It goes back only at Reset and Jump.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Duration {
	if !c.paused {
		since := time.Duration(min(float64(c.wall.Now()-c.stepWall)*c.rate, float64(c.step-1)))
		c.shown = max(c.shown, c.time()+max(since, 0))
		return c.shown
	}
	return c.held
}

// Pause stops the clock at its present value.
func (c *Clock) Pause() {
	c.mu.Lock()
	was := c.paused
	c.held, c.paused = c.now(), true
	c.mu.Unlock()
	c.notifyPause(!was)
}

// Resume starts a paused clock at the value where it stopped.
func (c *Clock) Resume() {
	c.mu.Lock()
	was := c.paused
	if was {
		c.paused, c.single = false, 0
		c.continueFrom(c.held)
		c.wake()
	}
	c.mu.Unlock()
	c.notifyPause(was)
}

// OnPause registers f to be called after each pause and resume, by the goroutine that paused or resumed. It must be
// called before other goroutines use the clock.
func (c *Clock) OnPause(f func()) { c.onPause = append(c.onPause, f) }

func (c *Clock) notifyPause(changed bool) {
	if changed {
		for _, f := range c.onPause {
			f()
		}
	}
}

// Advance allows the run to take a number of further steps although the clock is paused. It does nothing if the clock
// is not paused.
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

// Await blocks until a step may be taken, or until ctx ends, and reports whether it had to wait. If the clock is
// paused, Await uses up one of the steps that Advance has allowed. If it has to wait, it calls the function poked when
// it begins to wait, and after each Poke. The function may be nil.
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

// Poke makes a waiting Await call its function poked.
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

// continueFrom sets the interpolation so that the result of Now continues from the given sim time.
func (c *Clock) continueFrom(shown time.Duration) {
	c.stepWall = c.wall.Now()
	if c.rate > 0 {
		c.stepWall -= time.Duration(float64(shown-c.time()) / c.rate)
	}
}

// Paused reports whether the clock is paused.
func (c *Clock) Paused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paused
}

// SetRate sets how fast Now advances between steps, as a real-time factor of at most 1,000,000. It panics if the factor
// is negative or NaN.
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
		c.continueFrom(shown)
	}
}

// Reset sets the clock to 0. A paused clock stays paused.
func (c *Clock) Reset() { c.Jump(0) }

// Jump sets the clock forwards or back to a sim time. The clock continues from there.
func (c *Clock) Jump(to time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.origin, c.steps, c.stepWall = to, 0, c.wall.Now()
	c.held, c.shown = to, to
	c.epoch++
}

// Cadence is a rate in sim time. A cadence is due at time 0. After that, it is due at the first step that reaches the
// end of each period.
type Cadence struct {
	rate float64 // Hz; 0 for every step
	next time.Duration
}

// NewCadence returns a cadence with the given rate: periods per second of sim time. A cadence of rate 0 is due at every
// step.
func NewCadence(rate float64) Cadence { return Cadence{rate: rate} }

// Due reports whether the cadence is due at the given sim time. If it is due, Due also starts the next period.
func (c *Cadence) Due(now time.Duration) bool {
	if now < c.next {
		return false
	}
	if c.rate > 0 {
		n := math.Floor(now.Seconds()*c.rate + 1e-9) // the margin covers rounding of a period that ends at a step
		c.next = time.Duration((n + 1) / c.rate * float64(time.Second))
	}
	return true
}
