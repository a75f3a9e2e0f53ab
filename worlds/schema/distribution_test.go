package schema_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/google/go-cmp/cmp"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// draw binds a text with a seed.
func draw(text string, seed, try uint64) (w world, f *schema.File, err error) {
	w = defaultWorld()
	if f, err = schema.Parse("w.toml", []byte(text)); err == nil {
		f.Draw(schema.Draws{Seed: seed, Try: try})
		err = f.Bind(&w)
	}
	return w, f, err
}

func TestDistributionErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"ends out of range", "step_ms = { uniform = [-1, 200] }", []string{
			"w.toml:2:24: step_ms: uniform[0] = -1: must lie in (0, 100]",
			"w.toml:2:28: step_ms: uniform[1] = 200: must lie in (0, 100]"}},
		{"ends in the wrong order", "step_ms = { uniform = [2, 1] }", []string{
			"w.toml:2:13: step_ms: uniform = [2, 1]: must be [least, most]: the first is larger than the second"}},
		{"no pair", "step_ms = { uniform = 2 }\ngain = { normal = [1] }", []string{
			"w.toml:2:13: step_ms: uniform = 2: must be [least, most]",
			"w.toml:3:10: gain: normal = [1]: must be [mean, deviation]"}},
		{"no numbers", "gain = { uniform = ['a', 1] }\nlimit_m = { normal = [1, nan] }", []string{
			"w.toml:2:21: gain: uniform[0] = 'a': must be a finite number",
			"w.toml:3:26: limit_m: normal[1] = nan: must be a finite number"}},
		{"infinite", "limit_m = { uniform = [1, inf] }", []string{
			"w.toml:2:27: limit_m: uniform[1] = inf: must be a finite number"}},
		{"mean out of range", "step_ms = { normal = [0, 1] }", []string{
			"w.toml:2:23: step_ms: normal[0] = 0: must lie in (0, 100]"}},
		{"negative deviation", "step_ms = { normal = [1, -1] }", []string{
			"w.toml:2:26: step_ms: normal[1] = -1: is the deviation: must not be negative"}},
		{"never in range", "step_ms = { normal = [1, 1e9] }", []string{
			"w.toml:2:1: step_ms = { normal = [1, 1e9] }: none of 1000 drawn numbers satisfies the rules of step_ms"}},
		{"integers", "small = { uniform = [1.5, 2] }\ncount = { uniform = [0, 256] }\nseed = { normal = [1.5, 1] }",
			[]string{
				"w.toml:2:22: small: uniform[0] = 1.5: must be an integer",
				"w.toml:3:25: count: uniform[1] = 256: must lie in [0, 255]",
				"w.toml:4:20: seed: normal[0] = 1.5: must be an integer"}},
		{"every choice", "engine = { choice = ['ode', 'odr', 1] }", []string{
			"w.toml:2:29: engine: choice[1] = 'odr': must be one of ode, planar; did you mean ode?",
			"w.toml:2:36: engine: choice[2] = 1: must be a string"}},
		{"no choice", "engine = { choice = [] }\nloud = { choice = 1 }", []string{
			"w.toml:2:12: engine: choice = []: must be a list of what may be chosen",
			"w.toml:3:10: loud: choice = 1: must be a list of what may be chosen"}},
		{"weights", "gain = { choice = [1, 2], weights = [1] }\nloud = { choice = [true, false], weights = [0, 0] " +
			"}\nlimit_m = { choice = [1, 2], weights = [1, -1] }", []string{
			"w.toml:2:27: gain: weights = [1]: must be a list of 2 numbers, one for each choice",
			"w.toml:3:34: loud: weights = [0, 0]: must have a finite sum above 0",
			"w.toml:4:44: limit_m: weights[1] = -1: must lie in [0, inf)"}},
		{"other keys", "gain = { uniform = [1, 2], weights = [1, 2] }\nlimit_m = { normal = [1, 2], wieghts = 1 }",
			[]string{
				"w.toml:2:28: gain: weights = [1, 2]: does not go with uniform",
				"w.toml:3:30: limit_m: wieghts = 1: does not go with normal"}},
		{"another type", "engine = { uniform = [0, 1] }\nloud = { normal = [0, 1] }\nfield = { uniform = [1, 2] " +
			"}\ntags = { uniform = [0, 1] }", []string{
			"w.toml:2:23: engine: uniform[0] = 0: must be a string",
			"w.toml:2:26: engine: uniform[1] = 1: must be a string",
			"w.toml:3:20: loud: normal[0] = 0: must be true or false",
			"w.toml:4:22: field: uniform[0] = 1: must be a name or a table",
			"w.toml:4:25: field: uniform[1] = 2: must be a name or a table",
			"w.toml:5:21: tags: uniform[0] = 0: must be an array",
			"w.toml:5:24: tags: uniform[1] = 1: must be an array"}},
		{"tables", "robot = [{ name = 'r', pose = { choice = [{ x_m = 1 }, { x = 2 }, { heading_deg = { uniform = " +
			"[0, 361] } }] } }]", []string{
			"w.toml:2:58: robot[0].pose.choice[1]: x = 2: unknown key; did you mean x_m?",
			"w.toml:2:99: robot[0].pose.choice[2].heading_deg: uniform[1] = 361: must lie in [-360, 360]"}},
		{"choice of choices", "gain = { choice = [1, { choice = [2, 'x'] }, { uniform = [0, 'y'] }] }", []string{
			"w.toml:2:38: gain.choice[1]: choice[1] = 'x': must be a number",
			"w.toml:2:62: gain.choice[2]: uniform[1] = 'y': must be a finite number"}},
		{"elements", "wind_m_s = [0, { uniform = [0, 'x'] }, { choice = [nan] }]\ngrid = [[{ uniform = [0, 2] }]]",
			[]string{
				"w.toml:2:32: wind_m_s[1]: uniform[1] = 'x': must be a finite number",
				"w.toml:2:52: wind_m_s[2]: choice[0] = nan: must be finite",
				"w.toml:3:26: grid[0][0]: uniform[1] = 2: must lie in [0, 1]"}},
		{"fixed", "version = { choice = [1, 2] }", []string{
			"w.toml:2:1: version = { choice = [1, 2] }: must be no distribution: it must be the same with every seed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(10) { // for any choice
				_, _, err := draw("name = 'a'\n"+c.text, seed, 0)
				var got []string
				for _, e := range schema.Flatten(err) {
					got = append(got, e.Error())
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Fatalf("seed %d: -want +got:\n%s", seed, diff)
				}
			}
		})
	}
}

