package worlds

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

func TestTemplatesOfIncludedWorldsAndModels(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "model.toml", "about = 'eyes {{all around}}'\n[body]\nradius_m = 0.2\nheight_m = 0.5\nmass_kg = "+
		"10\ninertia_zz_kg_m2 = 1\ncom_height_m = 0.1\n"+
		"[drive]\nlevel = 'chassis'\nwheel_angles_deg = [60, 180, 300]\nwheel_distance_m = 0.2\nwheel_radius_m = "+
		"0.05\nmax_wheel_speed_m_s = 4\nmax_wheel_force_n = 50\nmax_speed_m_s = 3\nmax_omega_deg_s = "+
		"300\nmax_accel_m_s2 = 3\nmax_alpha_deg_s2 = 900\n"+
		"[[sensor]]\nfor_each.yaw = [0, 120]\nname = 'eye{yaw}'\nkind = 'camera'\nmount.yaw_deg = '{yaw}'\n")
	write(t, dir, "base.toml", "name = 'base'\nvars = { x = 1, level = 'truth' }\n[[robot]]\nfor_each = { n = [2, 3] "+
		"}\nname = 'r{n}'\nmodel = 'model.toml'\nnumber = '{n}'\npose = { x_m = '{x}', y_m = '{n}' "+
		"}\n[[robot.sensor]]\nname = 'eye120'\nlevel = '{level}'\n")
	top := write(t, dir, "top.toml", "name = 'top'\ninclude = ['base.toml']\nvars.x = 4\n[[robot]]\nname = "+
		"'r3'\npose.heading_deg = 90\n[[robot.sensor]]\nname = 'eye0'\nlevel = 'objects'\n")
	w := must.Get(Load(top))(t)
	type eye struct {
		name, level string
		yaw         float64
	}
	type seen struct {
		number  int
		x, y, h float64
		eyes    []eye
	}
	got := map[string]seen{}
	for _, r := range w.Robots {
		s := seen{r.Number, r.Pose.X, r.Pose.Y, r.Pose.Heading, nil}
		for _, c := range r.Sensors {
			s.eyes = append(s.eyes, eye{c.Name, string(c.Level), c.Mount.Yaw})
		}
		got[r.Name] = s
	}
	const third, quarter = 2.0943951023931953, 1.5707963267948966
	want := map[string]seen{
		"r2": {2, 4, 2, 0, []eye{{"eye0", "raw", 0}, {"eye120", "truth", third}}},
		"r3": {3, 4, 3, quarter, []eye{{"eye0", "objects", 0}, {"eye120", "truth", third}}},
	}
	must.Equal(t, got, want, "robots")
}

// FuzzTemplates looks for templates that panic, or make more than the limits allow.
func FuzzTemplates(f *testing.F) {
	for _, text := range []string{
		"[[board]]\nfor_each = { i = { from = 1, to = 3, count = 3 }, k = ['a', 'b'] }\nname = 'b{i}{k}'\nhang = { " +
			"x_m = '{i}' }",
		"vars = { rows = [{ n = 1 }, { n = 2 }], pose = { x_m = 1 } }\n[[obstacle]]\nfor_each = '{rows}'\nname = " +
			"'o{n}'\npose = '{pose}'",
		"[[event]]\nfor_each.t = [0, 1]\nat_s = '{t}'\n[event.place]\nname = 'ball'\nx_m = " +
			"1\n[[robot.sensor]]\nfor_each.name = ['omni']\nname = '{name}'",
		"about = '{{}}'\n[[robot.sensor]]\nfor_each.a = [[1, 2]]\n[[robot.sensor.laser.band]]\nfor_each.b = ['{a}', " +
			"'{a}']\nup_to_m = '{b}'",
	} {
		f.Add([]byte("name = 'x'\ninclude = ['nubot-attack']\n" + text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > schema.MaxBytes {
			return
		}
		allocs.AtMost(t, 2*allocs.ParseLimit, func() { // the text, and the result of expanding it
			if w, err := Parse("fuzz.toml", data); (w == nil) == (err == nil) {
				t.Fatalf("world %v with error %v", w, err)
			}
		})
	})
}

// Worlds of other seeds share the results of templates, also those of models that the first seed did not choose.
func TestTemplatesAreSharedBySeeds(t *testing.T) {
	dir := t.TempDir()
	model := must.Get(Source("mecanum"))(t)
	for _, name := range []string{"one", "two"} {
		write(t, dir, name+".toml",
			string(model)+"\n[[sensor]]\nfor_each = { name = ['"+name+"'] }\nname = '{name}'\nkind = 'camera'\n")
	}
	w := must.Get(Load(write(t, dir, "w.toml", "name = 'w'\nvars.x = 3\n[model.'one.toml']\nbody.mass_kg = "+
		"11\n[model.'two.toml']\nbody.mass_kg = 12\n"+
		"[[robot]]\nname = 'r'\nmodel = { choice = ['one.toml', 'two.toml'] }\npose.x_m = '{x}'\n")))(t)
	var group sync.WaitGroup
	var got [20]string
	for i := range got {
		group.Go(func() {
			other, err := w.WithSeed(uint64(i))
			if err != nil {
				got[i] = err.Error()
				return
			}
			r := other.Robots[0]
			got[i] = fmt.Sprintf("%g %g %s", r.Pose.X, r.Body.Mass, r.Sensors[len(r.Sensors)-1].Name)
		})
	}
	group.Wait()
	for i, g := range got {
		if g != "3 11 one" && g != "3 12 two" {
			t.Errorf("seed %d: %s", i, g)
		}
	}
	if !slices.Contains(got[:], "3 11 one") || !slices.Contains(got[:], "3 12 two") {
		t.Errorf("one model alone: %v", got)
	}
}
