package worlds

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

const lookedAt = minimal + "field = \"msl-18x12\"\n[team.cyan]\nskin = { look = \"stick.toml\" }\n[[robot]]\n" +
	"for_each = { i = [1, 2, 3] }\nname = \"r{i}\"\nmodel = \"nubot\"\npose = { x_m = \"{i}\" }\n"

// A look is a file of the user's. Its random values are drawn for each robot, and the effective file and the bundle
// have them all.
func TestLooksAreFiles(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "stick.toml"), []byte("height_scale = { uniform = [0.5, 1] }\n"+
		"[[prism]]\nsize_m = [0.1, 0.1]\nz_m = [0, 0.8]\n[[rod]]\nat_deg = [90]\nfrom_m = [0, 0, 0.4]\nto_m = [0.2, 0, 0.4]\n"+
		"radius_m = 0.01\nshown = false\n[[number]]\nx_m = 0.06\nz_m = 0.6\nheight_m = 0.1\npaint = \"card\"\n"), 0o644))
	must.Do(t, os.WriteFile(filepath.Join(dir, "w.toml"), []byte(lookedAt), 0o644))
	w := must.Get(Load(filepath.Join(dir, "w.toml")))(t)
	for i := range w.Robots {
		l := w.Robots[i].Skin.Look
		if l == nil || len(l.Prisms) != 1 || len(l.Rods) != 1 || len(l.Numbers) != 1 ||
			!(0.5 <= l.High && l.High <= 1) {
			t.Fatalf("robot %d: look %+v", i, l)
		}
		if i > 0 && l.High == w.Robots[i-1].Skin.Look.High {
			t.Errorf("robots %d and %d are equally high: %v", i-1, i, l.High)
		}
		if p := &l.Prisms[0]; p.Sides != 4 || !p.Shown || p.Paint != ColorPaint || l.Rods[0].Shown {
			t.Errorf("robot %d: prism %+v, rod %+v", i, p, l.Rods[0])
		}
		must.Near(t, "at_deg", l.Rods[0].At[0], math.Pi/2, 1e-12)
	}
	text := must.Get(w.Effective())(t)
	if again := must.Get(Parse("again.toml", text))(t); !reflect.DeepEqual(bare(w), bare(again)) {
		t.Errorf("the effective file is another world:\n%s", text)
	}
	if again := must.Get(LoadBundle(must.Get(w.Bundle(nil))(t)))(t); !same(w, again) {
		t.Error("the bundle is another world")
	}
}

func TestLooksThatAreWrong(t *testing.T) {
	for look, want := range map[string]string{
		`"towr"`: `look = "towr": is no look that ships with omnipitch and no file, did you mean "tower"?`,
		`3`:      `look = 3: must be a name or a table`,
		`{ prism = [{ size_m = [0.1, 0.1], z_m = [0.2, 0.2] }] }`: `look.prism[0]: z_m = [0.2, 0.2]: must rise from the ` +
			`lower end to the upper end`,
		`{ rod = [{ from_m = [0, 0, 1], to_m = [0, 0, 1], radius_m = 0.1 }] }`: `to_m = [0, 0, 1]: must differ from from_m`,
		`{ prism = [{ size_m = [0.1, nan], z_m = [0.2, 0.3] }] }`:              `size_m[1] = nan: must lie in [0.002, 2]`,
		`{ prism = [{ size_m = [0.1, 0.1], z_m = [0.2, 0.3], at_deg = [] }] }`: `at_deg`,
		`{ cover_color = "blue" }`: `look: cover_color = "blue": must be red, green and blue`,
	} {
		_, err := Parse("w.toml", []byte(minimal+"field = \"msl-18x12\"\n"+robot+"skin = { look = "+look+" }\n"))
		if all := lines(err); len(all) != 1 || !strings.Contains(all[0], want) {
			t.Errorf("%s:\n got %s\nwant %s", look, strings.Join(all, "\n"), want)
		}
	}
}
