package timesync

import (
	"context"
	"math"
	"testing"
	"time"
)

// fakeWall moves only when told to, or when somebody sleeps.
type fakeWall struct{ now time.Duration }

func (w *fakeWall) Now() time.Duration                       { return w.now }
func (w *fakeWall) Sleep(_ context.Context, d time.Duration) { w.now += max(d, 0) }

const step = 5 * time.Millisecond

func TestPacerHoldsTheFactor(t *testing.T) {
	for _, speed := range []Speed{0.5, RealTime, 4} {
		wall := &fakeWall{}
		p := NewPacer(wall, speed)
		for n := range 2001 {
			p.Wait(context.Background(), time.Duration(n)*step)
			wall.now += 700 * time.Microsecond // what a step costs
		}
		want := time.Duration(2000 * float64(step) / float64(speed))
		if got := wall.now - 700*time.Microsecond; got != want {
			t.Errorf("speed %v: 2000 steps took %v, want %v", speed, got, want)
		}
	}
}

func TestPacerMaxNeverSleeps(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, Max)
	for n := range 100 {
		p.Wait(context.Background(), time.Duration(n)*step)
	}
	if wall.now != 0 {
		t.Errorf("slept %v at speed max", wall.now)
	}
}

func TestPacerCatchesUpShortHiccupsAndForgetsLongOnes(t *testing.T) {
	for _, c := range []struct{ hiccup, end time.Duration }{
		{100 * time.Millisecond, time.Second},                     // caught up
		{10 * time.Second, time.Second + 10*time.Second - 0*step}, // given up
	} {
		wall := &fakeWall{}
		p := NewPacer(wall, RealTime)
		for n := 0; n <= 200; n++ {
			p.Wait(context.Background(), time.Duration(n)*step)
			if n == 50 {
				wall.now += c.hiccup
			}
		}
		if d := wall.now - c.end; d > step || d < -step {
			t.Errorf("after a hiccup of %v the run ended at %v, want %v", c.hiccup, wall.now, c.end)
		}
	}
}

func TestMeterAveragesBursts(t *testing.T) {
	m := NewMeter(time.Second)
	var wall, sim time.Duration
	for n := range 4000 { // six steps of 15 µs, then one that renders: together 5 ms of sim time take 2.5 ms
		m.Add(wall, sim)
		sim += step
		if n%7 == 6 {
			wall += 7*step/2 - 6*15*time.Microsecond
		} else {
			wall += 15 * time.Microsecond
		}
	}
	if got := m.Factor(); math.Abs(got-2) > 0.04 {
		t.Errorf("Factor() = %v, want 2 within the burst's share of the window", got)
	}
}

func TestMeterFollowsAChangeWithinItsWindow(t *testing.T) {
	m := NewMeter(time.Second)
	var wall, sim time.Duration
	for range 1000 {
		m.Add(wall, sim)
		wall, sim = wall+step, sim+step
	}
	for range 210 {
		m.Add(wall, sim)
		wall, sim = wall+step, sim+step/2
	}
	if got := m.Factor(); math.Abs(got-0.5) > 0.01 {
		t.Errorf("Factor() = %v one window after the change, want 0.5", got)
	}
}

func TestMeterStartsAfreshAfterAReset(t *testing.T) {
	m := NewMeter(time.Second)
	if !math.IsNaN(m.Factor()) {
		t.Errorf("Factor() = %v before any step, want NaN", m.Factor())
	}
	for n := range 100 {
		m.Add(time.Duration(n)*step, time.Duration(n)*step)
	}
	m.Add(100*step, 0)
	for n := range 100 {
		m.Add((101+time.Duration(n))*step, (1+time.Duration(n))*3*step)
	}
	if got := m.Factor(); math.Abs(got-3) > 0.05 {
		t.Errorf("Factor() = %v after a reset, want 3", got)
	}
}

func TestParseSpeed(t *testing.T) {
	for in, want := range map[string]Speed{"realtime": 1, "max": 0, "0.5": 0.5, "4": 4} {
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

func BenchmarkMeterAdd(b *testing.B) {
	b.ReportAllocs()
	m := NewMeter(time.Second)
	for n := range b.N {
		m.Add(time.Duration(n)*100*time.Microsecond, time.Duration(n)*step)
	}
}
