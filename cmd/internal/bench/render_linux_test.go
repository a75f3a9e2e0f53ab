package bench

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics/experiment"
	"github.com/omnipitch/omnipitch/render/backend"
)

// What a bench prints is what docs/benchmarks.md promises.
func TestBenchRenderIsDocumented(t *testing.T) {
	const draws = "opengl" // others are measured by the same code
	results, names := measure(t, "render", "--rounds", "1", "--renderer", draws)
	docs, err := os.ReadFile("../../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !(r.Value > 0) || r.N != 1 {
			t.Errorf("%+v: must be a positive median of 1", r)
		}
		name := strings.Replace(strings.TrimSuffix(r.Name, "_cpu"), "_"+draws, "_RENDERER", 1)
		if !strings.HasPrefix(name, "floor_of_") && !strings.Contains(string(docs), "`"+name+"`") {
			t.Errorf("docs/benchmarks.md does not name %s", name)
		}
	}
	for _, r := range results {
		if _, ok := names[r.RatioTo]; !ok && r.RatioTo != "" {
			t.Errorf("%s is compared with %s, which is not in the report", r.Name, r.RatioTo)
		}
	}
	if len(names) < 29 {
		t.Errorf("only %d names", len(names))
	}
}

// What a growth measures is named as docs/benchmarks.md has it, grows with what grows, and is plotted.
func TestSweep(t *testing.T) {
	docs, err := os.ReadFile("../../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	var report Report
	dir := t.TempDir()
	plotted := []costs{}
	for _, s := range growths {
		if s.numbers = s.numbers[:3]; s.name == "pixels" {
			s.numbers = []int{32, 64, 128}
		}
		all, err := s.measure(t.Context(), backend.Choose("tile", nil), 1)
		if err != nil {
			t.Fatal(err)
		}
		report.addTriangles(&s, all)
		report.addCosts(&s, "tile", all)
		plot := newCostPlot(&s)
		plotCosts(&plot, &s, "tile", all)
		if err := writePlots(dir, []experiment.Plot{plot}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(dir, s.name+".png")); err != nil || info.Size() < 5000 {
			t.Errorf("%s.png: %v", s.name, err)
		}
		plotted = append(plotted, all)
		for camera, of := range all {
			if few, many := of[0], of[len(of)-1]; s.name != "cameras" && !(many.triangles >= few.triangles) ||
				s.name == "pixels" && !(many.pixels > few.pixels) || s.name == "robots" && !(many.robots > few.robots) {
				t.Errorf("%s, %s: from %+v to %+v", s.name, camera, few, many)
			}
		}
	}
	// A cost that is made of known parts is taken apart again.
	const megapixel, triangles, robot = 20.0, 0.5, 0.25 // ms
	made := append(plotted[0]["omni"], plotted[2]["omni"]...)
	for i := range made {
		c := &made[i]
		c.cpu = []float64{megapixel*c.pixels/1e6 + triangles*c.triangles/1e3 + robot*c.robots}
	}
	if err := report.addBound("omni", "tile", made); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"megapixel_cpu": megapixel, "1000_triangles_cpu": triangles,
		"robot_cpu": robot, "worst_error": 0} {
		if got := report.value("cost_omni_tile_" + name); !(math.Abs(got-want) < 1e-6) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	for _, r := range report.Results {
		name := regexp.MustCompile(`^(robots|cameras|pixels)_[0-9]+_(omni|front)_tile`).ReplaceAllString(r.Name,
			"${1}_N_${2}_RENDERER")
		if name = strings.TrimSuffix(name, "_cpu"); strings.HasSuffix(name, "_RENDERER") &&
			!strings.Contains(string(docs), "`"+name+"`") {
			t.Errorf("docs/benchmarks.md does not name %s", name)
		}
	}
}
