package schema_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
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
	for _, c := range must.Cases(t, "testdata/errors/distributions.txt") {
		t.Run(c.Name, func(t *testing.T) {
			for seed := range uint64(10) { // for any choice
				_, _, err := draw(c.Text, seed, 0)
				wantErrors(t, err, c.Want...)
			}
		})
	}
}

// sample draws with many seeds, and returns the number that a function computes from each world.
func sample(t *testing.T, text string, n int, number func(*world) float64) []float64 {
	t.Helper()
	f := must.Get(schema.Parse("w.toml", []byte("name = 'a'\n"+text)))(t)
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
		must.Equal(t, f.Origin(path), want, "%s", path)
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
	above := must.Get(schema.Parse("w.toml", []byte("gain = 7\n[[robot]]\nname = 'r'\npose = { choice = [{ x_m = { "+
		"uniform = [3, 4] } }] }")))(t)
	above.Draw(schema.Draws{Seed: 1})
	w := defaultWorld()
	must.Do(t, above.Root().Bind(&w, below.Root()))
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
