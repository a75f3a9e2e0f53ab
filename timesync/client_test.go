package timesync

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

// fakeClient returns a client whose timers fire only at ticks.
func fakeClient(wall *fakeWall) *Client {
	c := NewClient(wall)
	c.alarm = func(time.Duration) {}
	return c
}

// ticking returns a client that has received ticks at a factor.
func ticking(factor float64) (*Client, *fakeWall) {
	wall := &fakeWall{}
	c := fakeClient(wall)
	for n := range 101 {
		c.Tick(time.Duration(n) * step)
		if n < 100 {
			wall.now += time.Duration(float64(step) / factor)
		}
	}
	return c, wall
}

func TestClientGoesOnBetweenTicks(t *testing.T) {
	for _, f := range []float64{0.5, 1, 4} {
		c, wall := ticking(f)
		at := 100 * step
		wall.now += time.Millisecond
		if got, want := c.Now(), at+time.Duration(f*float64(time.Millisecond)); (got - want).Abs() > time.Microsecond {
			t.Errorf("factor %v: it is %v, want %v", f, got, want)
		}
		wall.now += time.Hour
		if got := c.Now(); got != at+step-1 {
			t.Errorf("factor %v: it is %v while nothing ticks, want just before the next", f, got)
		}
		if e := c.Factor(); !scalar.EqualWithinAbs(e.Factor, f, 1e-3*f) {
			t.Errorf("factor %v measured as %v", f, e.Factor)
		}
		want := time.Duration(1e9 / f)
		if p := c.Predict(time.Second); (p.Likely-want).Abs() > time.Millisecond || p.Upper < p.Likely {
			t.Errorf("factor %v: a second takes %+v", f, p)
		}
	}
}

func TestClientTimers(t *testing.T) {
	c, wall := ticking(1)
	now := 100 * step
	timer, ticker, stopped := c.NewTimer(12*time.Millisecond), c.NewTicker(10*time.Millisecond),
		c.NewTimer(time.Millisecond)
	if !stopped.Stop() || stopped.Stop() {
		t.Error("a timer is not stopped once")
	}
	var alarm time.Duration
	c.alarm = func(left time.Duration) { alarm = left }
	var fired, ticked []time.Duration
	for n := 1; n <= 10; n++ {
		wall.now += step
		c.Tick(now + time.Duration(n)*step)
		if n == 2 && (alarm-2*time.Millisecond).Abs() > time.Microsecond {
			t.Errorf("the alarm for what is due 2 ms after a tick is set to %v", alarm)
		}
		select {
		case at := <-timer.C:
			fired = append(fired, at-now)
		default:
		}
		select {
		case at := <-ticker.C:
			ticked = append(ticked, at-now)
		default:
		}
	}
	if len(fired) != 1 || fired[0] != 12*time.Millisecond || timer.Stop() {
		t.Errorf("the timer fired at %v", fired)
	}
	if len(ticked) != 5 || ticked[0] != 10*time.Millisecond || ticked[4] != 50*time.Millisecond || !ticker.Stop() {
		t.Errorf("the ticker fired at %v", ticked)
	}
	select {
	case <-stopped.C:
		t.Error("a stopped timer fired")
	default:
	}
}

func TestClientSleep(t *testing.T) {
	c, _ := ticking(1)
	done := make(chan error)
	sleep := func(ctx context.Context, d time.Duration) {
		c.mu.Lock()
		n := len(c.timers)
		c.mu.Unlock()
		go func() { done <- c.Sleep(ctx, d) }()
		for asleep := false; !asleep; {
			c.mu.Lock()
			asleep = len(c.timers) > n
			c.mu.Unlock()
		}
	}
	sleep(t.Context(), 2*step)
	c.Tick(101 * step)
	c.Tick(103 * step)
	if err := <-done; err != nil {
		t.Error(err)
	}
	sleep(t.Context(), time.Hour)
	c.Tick(0)
	if err := <-done; !errors.Is(err, ErrTimeJumped) {
		t.Errorf("error %v of a sleeper when time goes back", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	sleep(ctx, time.Hour)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || len(c.timers) != 0 {
		t.Errorf("error %v of a sleeper that was woken; %d timers left", err, len(c.timers))
	}
}

// For any ticks, time goes back only with them and never runs ahead by a step, and a ticker fires at multiples of its
// period.
func TestClientProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wall := &fakeWall{}
		c := fakeClient(wall)
		period := time.Duration(rapid.Int64Range(1e6, 1e8).Draw(t, "period"))
		ticker := c.NewTicker(period)
		var sim, last, fired time.Duration
		for range rapid.IntRange(1, 200).Draw(t, "n") {
			wall.now += time.Duration(rapid.Int64Range(0, 2e7).Draw(t, "wall"))
			back := false
			switch rapid.IntRange(0, 9).Draw(t, "do") {
			case 0:
				to := time.Duration(rapid.Int64Range(0, 1e10).Draw(t, "jump"))
				back, sim = to < sim, to
			case 1: // late or lost
			default:
				sim += step
			}
			c.Tick(sim)
			now := c.Now()
			if now < sim || !back && now < last {
				t.Fatalf("it is %v after %v, the last tick was %v", now, last, sim)
			}
			if back {
				fired = math.MinInt64
			}
			last = now
			select {
			case at := <-ticker.C:
				if at > now || fired > 0 && at-fired < period {
					t.Fatalf("a ticker of %v fired at %v, it is %v, before at %v", period, at, now, fired)
				}
				fired = at
			default:
			}
		}
		ticker.Stop()
	})
}
