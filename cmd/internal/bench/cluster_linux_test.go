package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBenchCluster checks that the names of results are those in docs/benchmarks.md. The workers must draw all images,
// and these must equal the images of one process.
func TestBenchCluster(t *testing.T) {
	out := t.TempDir()
	results, names := measure(t, "cluster", "--rounds", "1", "--round", "20ms", "--jobs", "20", "--workers", "1",
		"--sleepers", "2", "--sleep", "20ms", "--images", "16x16,64x64", "--match", "24x16", "--cameras", "2", "--look",
		"plain",
		"--renderer", "raycast", "--plot", out)
	docs, err := os.ReadFile("../../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
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
	if r := names["match_equal"]; !(r.Value >= 10) {
		t.Errorf("%v images are equal", r.Value)
	}
	for _, name := range []string{"jobs_1_rate", "job_server_cpu", "job_worker_cpu", "sleeping_2_linear",
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
