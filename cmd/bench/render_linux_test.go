package bench

import (
	"os"
	"strings"
	"testing"
)

// What a bench prints is what docs/benchmarks.md promises.
func TestBenchRenderIsDocumented(t *testing.T) {
	results, names := measure(t, "render", "--rounds", "1")
	docs, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !(r.Value > 0) || r.N != 1 {
			t.Errorf("%+v: must be a positive median of 1", r)
		}
		if !strings.HasPrefix(r.Name, "floor_of_") && !strings.Contains(string(docs), "`"+r.Name+"`") {
			t.Errorf("docs/benchmarks.md does not name %s", r.Name)
		}
	}
	for _, r := range results {
		if _, ok := names[r.RatioTo]; !ok && r.RatioTo != "" {
			t.Errorf("%s is compared with %s, which is not in the report", r.Name, r.RatioTo)
		}
	}
	if len(names) < 9 {
		t.Errorf("only %d names", len(names))
	}
}
