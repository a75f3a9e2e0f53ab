package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBenchPhysicsIsDocumented checks that all results are finite and named in docs/benchmarks.md, and that every plot
// is written.
func TestBenchPhysicsIsDocumented(t *testing.T) {
	plots := filepath.Join(t.TempDir(), "plots")
	results, _ := measure(t, "physics", "--rounds", "1", "--brawl", "2000", "--plot", plots)
	text, err := os.ReadFile("../../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	docs := string(text)
	for _, r := range results {
		if strings.HasPrefix(r.Name, "plain_c_beside_") {
			continue
		}
		if head, _, _ := strings.Cut(r.Name, "_"); !strings.Contains(docs, "`"+head+"_") {
			t.Errorf("docs/benchmarks.md does not name %s", r.Name)
		}
		// Errors in percent against closed forms, and energies. These targets hold for any duration and on any machine.
		if strings.HasSuffix(r.Name, "_error") && r.Unit == "%" && !(r.Value <= 1) {
			t.Errorf("%s = %v %%, the aim is 1", r.Name, r.Value)
		}
		if strings.HasSuffix(r.Name, "_tilt") && !(r.Value <= 0.05) {
			t.Errorf("%s = %v rad", r.Name, r.Value)
		}
	}
	for _, name := range []string{"circle", "ramp", "traction", "drop", "roll_out", "lob", "slide_to_roll", "collision",
		"dribbling"} {
		if info, err := os.Stat(filepath.Join(plots, name+".png")); err != nil || info.Size() < 5000 {
			t.Errorf("%s.png: %v", name, err)
		}
	}
}
