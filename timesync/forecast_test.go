package timesync

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// fakeRun runs n steps, and at each step makes a forecast over a number of steps. It returns the mean error of the
// forecasts in percent, and the fraction of the forecasts whose upper bound was exceeded.
func fakeRun(p *Pacer, wall *fakeWall, n, ahead int, step1 func(k int) Work) (off, over float64) {
	var forecasts []Forecast
	var begins []time.Duration
	compared := 0.0
	for k := range n {
		begins = append(begins, begin(p, time.Duration(k)*step))
		forecasts = append(forecasts, p.Predict(time.Duration(k)*step, time.Duration(ahead)*step))
		if first := k - ahead; first > n/2 {
			took := begins[k] - begins[first]
			off += math.Abs(float64(forecasts[first].Likely-took)) / float64(took)
			if took > forecasts[first].Upper {
				over++
			}
			compared++
		}
		p.Done(step1(k))
	}
	return 100 * off / compared, over / compared
}

// At a pace, a schedule in which every seventh step takes longer than its period is predicted exactly.
func TestPredictKnowsTheSchedule(t *testing.T) {
	kind := func(k int) uint64 { return uint64(k%7) / 6 }
	for _, ahead := range []int{1, 2, 10, 100} {
		wall := &fakeWall{}
		p := NewPacer(wall, step, RealTime, Plan{Steps: func(from time.Duration, n int, steps []PlannedStep,
			jobs []Job) ([]PlannedStep, []Job) {
			for i := range n {
				steps = append(steps, PlannedStep{Kind: kind(int(from/step) + i)})
			}
			return steps, jobs
		}})
		off, _ := fakeRun(p, wall, 4000, ahead, func(k int) Work {
			wall.now += 15*time.Microsecond + time.Duration(kind(k))*7*time.Millisecond
			return Work{Kind: kind(k)}
		})
		if !(off <= 0.1) {
			t.Errorf("%d steps ahead the mean error is %.2f %%", ahead, off)
		}
	}
}

// withJobs returns a real-time run in which every seventh step submits a job that the fifth step after it needs, and a
// function that does a step.
func withJobs(takes func(job int) time.Duration) (p *Pacer, wall *fakeWall, step1 func(k int) Work) {
	const every, later, own = 7, 5, 100 * time.Microsecond
	wall = &fakeWall{}
	var jobs []Job // not done
	p = NewPacer(wall, step, RealTime, Plan{Workers: 1, Steps: func(from time.Duration, n int, steps []PlannedStep,
		under []Job) ([]PlannedStep, []Job) {
		given := len(jobs)
		for i := range n {
			s := PlannedStep{}
			switch (int(from/step) + i) % every {
			case 0:
				s.Job, given = 1, given+1
			case later:
				s.Need = given
			}
			steps = append(steps, s)
		}
		for _, j := range jobs {
			if end := j.Begun + takes(int(from/step)/every); end <= wall.now {
				j.Done = end
			}
			under = append(under, j)
		}
		return steps, under
	}})
	return p, wall, func(k int) (w Work) {
		wall.now += own
		switch k % every {
		case 0:
			jobs = append(jobs, Job{Kind: 1, Begun: wall.now})
		case later:
			j := jobs[0]
			j.Done = j.Begun + takes(k/every)
			w.Idle = max(j.Done-wall.now, 0)
			wall.now += w.Idle
			p.JobDone(j)
			jobs = jobs[:0]
		}
		return w
	}
}

// A job that takes longer than the 25 ms until its result is needed delays that step.
func TestPredictKnowsJobs(t *testing.T) {
	p, wall, step1 := withJobs(func(int) time.Duration { return 30 * time.Millisecond })
	if off, _ := fakeRun(p, wall, 4000, 10, step1); !(off <= 0.1) {
		t.Errorf("the mean error is %.2f %%", off)
	}
}

// At speed max the moving mean follows bursts of 200 steps that take twice as long.
func TestPredictFollowsBursts(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, Max, Plan{})
	off, _ := fakeRun(p, wall, 20000, 10, func(k int) Work {
		wall.now += time.Duration(1+k/200%2) * time.Millisecond
		return Work{}
	})
	if !(off <= 10) { // a constant 1.5 ms is off by 42
		t.Errorf("the mean error is %.1f %%", off)
	}
}

// One forecast in twenty exceeds its upper bound.
func TestUpperIsAQuantile(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, Max, Plan{})
	noise := uint64(1)
	_, over := fakeRun(p, wall, 40000, 1, func(int) Work {
		noise = noise*6364136223846793005 + 1442695040888963407
		wall.now += time.Millisecond + time.Duration(noise>>44) // up to 1 ms more
		return Work{}
	})
	must.Near(t, "share of forecasts that exceed the upper bound", over, 0.05, 0.02)
}

func TestPredictAllocatesNothing(t *testing.T) {
	p, wall, step1 := withJobs(func(job int) time.Duration { return time.Duration(10+job%5) * time.Millisecond })
	fakeRun(p, wall, 3000, 10, step1)
	k := 3000
	if n := testing.AllocsPerRun(1000, func() {
		begin(p, time.Duration(k)*step)
		p.Predict(p.sim, 100*step)
		p.Done(step1(k))
		k++
	}); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}

func BenchmarkPredict(b *testing.B) {
	p, wall, step1 := withJobs(func(job int) time.Duration { return time.Duration(10+job%5) * time.Millisecond })
	fakeRun(p, wall, 3000, 10, step1)
	b.ReportAllocs()
	for b.Loop() {
		p.Predict(p.sim, 100*step)
	}
}

