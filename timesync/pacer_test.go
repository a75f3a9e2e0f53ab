package timesync

import (
	"context"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// begin makes a pacer wait for a step, and returns the wall time at which the step began.
func begin(p *Pacer, sim time.Duration) time.Duration {
	p.Wait(context.Background(), sim)
	return p.Began()
}

func TestPacerHoldsTheFactor(t *testing.T) {
	for _, f := range []float64{0.5, 1, 4} {
		wall := &fakeWall{}
		p := NewPacer(wall, step, Factor(f), Plan{})
		for n := range 2001 {
			begin(p, time.Duration(n)*step)
			wall.now += 700 * time.Microsecond // cost of a step
			p.Done(Work{})
		}
		want := time.Duration(2000 * float64(step) / f)
		must.Equal(t, wall.now-700*time.Microsecond, want, "factor %v: 2000 steps", f)
		if l := p.Lateness(); l.Worst != 0 || l.Steps != 2000 {
			t.Errorf("factor %v: lateness %+v", f, l)
		}
	}
}

func TestPacerMaxNeverWaits(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, Max, Plan{})
	for n := range 100 {
		begin(p, time.Duration(n)*step)
		p.Done(Work{})
	}
	if wall.now != 0 {
		t.Errorf("waited %v at speed max", wall.now)
	}
}

func TestPacerCatchesUpShortHiccupsAndForgetsLongOnes(t *testing.T) {
	for _, c := range []struct {
		hiccup, end time.Duration
		held        float64
	}{
		{100 * time.Millisecond, time.Second, 1},                           // caught up
		{10 * time.Second, time.Second + 10*time.Second - 0*step, 1. / 11}, // given up
	} {
		wall := &fakeWall{}
		p := NewPacer(wall, step, RealTime, Plan{})
		last, least := time.Duration(-1), time.Duration(math.MaxInt64)
		for n := 0; n <= 200; n++ {
			now := begin(p, time.Duration(n)*step)
			if last >= 0 {
				least = min(least, now-last)
			}
			last = now
			if n == 50 {
				wall.now += c.hiccup
			}
			p.Done(Work{})
		}
		if d := wall.now - c.end; d > step || d < -step {
			t.Errorf("after a hiccup of %v the run ended at %v, want %v", c.hiccup, wall.now, c.end)
		}
		if held := p.Lateness().Held; !(math.Abs(held-c.held) < 0.001) {
			t.Errorf("after a hiccup of %v: held %v of the speed, want %v", c.hiccup, held, c.held)
		}
		if want := time.Duration(step.Seconds() / maxRush * 1e9); least < want-1 {
			t.Errorf("after a hiccup of %v a step came %v after another, want %v at least", c.hiccup, least, want)
		}
	}
}

// For any changes of speed, steps begin in order, never before they are due, and never faster than the limit for
// catching up.
func TestPacerProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wall := &fakeWall{}
		p := NewPacer(wall, step, RealTime, Plan{})
		sim, last := time.Duration(0), time.Duration(0)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "do") {
			case 0:
				p.SetSpeed(rapid.SampledFrom([]Speed{Max, RealTime, Steady, Factor(0.3), Factor(7), Lockstep}).Draw(t,
					"speed"))
			case 1:
				p.Restart()
			case 2:
				sim = time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "jump")) // a reset or jump
			}
			wall.now += time.Duration(rapid.Int64Range(0, int64(step)).Draw(t, "outside"))
			fresh := !p.anchored || sim != p.sim+p.step
			f := p.Factor()
			due := p.due(sim)
			now := begin(p, sim)
			if now < last {
				t.Fatalf("a step began at %v, after one at %v", now, last)
			}
			if !fresh && f > 0 && now < due {
				t.Fatalf("a step began at %v, due at %v", now, due)
			}
			if f > 0 && !fresh && now-due <= maxLag &&
				!(float64(now-last) >= float64(step)/max(f, p.Factor())/maxRush-1) {
				t.Fatalf("a step began %v after another at factor %v", now-last, f)
			}
			last = now
			wall.now += time.Duration(rapid.Int64Range(0, int64(400*time.Millisecond)).Draw(t, "cost"))
			p.Done(Work{Idle: time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "idle"))})
			if fc := p.Predict(sim, 10*step); fc.Likely < 0 || fc.Upper < fc.Likely {
				t.Fatalf("forecast %+v", fc)
			}
			sim += step
		}
	})
}

// At speed steady the factor is what the load allows. It follows a change of load within a second, and then stays.
func TestSteady(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, Steady, Plan{})
	sim := time.Duration(0)
	run := func(d, cost time.Duration) (changes int) {
		last := p.Factor()
		for end := wall.now + d; wall.now < end; sim += step {
			begin(p, sim)
			wall.now += cost
			p.Done(Work{})
			if f := p.Factor(); f != last {
				changes, last = changes+1, f
			}
		}
		return changes
	}
	holds := func(cost time.Duration) {
		t.Helper()
		if f, most := p.Factor(), step.Seconds()/cost.Seconds(); !(f <= most) || !(f >= 0.5*most) {
			t.Errorf("factor %v is held where %v is possible", f, most)
		}
	}
	run(2*time.Second, time.Millisecond)
	holds(time.Millisecond)
	if n := run(20*time.Second, time.Millisecond); n > 1 {
		t.Errorf("the factor changed %d times under one load", n)
	}
	run(time.Second+noticeWall, 100*time.Microsecond)
	run(time.Second+noticeWall, 100*time.Microsecond)
	holds(100 * time.Microsecond)
	run(2*time.Second, 2*time.Millisecond)
	holds(2 * time.Millisecond)
	if n := run(20*time.Second, 2*time.Millisecond); n > 1 {
		t.Errorf("the factor changed %d times under one load", n)
	}
}

func TestParseSpeed(t *testing.T) {
	for in, want := range map[string]Speed{"realtime": RealTime, "max": Max, "steady": Steady, "lockstep": Lockstep,
		"1": RealTime, "0.5": Factor(0.5), "4": Factor(4)} {
		if got, err := ParseSpeed(in); err != nil || got != want {
			t.Errorf("ParseSpeed(%q) = %v, %v", in, got, err)
		} else if back, _ := ParseSpeed(got.String()); back != want {
			t.Errorf("ParseSpeed(%q) = %v after String()", got.String(), back)
		}
	}
	for _, in := range []string{"", "fast", "-1", "0", "NaN", "inf", "1e300"} {
		if _, err := ParseSpeed(in); err == nil {
			t.Errorf("ParseSpeed(%q) succeeded", in)
		}
	}
}