// sample draws with many seeds, and returns the number that a function computes from each world.
func sample(t *testing.T, text string, n int, number func(*world) float64) []float64 {
	t.Helper()
	f, err := schema.Parse("w.toml", []byte("name = 'a'\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	numbers := make([]float64, n)
	for seed := range numbers {
		w := defaultWorld()
		f.Draw(schema.Draws{Seed: uint64(seed)})
		if err := f.Bind(&w); err != nil || !f.Random() {
			t.Fatalf("seed %d: random %v, error %v", seed, f.Random(), err)
		}
		numbers[seed] = number(&w)
	}
	return numbers
}

// Means and standard deviations agree with the textbook within five standard errors, in the unit of Go. For a normal
// number they are those of the distribution truncated to its key's range.
func TestMomentsOfDraws(t *testing.T) {
	const n = 2000
	phi := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	for _, c := range []struct {
		text        string
		number      func(*world) float64
		mean, sigma float64
	}{
		{"gain = { uniform = [-1, 3] }", func(w *world) float64 { return float64(w.Gain) }, 1, 4 / math.Sqrt(12)},
		{"gain = { normal = [2, 0.5] }", func(w *world) float64 { return float64(w.Gain) }, 2, 0.5},
		{"grid = [[{ normal = [0, 0.25] }]]", func(w *world) float64 { return w.Grid[0][0] }, 0.25 * 2 * phi(0),
			0.25 * math.Sqrt(1-4*phi(0)*phi(0))},
		{"small = { uniform = [-2, 2] }", func(w *world) float64 { return float64(w.Small) }, 0, math.Sqrt2},
		{"small = { normal = [3, 10] }", func(w *world) float64 { return float64(w.Small) }, 3, math.Sqrt(100 + 1./12)},
		{"loud = { choice = [true, false, false, false] }",
			func(w *world) float64 { return map[bool]float64{true: 1}[w.Loud] }, 0.25, math.Sqrt(3. / 16)},
		{"gain = { choice = [1, 2, 5], weights = [3, 0, 1] }", func(w *world) float64 { return float64(w.Gain) }, 2,
			math.Sqrt(3)},
		{"step_ms = { uniform = [10, 30] }", func(w *world) float64 { return w.Step.Seconds() }, 0.02,
			0.02 / math.Sqrt(12)},
		{"[[robot]]\nname = 'r'\npose.heading_deg = { uniform = [-180, 180] }",
			func(w *world) float64 { return w.Robots[0].Pose.Heading }, 0, 2 * math.Pi / math.Sqrt(12)},
		{"gain = { choice = [1, { uniform = [2, 4] }] }", func(w *world) float64 { return float64(w.Gain) }, 2,
			math.Sqrt(1 + 4./24)},
	} {
		x := sample(t, c.text, n, c.number)
		mean, sigma := stat.MeanStdDev(x, nil)
		kurtosis := stat.ExKurtosis(x, nil) + 2 // for the variance of the variance
		if !(math.Abs(mean-c.mean) <= 5*c.sigma/math.Sqrt(n)) ||
			!(math.Abs(sigma-c.sigma) <= 5*c.sigma*math.Sqrt(max(kurtosis, 0.01)/(4*n))) {
			t.Errorf("%s: mean %g, deviation %g; want %g, %g", c.text, mean, sigma, c.mean, c.sigma)
		}
	}
}

// Draws of one key with many seeds, of many keys with one seed, and of many tries are independent of each other.
func TestDrawsAreIndependent(t *testing.T) {
	const n = 2000
	const text = "gain = { uniform = [0, 1] }\nlimit_m = { uniform = [0.1, 1] }\n[[robot]]\nname = 'r'\npose.x_m = { " +
		"uniform = [0, 1] }\n[[robot]]\nname = 's'\npose.x_m = { uniform = [0, 1] }\n"
	columns := map[string][]float64{}
	last := map[string]float64{}
	for seed := range uint64(n) {
		w, _, err := draw("name = 'a'\n"+text, seed, 0)
		again, _, errAgain := draw("name = 'a'\n"+text, seed, 1)
		if err != nil || errAgain != nil {
			t.Fatal(err, errAgain)
		}
		for key, x := range map[string]float64{"gain": float64(w.Gain), "limit": w.Limit, "r.x": w.Robots[0].Pose.X,
			"s.x": w.Robots[1].Pose.X, "gain of another try": float64(again.Gain)} {
			columns[key] = append(columns[key], x)
			columns[key+" of the last seed"] = append(columns[key+" of the last seed"], last[key])
			last[key] = x
		}
	}
	for a, x := range columns {
		for b, y := range columns {
			if r := stat.Correlation(x, y, nil); a != b && !(math.Abs(r) <= 5/math.Sqrt(n)) {
				t.Errorf("%s and %s have a correlation of %.3f", a, b, r)
			}
		}
	}
}

// An addition to a file changes no other draw, and equivalent forms give the same draw.
func TestAdditionsChangeNoOtherDraw(t *testing.T) {
	const base = "gain = { uniform = [0, 1] }\n[[robot]]\nname = 'r'\npose = { x_m = { normal = [0, 1] } }\n"
	want, _, err := draw("name = 'a'\n"+base, 7, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"name = 'a'\n# a comment\nlimit_m = { uniform = [1, 2] }\n" + base,
		"name = 'b'\n" + base + "pose.heading_deg = { uniform = [1, 2] }\n",
		"name = 'b'\n" + strings.Replace(base, "[[robot]]", "[[robot]]\nname = 'q'\npose.x_m = { uniform = [3, 4] "+
			"}\n[[robot]]", 1),
		"name = 'b'\n" + strings.Replace(base, "pose = { x_m = { normal = [0, 1] } }",
			"[robot.pose.x_m]\nnormal = [0, 1]", 1),
		"name = 'b'\n" + strings.Replace(base, "pose = { x_m = { normal = [0, 1] } }",
			"pose = { choice = [{ x_m = { normal = [0, 1] } }] }", 1),
	} {
		if strings.Contains(text, "} }\npose.") {
			text = strings.Replace(text, "pose = { x_m = { normal = [0, 1] } }", "pose.x_m = { normal = [0, 1] }", 1)
		}
		w, _, err := draw(text, 7, 3)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		r := w.Robots[len(w.Robots)-1]
		if w.Gain != want.Gain || r.Pose.X != want.Robots[0].Pose.X {
			t.Errorf("%s\nhas gain %v and x %v: want %v and %v", text, w.Gain, r.Pose.X, want.Gain,
				want.Robots[0].Pose.X)
		}
	}
	for _, other := range [][2]uint64{{8, 3}, {7, 4}} {
		if w, _, _ := draw("name = 'a'\n"+base, other[0], other[1]); w.Gain == want.Gain ||
			w.Robots[0].Pose.X == want.Robots[0].Pose.X {
			t.Errorf("seed %d, try %d: the same as with seed 7, try 3", other[0], other[1])
		}
	}
}

// A drawn number binds like a written one, and has its origin.
func TestOrigin(t *testing.T) {
	const text = "name = 'a'\nstep_ms = { uniform = [1, 2] }\nengine = { choice = ['ode', 'planar'] }\nloud = " +
		"true\n[[robot]]\nname = 'r'\npose = { choice = [{ x_m = 1 }, { x_m = 2 }] }\n"
	w, f, err := draw(text, 7, 2)
	if err != nil {
		t.Fatal(err)
	}
	draws := schema.Draws{Seed: 7, Try: 2}
	for path, want := range map[string]schema.Origin{
		"robot[0].pose.x_m": {schema.Pos{File: "w.toml", Line: 7, Col: 1}, "",
			"{ choice = [{ x_m = 1 }, { x_m = 2 }] }", draws},
		"step_ms": {schema.Pos{File: "w.toml", Line: 2, Col: 1}, "", "{ uniform = [1, 2] }", draws},
		"engine":  {schema.Pos{File: "w.toml", Line: 3, Col: 1}, "", "{ choice = ['ode', 'planar'] }", draws},
		"robot[0].pose": {schema.Pos{File: "w.toml", Line: 7, Col: 1}, "",
			"{ choice = [{ x_m = 1 }, { x_m = 2 }] }", draws},
	} {
		if got := f.Origin(path); got != want {
			t.Errorf("%s: %+v", path, got)
		}
	}
	for _, path := range []string{"", "loud", "name", "robot[0]", "robot[0].name", "gain"} {
		if got := f.Origin(path); got.Distribution != "" {
			t.Errorf("%s: %+v, but it was not drawn", path, got)
		}
	}
	if w.Step < time.Millisecond || w.Step > 2*time.Millisecond || w.Robots[0].Pose.X != 1 && w.Robots[0].Pose.X != 2 {
		t.Errorf("%+v", w)
	}
	err = f.Locate(&schema.Violation{Key: "step_ms", Value: 1.5, Rule: "must be something else"})
	if got := err.Error(); !strings.HasPrefix(got, "w.toml:2:1: step_ms = 1.") ||
		!strings.HasSuffix(got, " of { uniform = [1, 2] }: must be something else") {
		t.Errorf("%s", got)
	}
}

// A reader that does not draw refuses distributions like any unknown table.
func TestNothingIsDrawnUnasked(t *testing.T) {
	var w world
	if _, err := bind("name = 'a'\nstep_ms = { uniform = [1, 2] }", &w); err == nil ||
		err.Error() != "w.toml:2:1: step_ms = { uniform = [1, 2] }: must be a number" {
		t.Errorf("%v", err)
	}
	if _, f, err := draw("name = 'a'\ndrag = { normal = 1, uniform = 2, choice = 3 }", 1, 0); err != nil || f.Random() {
		t.Errorf("random %v, error %v: want a table whose keys are free", f.Random(), err)
	}
}

// A file bound over another is drawn too, and a value bound over a draw replaces it.
func TestDrawsOfLayers(t *testing.T) {
	below, err := schema.Parse("below.toml", []byte("name = 'a'\ngain = { uniform = [1, 2] }\nlimit_m = { uniform = "+
		"[1, 2] }\n[[robot]]\nname = 'r'\npose = { choice = [{ x_m = 1, heading_deg = 0 }] }"))
	if err != nil {
		t.Fatal(err)
	}
	above, err := schema.Parse("w.toml", []byte("gain = 7\n[[robot]]\nname = 'r'\npose = { choice = [{ x_m = { "+
		"uniform = [3, 4] } }] }"))
	if err != nil {
		t.Fatal(err)
	}
	above.Draw(schema.Draws{Seed: 1})
	w := defaultWorld()
	if err := above.Root().Bind(&w, below.Root()); err != nil {
		t.Fatal(err)
	}
	if p := w.Robots[0].Pose; w.Gain != 7 || !(w.Limit >= 1 && w.Limit <= 2) || !(p.X >= 3 && p.X <= 4) ||
		p.Heading != 0 {
		t.Errorf("%+v", w)
	}
	if above.Origin("gain").Distribution != "" {
		t.Error("gain is said to be drawn")
	}
	if o := above.Origin("limit_m"); o.Distribution == "" || o.File != "below.toml" {
		t.Errorf("limit_m: %+v", o)
	}
}

// FuzzDraw looks for distributions that panic, that give values which the key's rules refuse, and for errors that
// depend on the seed.
func FuzzDraw(f *testing.F) {
	for _, text := range []string{
		"step_ms = { uniform = [1, 2] }\ngain = { normal = [0, 1e300] }\ngrid = [[{ choice = [0, { uniform = [0, 1] " +
			"}] }]]",
		"engine = { choice = ['ode', 'planar'], weights = [0, 1] }\nsmall = { uniform = [-128, 127] }\ncount = { " +
			"normal = [255, 9] }",
		"field = { choice = ['msl-18x12', { length_m = 1, width_m = { uniform = [1, 2] } }] }\ndrag = { choice = [{ " +
			"a = 1 }, {}] }",
		"[[robot]]\nname = 'r'\npose = { choice = [{ x_m = 1 }, { heading_deg = { uniform = [0, 1] } }] " +
			"}\n[[robot.sensor]]\nname = 's'\nrate_hz.uniform = [1, 2]\nmirror = { choice = [{ rim_radius_mm = 2 }] }",
		"seed = { uniform = [-9223372036854775808, 9223372036854775807] }\ntags = { choice = [['a'], ['b', { choice " +
			"= ['c'] }]] }\nany = { choice = [1] }",
	} {
		f.Add([]byte("name = 'a'\n"+text), uint64(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		file, err := schema.Parse("f", data)
		if err != nil {
			return
		}
		var sound [2]bool
		for i := range sound {
			w := defaultWorld()
			file.Draw(schema.Draws{Seed: seed + uint64(i)})
			allocs.AtMost(t, allocs.ParseLimit, func() { err = file.Bind(&w) })
			if sound[i] = err == nil; err != nil {
				if strings.Contains(err.Error(), "none of 1000 numbers") || strings.Contains(err.Error(),
					"more errors") {
					return // by chance
				}
				continue
			}
			for _, r := range w.Robots {
				for k := range r.Sensors {
					r.Sensors[k].Mirror = nil // has its own rule, which Bind does not check
				}
			}
			if err := schema.Check(&w); err != nil {
				t.Errorf("drawn, but %v", err)
			}
		}
		if sound[0] != sound[1] {
			t.Errorf("sound with seed %d: %v, with the next: %v; %v", seed, sound[0], sound[1], err)
		}
	})
}
