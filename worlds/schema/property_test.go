package schema_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestBindReturnsWhatWasWritten writes worlds with a separate writer, in varying forms, and binds them.
func TestBindReturnsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawWorld(t)
		text := write(t, want)
		got := world{}
		if _, err := bind(text, &got); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		// Angles and millimetres are converted on the way out and in, with one rounding each.
		if diff := cmp.Diff(want, got, sameWorld, cmpopts.EquateApprox(1e-15, 0), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got)\n%s\n%s", diff, text)
		}
	})
}

func drawWorld(t *rapid.T) world {
	name := rapid.StringMatching(`[A-Za-z][A-Za-z0-9_-]{0,8}`)
	w := world{
		common: common{Name: name.Draw(t, "name")},
		Seed:   rapid.Int64Min(0).Draw(t, "seed"),
		Step:   time.Duration(rapid.Int64Range(1, 100e6).Draw(t, "step")),
		Engine: rapid.SampledFrom([]engine{"ode", "planar"}).Draw(t, "engine"),
		Grid:   rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 3), 0, 3).Draw(t, "grid"),
		Drag:   rapid.MapOfN(name, rapid.Float64Min(0), 0, 3).Draw(t, "drag"),
		Tags:   rapid.SliceOfN(name, 1, 3).Draw(t, "tags"),
		Small:  rapid.Int8().Draw(t, "small"),
		Count:  rapid.Uint8().Draw(t, "count"),
		Limit:  1,
		Any:    rapid.String().Draw(t, "any"),
		Loud:   rapid.Bool().Draw(t, "loud"),
		Field:  field{rapid.Float64Range(1, 99).Draw(t, "length"), 1},
	}
	for i := range w.Wind {
		w.Wind[i] = rapid.Float64().Draw(t, "wind")
	}
	for _, n := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID).Draw(t, "robots") {
		r := robot{Name: n, Pose: pose{X: rapid.Float64().Draw(t, "x")}}
		for _, n := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID).Draw(t, "sensors") {
			s := sensor{Name: n, Rate: rapid.Float64Range(1, 1000).Draw(t, "rate"), Fov: rapid.Float64Range(0.1,
				6).Draw(t, "fov")}
			s.Lag = time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "lag"))
			s.Level = rapid.SampledFrom([]string{"raw", "truth"}).Draw(t, "level")
			if rapid.Bool().Draw(t, "mirror") {
				s.Mirror = &mirror{Rim: rapid.Float64Range(0.001, 1).Draw(t, "rim")}
			}
			r.Sensors = append(r.Sensors, s)
		}
		w.Robots = append(w.Robots, r)
	}
	return w
}

// write returns a world as TOML; robots are inline or tables.
func write(t *rapid.T, w world) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	millis := func(d time.Duration) string { return fmt.Sprintf("%d.%06d", d/1e6, d%1e6) }
	line("name = '%s'\nseed = %d\nstep_ms = %s\nengine = '%s'", w.Name, w.Seed, millis(w.Step), w.Engine)
	line("wind_m_s = [ %s, %s,%s, ]", number(w.Wind[0]), number(w.Wind[1]), number(w.Wind[2]))
	line("tags = ['%s']\nsmall = %+d\ncount = 0x%x\nlimit_m = 1.0", strings.Join(w.Tags, "', '"), w.Small, w.Count)
	line("any = %s\nloud = %t\nfield = {length_m = %s, width_m = 1}", tomlString(w.Any.(string)), w.Loud,
		number(w.Field.Length))
	line("grid = [ # rows")
	for _, row := range w.Grid {
		var cells []string
		for _, x := range row {
			cells = append(cells, number(x))
		}
		line("  [%s],", strings.Join(cells, ", "))
	}
	line("]")
	for k, x := range w.Drag {
		line("drag.%s = %s", k, number(x))
	}
	for _, r := range w.Robots {
		line("[[robot]]\nname = '%s'\npose = { x_m = %s, heading_deg = 0 }", r.Name, number(r.Pose.X))
		inline := rapid.Bool().Draw(t, "inline")
		var sensors []string
		for _, s := range r.Sensors {
			keys := []string{"name = '" + s.Name + "'", "rate_hz = " + number(s.Rate), "latency_ms = " + millis(s.Lag),
				"fov_deg = " + number(s.Fov*180/3.141592653589793), "level = '" + s.Level + "'"}
			if s.Mirror != nil {
				keys = append(keys, "mirror.rim_radius_mm = "+number(s.Mirror.Rim*1000))
			}
			if sensors = append(sensors, "{"+strings.Join(keys, ", ")+"}"); !inline {
				line("[[robot.sensor]]\n%s", strings.Join(keys, "\n"))
			}
		}
		if inline {
			line("sensor = [%s]", strings.Join(sensors, ",\n"))
		}
	}
	return b.String()
}

// tomlString escapes everything that is not plain.
func tomlString(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			fmt.Fprintf(&b, `\U%08X`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}
