package timesync

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"
	"pgregory.net/rapid"
)

func TestCostsLearnKinds(t *testing.T) {
	c := NewCosts()
	for k := range 1000 {
		c.Learn(uint64(k%3), time.Duration(1+k%3)*time.Millisecond)
	}
	for kind := range uint64(3) {
		if got, want := c.usual(kind), float64(1+kind)*1e6; !scalar.EqualWithinAbs(got/want, 1, 1e-9) {
			t.Errorf("kind %d takes %v ns, want %v", kind, got, want)
		}
	}
	if got := c.usual(99); !scalar.EqualWithinAbs(got/2e6, 1, 0.02) {
		t.Errorf("an unknown kind takes %v ns, want the mean of all", got)
	}
	if e := c.excess(10); !(math.Abs(e) <= 0.01) {
		t.Errorf("excess %v where nothing is unusual", e)
	}
	// A single step that was disturbed says little about the next.
	c.Learn(0, time.Second)
	if e, mean := c.excess(1), c.usual(0); !(math.Abs(e) <= 0.5) || !(mean <= 1.1e6) {
		t.Errorf("after one step of a second: excess %v, mean %v ns", e, mean)
	}
}

// Bursts of 200 steps that take twice as long are foretold to go on while they do.
func TestCostsForetellBursts(t *testing.T) {
	c := NewCosts()
	var in, out float64 // what is foretold for the next ten steps, in the midst of either
	for k := range 20000 {
		cost := time.Millisecond
		if k/200%2 == 1 {
			cost *= 2
		}
		c.Learn(0, cost)
		if k > 10000 && k%200 == 100 {
			next := c.usual(0) * (1 + c.excess(10)) / 1e6
			if k/200%2 == 1 {
				in = next
			} else {
				out = next
			}
		}
	}
	if !scalar.EqualWithinAbs(in, 2, 0.2) || !scalar.EqualWithinAbs(out, 1, 0.1) {
		t.Errorf("steps are foretold to take %.2f ms in a burst and %.2f ms outside, want 2 and 1", in, out)
	}
}

// Whatever steps cost, what is foretold stays within bounds, also when nothing ever varies.
func TestCostsStayWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := NewCosts()
		for range rapid.IntRange(1, 20).Draw(t, "stretches") {
			cost := time.Duration(rapid.Int64Range(0, 1e10).Draw(t, "cost"))
			jitter := rapid.Int64Range(0, 1e6).Draw(t, "jitter")
			kinds := rapid.Uint64Range(1, 5).Draw(t, "kinds")
			for k := range rapid.Uint64Range(1, 5000).Draw(t, "steps") {
				c.Learn(k%kinds, cost+time.Duration(int64(k*2654435761%1000)*jitter/1000))
			}
			for _, n := range []int{0, 1, 3, 100, 100000} {
				if e := c.excess(n); !(e >= -0.9 && e <= oddRatio) {
					t.Fatalf("excess %v of %d steps", e, n)
				}
			}
		}
	})
}

func BenchmarkCostsLearn(b *testing.B) {
	b.ReportAllocs()
	c := NewCosts()
	for k := range b.N {
		c.Learn(uint64(k%7), time.Duration(15+k%5)*time.Microsecond)
	}
}

func TestBaselines(t *testing.T) {
	for _, p := range []Predictor{NewMeanOfSpeeds(1), NewMeanOfSpeeds(5), &MovingAverage{}, NewRatioOfSums(10)} {
		if got := p.Predict(time.Second); got != 0 {
			t.Errorf("%T foretells %v from nothing", p, got)
		}
		for range 100 {
			p.Add(2*step, step)
		}
		if got := p.Predict(time.Second); (got - 2*time.Second).Abs() > time.Microsecond {
			t.Errorf("%T foretells %v at half of real time", p, got)
		}
	}
	// The mean of speeds is not the speed of the mean.
	m, r := NewMeanOfSpeeds(10), NewRatioOfSums(10)
	for k := range 10 {
		wall := step
		if k%2 == 1 {
			wall = 3 * step
		}
		m.Add(wall, step)
		r.Add(wall, step)
	}
	if got := m.Predict(step); (got - 3*step/2).Abs() > time.Microsecond {
		t.Errorf("mean of speeds: %v, want 1.5 steps", got)
	}
	if got := r.Predict(step); (got - 2*step).Abs() > time.Microsecond {
		t.Errorf("ratio of sums: %v, want 2 steps", got)
	}
}

// What is usual is what most steps take, and follows when they take longer from now on.
func TestUsualIsTheMedian(t *testing.T) {
	var u usual
	learn := func(n int, ns float64) {
		for k := range n {
			cost := ns * (1 + 0.02*float64(k%5-2))
			if k%10 == 0 {
				cost *= 3
			}
			u.learn(cost)
		}
	}
	learn(2000, 1e6)
	if !scalar.EqualWithinAbs(u.mean/1e6, 1, 0.02) { // the mean is 1.2
		t.Errorf("%v ns are usual, want 1e6", u.mean)
	}
	learn(2000, 2e6)
	if !scalar.EqualWithinAbs(u.mean/2e6, 1, 0.02) {
		t.Errorf("%v ns are usual after a change, want 2e6", u.mean)
	}
}

// Steps that take longer for each contact, of which there are now none, now a dozen, are foretold from the contacts to come.
func TestCostsKnowStrain(t *testing.T) {
	contacts := func(k int) float64 { return float64(uint64(k/30) * 2654435761 >> 7 % 13) } // for 30 steps each
	run := func(told bool) float64 {
		wall, k := &fakeWall{}, 0
		plan := Plan{}
		if told {
			plan.Strain = func(ahead *Spans) float64 {
				for i := range ahead {
					sum := 0.0
					for j := range 1 << i {
						sum += contacts(k + 1 + j)
					}
					ahead[i] = sum / float64(int(1)<<i)
				}
				return contacts(k)
			}
		}
		p := NewPacer(wall, step, Max, plan)
		return fakeRun(p, wall, 20000, 15, func(now int) time.Duration {
			k = now
			return time.Duration(1e6 * (1 + 0.1*contacts(now)))
		}, func(int) Work { return Work{} })
	}
	if with, without := run(true), run(false); !(with <= 0.5*without) {
		t.Errorf("the mean error is %.1f %% for who knows the contacts to come, %.1f %% for who does not", with, without)
	}
}
