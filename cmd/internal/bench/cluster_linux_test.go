package bench

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestClusterPlan compares the estimates with values computed by hand from the formulas.
func TestClusterPlan(t *testing.T) {
	// Each of 300 images of 1 MB takes a worker 10 + 1.2 ms, and the run 0.6 ms.
	c := Cluster{Runs: 1_000_000, RunTime: 9998 * time.Millisecond}
	p := clusterPlan{rate: 300, draw: 0.010, step: 0.25, frame: frameCost{bytes: 1e6, run: 600e-6, worker: 1.2e-3,
		wall: 1e-3, order: 500}, job: 0.002, feed: 0.0005}
	r := newReport("cluster")
	c.plan(r, &p)
	for name, want := range map[string]float64{"match_workers": 4, "match_worker_cores": 3.36, "match_run_cores": 0.43,
		"match_network": 300.15, "match_most": 1000, "runs_by_64_workers": 156250. / 3600, "runs_most_workers": 20000} {
		must.Near(t, name, r.value(name), want, 1e-9*want)
	}
	for _, c := range []struct {
		n, workers int
		want       float64
	}{
		{1000, 10, 100},     // 100 rounds of 0.998 + 0.002 s
		{1001, 10, 101},     // one round more
		{1000, 10_000, 1},   // all jobs run at once
		{10_000, 10_000, 5}, // the queue is the bottleneck: 10,000 × 0.5 ms
	} {
		must.Near(t, fmt.Sprintf("%d runs with %d workers: seconds", c.n, c.workers),
			p.runs(c.n, 0.998, c.workers), c.want, 1e-9)
	}
}

// TestFit checks that the fit recovers a line, and that it minimizes relative errors.
func TestFit(t *testing.T) {
	r := newReport("cluster")
	line := r.fit("line", []float64{1e5, 1e6, 4e6}, []float64{0.2, 1.1, 4.1})
	if !(math.Abs(line[0]-0.1) < 1e-9) || !(math.Abs(line[1]-1e-6) < 1e-15) || !(r.value("line_worst_error") < 1e-6) {
		t.Errorf("got %v off by %v %%, want 0.1 and 1e-6", line, r.value("line_worst_error"))
	}
	// Costs of 1 and 3 for one size: (c−1)² + (c/3−1)² is smallest at c = (1 + 1/3)/(1 + 1/9) = 1.2. That is 20 % above
	// the first cost and 60 % below the second. A third size is met by any line.
	r.fit("off", []float64{1e6, 1e6, 4e6}, []float64{1, 3, 5})
	if got := r.value("off_worst_error"); !(math.Abs(got-60) < 1e-6) {
		t.Errorf("got a worst error of %v %%, want 60", got)
	}
}

// TestBenchCluster checks that the names of results are those in docs/benchmarks.md. The workers must draw all images,
// and these must equal the images of one process.
func TestBenchCluster(t *testing.T) {
	out := t.TempDir()
	results, names := measure(t, "cluster", "--rounds", "1", "--round", "20ms", "--jobs", "20", "--workers", "1",
		"--sleepers", "2", "--sleep", "20ms", "--images", "16x16,64x64", "--match", "24x16", "--cameras", "2", "--look",
		"plain",
		"--renderer", "raycast", "--plot", out)
	docs, err := os.ReadFile("../../../docs/benchmarks.md")
	must.Do(t, err)
	_, section, _ := strings.Cut(string(docs), "\n## cluster\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, r := range results {
		name := regexp.MustCompile(`\d+x\d+`).ReplaceAllString(r.Name, "SIZE")
		name = regexp.MustCompile(`_\d+_`).ReplaceAllString(name, "_N_")
		if rest, ok := strings.CutPrefix(name, "frame_tls_SIZE"); ok && rest != "_bytes" {
			name = "`…" + rest
		} else {
			name = "`" + name
		}
		if !strings.Contains(section, name+"`") {
			t.Errorf("docs/benchmarks.md does not name %s", name)
		}
	}
	for name, want := range map[string]float64{"frame_16x16_bytes": 3 * 16 * 16, "frame_64x64_bytes": 3 * 64 * 64,
		"match_drawn_by_run": 0} {
		if r, ok := names[name]; !ok || r.Value != want {
			t.Errorf("%s = %v, want %v", name, r.Value, want)
		}
	}
	if r := names["match_equal"]; !(r.Value >= 2) { // a busy machine draws few in a round
		t.Errorf("%v images are equal", r.Value)
	}
	for _, name := range []string{"jobs_1_rate", "jobs_1_workers_cpu", "sleeping_2_linear",
		"frame_64x64_latency", "frame_64x64_worker_cpu", "frame_tls_24x16_worker_cpu", "draw_cpu", "runs_by_64_workers",
		"match_network"} {
		if r := names[name]; !(r.Value > 0) {
			t.Errorf("%s = %v", name, r.Value)
		}
	}
	for _, name := range []string{"cluster-frames.png", "cluster-jobs.svg"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
