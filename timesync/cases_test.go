package timesync

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// No duration is less off than the likely one, as a share of what it takes, whatever the cases are.
func TestLikelyIsTheLeastOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o []outcome
		for range rapid.IntRange(1, 20).Draw(t, "cases") {
			o = append(o, outcome{time.Duration(rapid.Int64Range(1, 1e9).Draw(t, "takes")), rapid.Float64Range(1e-3, 1).Draw(t, "weight")})
		}
		off := func(told time.Duration) (sum float64) {
			for _, x := range o {
				sum += x.weight * math.Abs(float64(told-x.takes)) / float64(x.takes)
			}
			return sum
		}
		got := likely(append([]outcome(nil), o...))
		for i := range o {
			if least := off(o[i].takes); !(off(got) <= least*(1+1e-9)) {
				t.Fatalf("%v is off by %v, %v by %v", got, off(got), o[i].takes, least)
			}
		}
	})
}

// jobsRun has a job begin with every seventh step, which the fifth after that needs, and returns a fakeRun of it.
func jobsRun(takes func(n int) time.Duration, afterRest time.Duration) (p *Pacer, run func(steps, ahead int) float64) {
	const every, later, own = 7, 5, 100 * time.Microsecond
	wall := &fakeWall{}
	var jobs []Job // not done
	given, idle := 0, time.Duration(0)
	p = NewPacer(wall, step, Max, Plan{Workers: 1, Ahead: func(from time.Duration, n int, into []Ahead, under []Job) ([]Ahead, []Job) {
		under = append(under, jobs...)
		k, number := int(from/step), len(jobs)
		for i := range n {
			a := Ahead{}
			if (k+i)%every == 0 {
				a.Job, number = 1, number+1
			}
			if (k+i)%every == later {
				a.Need = number
			}
			into = append(into, a)
		}
		return into, under
	}})
	rested := false
	cost := func(k int) time.Duration {
		takesItself := own
		if rested {
			takesItself += afterRest
		}
		if k%every == 0 {
			jobs = append(jobs, Job{Kind: 1, Begun: wall.now + takesItself})
		}
		idle = 0
		if k%every == later {
			idle = max(jobs[0].Begun+takes(given)-wall.now-takesItself, 0)
		}
		rested = idle > rest
		return takesItself + idle
	}
	work := func(k int) Work {
		if k%every == later {
			j := jobs[0]
			j.Left, j.Done = j.Begun+takes(given), j.Begun+takes(given)
			p.JobDone(j)
			jobs, given = jobs[:0], given+1
		}
		return Work{Idle: idle}
	}
	return p, func(steps, ahead int) float64 { return fakeRun(p, wall, steps, ahead, cost, work) }
}

// Jobs that take 10 and 20 ms in turn are foretold from what came after such a one before.
func TestCasesFollowWhatJobsDidBefore(t *testing.T) {
	_, run := jobsRun(func(n int) time.Duration { return time.Duration(10+n%2*10) * time.Millisecond }, 0)
	if e := run(8000, 7); !(e <= 5) { // 33 for who takes them for 15 ms
		t.Errorf("the mean error is %.2f %%", e)
	}
}

// A step that comes after a long wait may take much longer than others of its kind.
func TestPredictKnowsRests(t *testing.T) {
	_, run := jobsRun(func(int) time.Duration { return 10 * time.Millisecond }, time.Millisecond)
	if e := run(8000, 2); !(e <= 1) { // 24 for who takes all steps of a kind for alike
		t.Errorf("the mean error is %.2f %%", e)
	}
}

func TestPredictWithJobsAllocatesNothing(t *testing.T) {
	p, run := jobsRun(func(n int) time.Duration { return time.Duration(10+n%5) * time.Millisecond }, 0)
	run(3000, 10)
	sim := p.sim
	if p.course.count() < cases/2 {
		t.Fatalf("there are %d cases", p.course.count())
	}
	if n := testing.AllocsPerRun(100, func() { p.Predict(sim, 100*step) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPredict(b *testing.B) {
	for _, c := range []struct {
		name string
		jobs bool
	}{{"steps", false}, {"jobs", true}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var p *Pacer
			if c.jobs {
				var run func(int, int) float64
				p, run = jobsRun(func(n int) time.Duration { return time.Duration(10+n%5) * time.Millisecond }, 0)
				run(3000, 10)
			} else {
				p = NewPacer(&fakeWall{}, step, Max, Plan{Ahead: func(_ time.Duration, n int, into []Ahead, jobs []Job) ([]Ahead, []Job) {
					for i := range n {
						into = append(into, Ahead{Kind: uint64(i % 3)})
					}
					return into, jobs
				}})
				begin(p, 0)
			}
			for b.Loop() {
				p.Predict(p.sim, 100*step)
			}
		})
	}
}
