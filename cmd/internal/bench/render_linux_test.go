package bench

import (
	"os"
	"strings"
	"testing"
)

// TestBenchRenderIsDocumented checks that a bench prints the results that docs/benchmarks.md promises.
func TestBenchRenderIsDocumented(t *testing.T) {
	const draws = "opengl" // the same code measures the other renderers
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
