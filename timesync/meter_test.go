package timesync

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
)

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
	e := m.Estimate()
	if !scalar.EqualWithinAbs(m.Factor(), 2, 0.04) || e.Factor != m.Factor() {
		t.Errorf("Factor() = %v, want 2 within the burst's share of the window", m.Factor())
	}
	if !(e.Error > 0 && e.Error < 0.1) || !scalar.EqualWithinAbs(e.Factor, 2, 4*e.Error) {
		t.Errorf("Estimate() = %+v: the error is wrong", e)
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
	if got := m.Factor(); !scalar.EqualWithinAbs(got, 0.5, 0.01) {
		t.Errorf("Factor() = %v one window after the change, want 0.5", got)
	}
}

func TestMeterStartsAfreshAfterAReset(t *testing.T) {
	m := NewMeter(time.Second)
	if !math.IsNaN(m.Factor()) || !math.IsNaN(m.Estimate().Error) {
		t.Errorf("Factor() = %v before any step, want NaN", m.Factor())
	}
	for n := range 100 {
		m.Add(time.Duration(n)*step, time.Duration(n)*step)
	}
	m.Add(100*step, 0)
	for n := range 100 {
		m.Add((101+time.Duration(n))*step, (1+time.Duration(n))*3*step)
	}
	if got := m.Factor(); !scalar.EqualWithinAbs(got, 3, 0.05) {
		t.Errorf("Factor() = %v after a reset, want 3", got)
	}
}

// A suspension does not count as slowness.
func TestMeterLeavesOutWhatWasSuspended(t *testing.T) {
	m := NewMeter(time.Second)
	var wall, sim time.Duration
	for n := range 1000 {
		m.Add(wall, sim)
		wall, sim = wall+step, sim+step
		if n == 700 {
			wall += 2 * time.Second
		}
		if got := m.Factor(); n > 10 && !scalar.EqualWithinAbs(got, 1, 1e-9) {
			t.Fatalf("Factor() = %v at step %d", got, n)
		}
	}
	// Steps that always take that long are no suspension.
	for range 100 {
		m.Add(wall, sim)
		wall, sim = wall+time.Second, sim+step
	}
	if got := m.Factor(); !scalar.EqualWithinAbs(got, 0.005, 1e-4) {
		t.Errorf("Factor() = %v of steps that take a second, want 0.005", got)
	}
}

// A simulation that waits seconds for each image, and computes the steps between in no time, was not suspended.
func TestMeterCountsWhatWasWaitedFor(t *testing.T) {
	m := NewMeter(time.Second)
	var wall, sim time.Duration
	for n := range 200 {
		if n%20 == 19 { // ten images a second, each of which takes 5 s
			wall += 5 * time.Second
			m.Waited(5*time.Second - time.Millisecond)
		}
		wall, sim = wall+100*time.Microsecond, sim+step
		m.Add(wall, sim)
		// a window is shorter than an image: it may contain one step only
		if got := m.Factor(); n >= 20 && !(got > 0 && got < 0.021) {
			t.Errorf("Factor() = %v at step %d, want at most 0.02", got, n)
		}
	}
}
