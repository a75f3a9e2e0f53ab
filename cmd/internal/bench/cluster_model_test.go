package bench

import (
	"math"
	"testing"
)

// near reports whether two numbers are equal within rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// TestClusterModel compares the model with values computed by hand from its formulas.
func TestClusterModel(t *testing.T) {
	m := clusterModel{
		Draw: 0.010, Step: 0.25, Run: line{100e-6, 0.5e-9}, Worker: line{200e-6, 1e-9}, Wall: line{50e-6, 0.95e-9},
		Order: 500,
		Job:   0.002, Feed: 0.0005,
	}
	// For 300 images of 1 MB, each image takes a worker 10 + 0.2 + 1 ms. It takes the run 0.1 + 0.5 ms and the server
	// 0.05 + 0.95 ms.
	n := m.match(300, 1e6)
	if n.Workers != 4 || !near(n.Busy, 3.36) || !near(n.Cores, 0.25+0.18) || !near(n.Network, 300*1000500) ||
		!near(n.Most, 1000) {
		t.Errorf("300 images a second of 1 MB: %+v", n)
	}
	if n := m.match(89, 1e6); n.Workers != 1 { // 89 × 11.2 ms = 0.997 s
		t.Errorf("of which one worker has its hands full: %d", n.Workers)
	}
	for _, c := range []struct {
		n, workers int
		seconds    float64
		want       float64
	}{
		{1000, 10, 0.998, 100},     // 100 rounds of 0.998 + 0.002 s
		{1001, 10, 0.998, 101},     // one round more
		{1000, 10_000, 0.998, 1},   // all jobs run at once
		{10_000, 10_000, 0.998, 5}, // the queue is the bottleneck: 10,000 × 0.5 ms
		{1_000_000, 64, 9.998, 156250},
	} {
		if got := m.runs(c.n, c.seconds, c.workers); !near(got, c.want) {
			t.Errorf("%d runs of %g s with %d workers: %g s, want %g", c.n, c.seconds, c.workers, got, c.want)
		}
	}
	// Encryption adds 1 ms for 2 MB, which is 0.5 ns per byte.
	m.encrypt(&frameCost{bytes: 2e6, run: m.Run.at(2e6) + 0.001, worker: m.Worker.at(2e6) + 0.001,
		wall: m.Wall.at(2e6) + 0.002})
	if !near(m.Run.B, 1e-9) || !near(m.Worker.B, 1.5e-9) || !near(m.Wall.B, 1.95e-9) || m.Run.A != 100e-6 {
		t.Errorf("encrypted: %+v", m)
	}
	if got := m.feeds(0.998); got != 2000 {
		t.Errorf("one coordinator feeds %d workers, want 2000", got)
	}
}

// TestFitLine checks that the fit recovers a line. For points off a line, the worst error must be that of the relative
// fit.
func TestFitLine(t *testing.T) {
	l, worst, err := fitLine([]float64{1e5, 1e6, 4e6}, []float64{0.2, 1.1, 4.1})
	if err != nil || !near(l.A, 0.1) || !near(l.B, 1e-6) || !(worst < 1e-9) || !near(l.at(2e6), 2.1) {
		t.Errorf("%+v, off by %g, %v", l, worst, err)
	}
	// Costs of 1 and 3 for one size: (c−1)² + (c/3−1)² is smallest at c = (1 + 1/3)/(1 + 1/9) = 1.2. That is 20 % above
	// the first cost and 60 % below the second.
	x, worst, err := fitRelative([][]float64{{1}, {1}}, []float64{1, 3})
	if err != nil || !near(x[0], 1.2) || !near(worst, 0.6) {
		t.Errorf("%v, off by %g, %v", x, worst, err)
	}
	if _, _, err := fitLine([]float64{1e5, 1e5}, []float64{1, 2}); err == nil {
		t.Error("a line through one size")
	}
}
