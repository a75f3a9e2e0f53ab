package timesync

import (
	"context"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

// begin has a pacer wait for a step and returns when it began.
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
			wall.now += 700 * time.Microsecond // what a step costs
			p.Done(Work{})
		}
		want := time.Duration(2000 * float64(step) / f)
		if got := wall.now - 700*time.Microsecond; got != want {
			t.Errorf("factor %v: 2000 steps took %v, want %v", f, got, want)
		}
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
	for _, c := range []struct{ hiccup, end time.Duration }{
		{100 * time.Millisecond, time.Second},                     // caught up
		{10 * time.Second, time.Second + 10*time.Second - 0*step}, // given up
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
		if want := time.Duration(step.Seconds() / maxRush * 1e9); least < want-1 {
			t.Errorf("after a hiccup of %v a step came %v after another, want %v at least", c.hiccup, least, want)
		}
	}
}

// Whatever happens to the speed, steps begin in order, never before they are due, and never sooner after each other than the rush allows.
func TestPacerProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wall := &fakeWall{}
		p := NewPacer(wall, step, RealTime, Plan{})
		sim, last := time.Duration(0), time.Duration(0)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "do") {
			case 0:
				p.SetSpeed(rapid.SampledFrom([]Speed{Max, RealTime, Steady, Factor(0.3), Factor(7), Lockstep}).Draw(t, "speed"))
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
			if f > 0 && !fresh && now-due <= maxLag && !(float64(now-last) >= float64(step)/max(f, p.Factor())/maxRush-1) {
				t.Fatalf("a step began %v after another at factor %v", now-last, f)
			}
			last = now
			wall.now += time.Duration(rapid.Int64Range(0, int64(400*time.Millisecond)).Draw(t, "cost"))
			p.Done(Work{Idle: time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "idle"))})
			if fc := p.Predict(sim, 10*step); fc.Mean < 0 || fc.Upper < fc.Mean {
				t.Fatalf("forecast %+v", fc)
			}
			sim += step
		}
	})
}

// fakeRun runs steps whose cost a function tells, and returns the mean error of forecasts of so many steps, in per cent.
func fakeRun(p *Pacer, wall *fakeWall, n, ahead int, cost func(k int) time.Duration, work func(k int) Work) float64 {
	type due struct {
		at   int
		mean time.Duration
	}
	var pending []due
	var begins []time.Duration
	sum, cases := 0.0, 0
	for k := range n {
		begins = append(begins, begin(p, time.Duration(k)*step))
		for len(pending) > 0 && pending[0].at == k {
			took := begins[k] - begins[k-ahead]
			sum += math.Abs(float64(pending[0].mean-took)) / float64(took)
			cases++
			pending = pending[1:]
		}
		if k > n/2 {
			pending = append(pending, due{k + ahead, p.Predict(time.Duration(k)*step, time.Duration(ahead)*step).Mean})
		}
		wall.now += cost(k)
		p.Done(work(k))
	}
	return 100 * sum / float64(cases)
}

// Steps that render every seventh time are foretold exactly once they are known, where the mean of speeds is off by half and more.
func TestPredictKnowsTheSchedule(t *testing.T) {
	kind := func(k int) uint64 { return uint64(k%7) / 6 }
	cost := func(k int) time.Duration { return 15*time.Microsecond + time.Duration(kind(k))*7*time.Millisecond }
	for _, ahead := range []int{1, 2, 10, 100} {
		wall := &fakeWall{}
		p := NewPacer(wall, step, Max, Plan{Ahead: func(from time.Duration, n int, into []Ahead, jobs []Job) ([]Ahead, []Job) {
			for i := range n {
				into = append(into, Ahead{Kind: kind(int(from/step) + i)})
			}
			return into, jobs
		}})
		if e := fakeRun(p, wall, 4000, ahead, cost, func(k int) Work { return Work{Kind: kind(k)} }); !(e <= 0.1) {
			t.Errorf("%d steps ahead the mean error is %.2f %%", ahead, e)
		}
	}
}

// A job that takes 20 ms, and is needed four steps after it was given, makes that step wait.
func TestPredictKnowsJobs(t *testing.T) {
	const every, later, takes = 7, 4, 20 * time.Millisecond
	wall := &fakeWall{}
	var jobs []Job // not done
	p := NewPacer(wall, step, Max, Plan{Workers: 1, Ahead: func(from time.Duration, n int, into []Ahead, under []Job) ([]Ahead, []Job) {
		under = append(under, jobs...)
		k := int(from / step)
		given := len(jobs)
		for i := range n {
			a := Ahead{}
			if (k+i)%every == 0 {
				a.Job, given = 1, given+1
			}
			if (k+i)%every == later {
				a.Need = given
			}
			into = append(into, a)
		}
		return into, under
	}})
	cost := func(k int) time.Duration {
		const own = 100 * time.Microsecond
		if k%every == 0 {
			jobs = append(jobs, Job{Kind: 1, Begun: wall.now + own})
		}
		if k%every == later && len(jobs) > 0 {
			return max(own, jobs[0].Begun+takes-wall.now)
		}
		return own
	}
	work := func(k int) Work {
		w := Work{}
		if k%every == later && len(jobs) > 0 {
			j := jobs[0]
			j.Left, j.Done = j.Begun+takes, j.Begun+takes
			p.JobDone(j)
			jobs = jobs[1:]
			w.Idle = takes - 5*100*time.Microsecond + 100*time.Microsecond
		}
		return w
	}
	if e := fakeRun(p, wall, 4000, 10, cost, work); !(e <= 2) {
		t.Errorf("the mean error is %.2f %%", e)
	}
}

// One forecast in twenty is exceeded.
func TestUpperIsAQuantile(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, Max, Plan{})
	noise := uint64(1)
	over, cases := 0, 0
	var begun, upper time.Duration
	for k := range 40000 {
		now := begin(p, time.Duration(k)*step)
		if k > 10000 {
			cases++
			if now-begun > upper {
				over++
			}
		}
		begun, upper = now, p.Predict(time.Duration(k)*step, step).Upper
		noise = noise*6364136223846793005 + 1442695040888963407
		wall.now += time.Millisecond + time.Duration(noise>>44) // up to 2 ms more
		p.Done(Work{})
	}
	if share := float64(over) / float64(cases); !scalar.EqualWithinAbs(share, 0.05, 0.02) {
		t.Errorf("%.3f of the forecasts were exceeded, want 0.05", share)
	}
}

// Steady holds what the load allows, follows it within a second when it changes, and then stays.
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

func TestPredictAllocatesNothing(t *testing.T) {
	wall := &fakeWall{}
	p := NewPacer(wall, step, RealTime, Plan{Ahead: func(_ time.Duration, n int, into []Ahead, jobs []Job) ([]Ahead, []Job) {
		for i := range n {
			into = append(into, Ahead{Kind: uint64(i % 3)})
		}
		return into, jobs
	}})
	sim := time.Duration(0)
	one := func() {
		begin(p, sim)
		p.Predict(sim, 100*step)
		p.Done(Work{Kind: 1})
		sim += step
	}
	one()
	if n := testing.AllocsPerRun(1000, one); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}
