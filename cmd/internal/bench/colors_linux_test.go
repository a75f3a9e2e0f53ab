package bench

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// smallHall returns the hall with small images in plain light, which render fast.
func smallHall(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.toml")
	const text = "name = \"small\"\ninclude = [\"nubot-attack\"]\nlook = \"plain\"\n[[robot]]\nname = " +
		"\"cyan1\"\n[[robot.sensor]]\nname = \"omni\"\nimage = { width_px = 64, height_px = 64 }\n"
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// TestColorTablesLoseInOtherLight checks that a colour table gets worse in other light, and that a table made in varied
// light is better in the worst light.
func TestColorTablesLoseInOtherLight(t *testing.T) {
	_, names := measure(t, "colors", "--world", smallHall(t), "--varied", "4")
	must.Equal(t, len(names), (len(hallLights)+1)*len(hallLights)*len(colorFigures), "names")
	right := func(made, in string) float64 {
		r, ok := names["made_in_"+made+"_judged_in_"+in+"_right"]
		if !ok {
			t.Fatalf("nothing of what is made in %s and judged in %s", made, in)
		}
		return r.Value
	}
	lights := []string{"own", "evening", "daylight", "spots"} // a worn carpet does not change the light
	worst := func(made string) float64 {
		least := math.Inf(1)
		for _, in := range lights {
			least = min(least, right(made, in))
		}
		return least
	}
	varied := worst("varied")
	for _, l := range lights[:3] { // light "spots" varies from place to place by itself
		there, worst := right(l, l), worst(l)
		t.Logf("made in %s: %.1f %% right there, %.1f %% in the worst light; varied %.1f %%", l, there, worst, varied)
		if !(there >= 80 && worst <= there-39) {
			t.Errorf("made in %s: %.1f %% are right there, and %.1f %% in the worst light: want 80, and 39 less", l,
				there, worst)
		}
		if !(varied >= worst+15) {
			t.Errorf("in the worst light %.1f %% are right by the varied table, %.1f %% by that made in %s: want 15 "+
				"more", varied, worst, l)
		}
	}
	docs, err := os.ReadFile("../../../docs/benchmarks.md")
	must.Do(t, err)
	missing := map[string]bool{"made_in_LIGHT_judged_in_LIGHT_FIGURE": true, "automatic_…": true}
	named := regexp.MustCompile(`^made_in_([a-z]+)_judged_in_([a-z]+)_([a-z_]+)$`)
	for name := range names {
		parts := named.FindStringSubmatch(name)
		if parts == nil {
			t.Fatalf("%s is not named as documented", name)
		}
		for _, part := range parts[1:] {
			missing[part] = true
		}
	}
	for part := range missing {
		if !strings.Contains(string(docs), "`"+part+"`") {
			t.Errorf("docs/benchmarks.md does not name %s", part)
		}
	}
}