// Every fourth second of sim time takes twice as long. The scores give the errors of forecasts over 0.1 s and over 1 s.
func TestForecastsAreScored(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, Max, Plan{})
	for k := range 20000 {
		if k == 10*int(time.Second/step) {
			if got := p.Forecasts(); len(got) != 1 || got[0].Horizon != time.Second/10 {
				t.Errorf("scores after 10 s are %+v, want one, over 0.1 s", got)
			}
		}
		begin(p, time.Duration(k)*step)
		wall.now += time.Millisecond
		if k/200%4 == 0 {
			wall.now += time.Millisecond
		}
		p.Done(Work{})
	}
	scores := p.Forecasts()
	if len(scores) != 2 || scores[0].N != 999 || scores[1].N != 99 {
		t.Fatalf("scores %+v, want 999 forecasts over 0.1 s and 99 over 1 s", scores)
	}
	if s := scores[0]; !(s.Median < 0.05) || !(s.P90 < 0.2) || !(s.WithinUpper > 0.9) {
		t.Errorf("score over 0.1 s is %+v: want a small error", s)
	}
	if s := scores[1]; !(s.Median > 0.03 && s.Median < 0.5) || !(s.P90 > s.Median) {
		t.Errorf("score over 1 s is %+v: want a larger error", s)
	}
}

const ms = time.Millisecond

// An Outlook interpolates between forecasts, extrapolates from the last two, and shifts to a later start.
func TestOutlook(t *testing.T) {
	o := &Outlook{From: time.Second, Ahead: []time.Duration{10 * ms, 20 * ms, 40 * ms},
		Forecasts: []Forecast{{5 * ms, 6 * ms}, {25 * ms, 30 * ms}, {35 * ms, 42 * ms}}}
	for _, c := range []struct {
		now, sim      time.Duration
		likely, upper time.Duration
	}{
		{0, 10 * ms, 5 * ms, 6 * ms}, {0, 5 * ms, 2500 * time.Microsecond, 3 * ms}, {0, 15 * ms, 15 * ms, 18 * ms},
		{0, 80 * ms, 55 * ms, 66 * ms},
		{10 * ms, 10 * ms, 20 * ms, 25 * ms}, {30 * ms, 10 * ms, 5 * ms, 12 * ms}, {50 * ms, 20 * ms, 10 * ms, 20 * ms},
		{20 * ms, 0, 0, 5 * ms},
	} {
		if got := o.Wall(o.From+c.now, c.sim); got != (Forecast{c.likely, c.upper}) {
			t.Errorf("%v later, %v: %+v, want %v and %v", c.now, c.sim, got, c.likely, c.upper)
		}
	}
	if likely, least := o.Sim(o.From, 15*ms); likely != 15*ms || least != 13750*time.Microsecond {
		t.Errorf("in 15 ms likely %v, at least %v, want 15ms and 13.75ms", likely, least)
	}
	unknown := &Outlook{}
	likely, least := unknown.Sim(time.Second, time.Second)
	if f := unknown.Wall(time.Second, time.Second); f != (Forecast{}) || likely != 0 || least != 0 {
		t.Errorf("an empty Outlook says %+v, %v, %v", f, likely, least)
	}
}

// Sim is the inverse of Wall.
func TestOutlookInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := &Outlook{}
		var sim, wall time.Duration
		for range rapid.IntRange(1, 8).Draw(t, "forecasts") {
			sim += time.Duration(rapid.Int64Range(int64(ms), int64(time.Second)).Draw(t, "sim"))
			wall += time.Duration(rapid.Int64Range(int64(ms), int64(time.Second)).Draw(t, "wall"))
			o.Ahead, o.Forecasts = append(o.Ahead, sim), append(o.Forecasts, Forecast{wall, wall})
		}
		now := time.Duration(rapid.Int64Range(0, int64(2*sim)).Draw(t, "now"))
		d := time.Duration(rapid.Int64Range(0, int64(2*sim)).Draw(t, "ahead"))
		likely, least := o.Sim(now, o.Wall(now, d).Likely)
		// rounding to ns, up to 1000 times as much on the other scale
		if off := (likely - d).Abs(); off > 2*time.Microsecond || least != likely {
			t.Fatalf("%v take %v, in which %v, at least %v, go by", d, o.Wall(now, d), likely, least)
		}
	})
}

// From the announced sim time on, steps are paced to the announced factor, and forecasts have taken it into account.
func TestAnnouncedFactorComes(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, Steady, Plan{})
	announced := 0
	var next float64
	var from, sim time.Duration
	for n := range 4000 {
		sim = time.Duration(n) * step
		before := wall.now
		begin(p, sim)
		if next > 0 && sim >= from {
			if announced++; p.Factor() != next {
				t.Errorf("at %v the factor is %v, announced was %v from %v on", sim, p.Factor(), next, from)
			}
		} else if next > 0 && before < wall.now && p.Factor() == next {
			t.Errorf("at %v the factor is %v before its time, %v", sim, next, from)
		}
		cost := 2 * ms
		if n > 2000 {
			cost = ms / 2
		}
		wall.now += cost
		p.Done(Work{})
		next, from = p.Announced()
	}
	if announced == 0 {
		t.Error("nothing was announced although steps take a quarter of the time")
	}
}

func TestClockTellsPauses(t *testing.T) {
	c := NewClock(&fakeWall{}, step)
	var told []bool
	c.OnPause(func() { told = append(told, c.Paused()) })
	c.Resume()
	c.Pause()
	c.Pause()
	c.Resume()
	if len(told) != 2 || !told[0] || told[1] {
		t.Errorf("told %v, want a pause and its end", told)
	}
}
