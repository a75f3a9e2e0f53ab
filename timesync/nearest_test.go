package timesync

import (
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
)

// Of steps of 1 ms of which one in eight takes 3 ms, most take 1 ms, and 1.25 ms in the mean.
func TestLikelyIsWhatMostStepsTake(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, Max, Plan{})
	noise := uint64(1)
	var f Forecast
	for k := range 20000 {
		begin(p, time.Duration(k)*step)
		f = p.Predict(time.Duration(k)*step, step)
		noise = noise*6364136223846793005 + 1442695040888963407
		wall.now += time.Millisecond
		if noise>>61 == 0 {
			wall.now += 2 * time.Millisecond
		}
		p.Done(Work{})
	}
	if got := f.Likely.Seconds() * 1e3; !scalar.EqualWithinAbs(got, 1, 0.05) {
		t.Errorf("a step is foretold to take %.3f ms, want 1", got)
	}
	if got := p.Predict(p.sim, 500*step).Likely.Seconds() * 1e3 / 500; !scalar.EqualWithinAbs(got, 1.25, 0.06) {
		t.Errorf("each of 500 steps is foretold to take %.3f ms, want 1.25", got)
	}
}

// At a pace it is the pace that tells how long steps take.
func TestLikelyKeepsThePace(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, Max, Plan{})
	for k := range 4000 {
		if k == 2000 {
			p.SetSpeed(RealTime)
		}
		begin(p, time.Duration(k)*step)
		f := p.Predict(time.Duration(k)*step, 10*step)
		if k > 2000 && f.Likely != f.Mean {
			t.Fatalf("forecast %+v", f)
		}
		wall.now += time.Duration(1+k%7/6) * time.Millisecond
		p.Done(Work{})
	}
}
