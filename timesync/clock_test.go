package timesync

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func TestClockDoesNotDrift(t *testing.T) {
	const odd = 3333333 * time.Nanosecond
	c := NewClock(&fakeWall{}, odd)
	c.steps = 1e9 - 1
	must.Equal(t, c.Tick(), 1e9*odd, "time after 10⁹ steps of %v", odd)
}

func TestClockGoesOnBetweenSteps(t *testing.T) {
	wall := &fakeWall{}
	c := NewClock(wall, step)
	c.SetRate(2)
	for _, x := range []struct{ wall, want time.Duration }{{0, 0}, {1, 2}, {time.Millisecond, 2 * time.Millisecond},
		{time.Second, step - 1}} {
		if wall.now = x.wall; c.Now() != x.want {
			t.Errorf("%v after a step, at twice real time, it is %v, want %v", x.wall, c.Now(), x.want)
		}
	}
	if c.Tick(); c.Now() != step {
		t.Errorf("after a step it is %v", c.Now())
	}
	wall.now += time.Millisecond
	c.Pause()
	wall.now += time.Hour
	must.Equal(t, c.Now(), step+2*time.Millisecond, "paused at")
	c.Resume()
	wall.now += 500 * time.Microsecond
	must.Equal(t, c.Now(), step+3*time.Millisecond, "resumed at")
}

// Through any sequence of steps, pauses, jumps and rates the clock goes back only at a jump, never reaches the next
// step, and counts each step once.
func TestClockProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wall := &fakeWall{}
		c := NewClock(wall, time.Duration(rapid.Int64Range(1, 5e7).Draw(t, "step")))
		var origin, last time.Duration
		steps := int64(0)
		for range rapid.IntRange(1, 300).Draw(t, "n") {
			wall.now += time.Duration(rapid.Int64Range(0, 2*int64(c.Step())).Draw(t, "wall"))
			paused := c.Paused()
			switch rapid.IntRange(0, 8).Draw(t, "do") {
			case 0, 1, 2:
				steps++
				if got, want := c.Tick(), origin+time.Duration(steps)*c.Step(); got != want || c.Time() != want ||
					c.Steps() != steps {
					t.Fatalf("step %d is at %v, want %v", steps, got, want)
				}
			case 3:
				if c.Pause(); !c.Paused() {
					t.Fatal("it is not paused")
				}
			case 4:
				if c.Resume(); c.Paused() {
					t.Fatal("it is paused")
				}
			case 5:
				c.SetRate(rapid.Float64Range(0, 100).Draw(t, "rate"))
			case 6:
				epoch := c.Epoch()
				origin, steps = time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "to")), 0
				c.Jump(origin)
				if last = origin; c.Epoch() != epoch+1 || c.Now() != origin || c.Paused() != paused {
					t.Fatal("the jump is not one")
				}
			case 7:
				n := rapid.IntRange(0, 3).Draw(t, "single")
				c.Advance(n)
				for range n {
					if paused && !c.mayStep() {
						t.Fatal("a single step is missing")
					}
				}
				if paused && c.mayStep() {
					t.Fatal("there is a single step too many")
				}
			}
			now := c.Now()
			if now < last || now >= c.Time()+c.Step() || now < c.Time() {
				t.Fatalf("it is %v, after %v; the last step was at %v", now, last, c.Time())
			}
			last = now
		}
	})
}

func TestAwait(t *testing.T) {
	c := NewClock(&fakeWall{}, step)
	if c.Await(t.Context(), nil) {
		t.Error("a clock that runs was waited for")
	}
	c.Pause()
	looks := 0
	if !c.Await(t.Context(), func() {
		switch looks++; looks {
		case 1:
			c.Poke()
		case 2:
			c.Advance(1)
		}
	}) || looks != 2 {
		t.Errorf("looked around %d times, want 2", looks)
	}
	if !c.Await(t.Context(), c.Resume) {
		t.Error("a paused clock was not waited for")
	}
	c.Pause()
	ctx, cancel := context.WithCancel(t.Context())
	c.Await(ctx, cancel) // returns
}

func TestCadenceIsDueAtTheFirstStepOfEachPeriod(t *testing.T) {
	for _, rate := range []float64{0, 1, 3, 7, 30, 50, 200, 1000} {
		c := NewCadence(rate)
		last := int64(-1)
		for k := range int64(1_000_000) {
			n := k // number of the period; steps of 5 ms
			if rate > 0 {
				n = k * int64(rate) / 200
			}
			if due := c.Due(time.Duration(k) * step); due != (n > last) {
				t.Fatalf("%v Hz: due is %v at step %d", rate, due, k)
			}
			last = n
		}
	}
}
