package bench

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/physics/experiment"
)

// A page keeps what other benches have written, and has the last run of each; what names and machines say is text.
func TestPageOfBenches(t *testing.T) {
	dir := t.TempDir()
	flag := &pageFlag{HTML: &dir}
	path := filepath.Join(dir, "bench.html")
	plot := []experiment.Plot{{Name: "p", Title: "a <plot>", XLabel: "x", YLabel: "y",
		Curves: []experiment.Curve{{Name: "c", X: []float64{0, 1}, Y: []float64{1, math.NaN()}},
			{Name: "d", X: []float64{0, 1}, Y: []float64{2, 3}}}}}
	write := func(bench, name string, value float64, shown []experiment.Plot) string {
		t.Helper()
		r := &Report{Bench: bench, Machine: "a machine <!-- end of bench -->\n<script>"}
		r.add(name, value, "ms", 3)
		r.addRatio(name, "another", 2*value, 3)
		if err := flag.check(); err != nil {
			t.Fatal(err)
		}
		if err := flag.write(r, shown); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write("render growth", "first", 1.25, plot)
	write("levels", "second", 7, nil)
	text := write("render growth", "third", 4.5, plot)
	for want, n := range map[string]int{
		"<!doctype html>": 1, "</html>": 1, "<svg": 1, "<section": 2, ">third<": 2, ">second<": 2, ">first<": 0,
		">4.5<": 1, ">7<": 1, "× another": 2, `href="#render-growth"`: 1, `id="render-growth"`: 1,
		// of the picture's name spaces
		"<script": 0, "&lt;script": 2, "<plot>": 0, "a &lt;plot&gt;": 2, "NaN": 0, "ZgotmplZ": 0, "http://": 2,
		"https://": 0,
	} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%q is on the page %d times, want %d", want, got, n)
		}
	}
	if strings.Index(text, "bench levels</h2>") > strings.Index(text, "bench render growth</h2>") {
		t.Error("the benches are not in order")
	}
	other := filepath.Join(dir, "other.html")
	if err := os.WriteFile(other, []byte("<p>mine</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere, none := filepath.Join(dir, "no", "page.html"), ""
	for _, path := range []string{other, nowhere, none, filepath.Join(other, "page.html")} {
		if err := (&pageFlag{HTML: &path}).check(); console.ExitCode(err) != console.ExitBadInput ||
			!strings.Contains(err.Error(), "--html") {
			t.Errorf("%q: %v", path, err)
		}
	}
	if err := (&pageFlag{}).write(&Report{}, nil); err != nil {
		t.Error(err)
	}
}
