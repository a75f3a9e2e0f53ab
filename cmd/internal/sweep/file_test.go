package sweep

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// tiny is a world whose runs take a few milliseconds. A fast ball passes the place of its expectation. Its random world
// has a different state for each seed.
const tiny = `name = "tiny"

[test]
for_s = 0.2

[physics]
engine = "planar"

[vars]
speed = 3

[[robot]]
name = "cyan1"
body = { radius_m = 0.25, height_m = 0.7, mass_kg = 20, inertia_zz_kg_m2 = 1, com_height_m = 0.2 }
drive = { level = "kinematic", wheel_angles_deg = [60, 180, 300], wheel_distance_m = 0.2, wheel_radius_m = 0.05, max_wheel_speed_m_s = 4, max_speed_m_s = 3, max_omega_deg_s = 500, max_accel_m_s2 = 4, max_alpha_deg_s2 = 2000 }
pose = { x_m = -3 }

[[event]]
at_s = 0
place = { name = "ball", x_m = 1, y_m = "{y}", vx_m_s = "{speed}" }

[[area]]
name = "there"
circle = { x_m = 1.5, radius_m = 0.3 }

[[expect]]
name = "there"
eventually = { in_area = { name = "ball", area = "there" } }
within_s = 0.15
`

// fixed and drawn are the two forms of the tiny world.
var (
	fixed = strings.Replace(tiny, `"{y}"`, "0", 1)
	drawn = strings.Replace(tiny, `"{y}"`, "{ uniform = [-0.5, 0.5] }", 1)
)

// write writes files into a folder.
func write(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
}

const grid = `name = "grid"
worlds = ["fixed.toml", "drawn.toml"]
seeds = "1..3"

[[axis]]
key = "vars.speed"
values = [1, 3, 6]

[[axis]]
key = "robot[cyan1].body.mass_kg"
range = [10, 30]
steps = 2
`

// load reads a sweep of the tiny worlds.
func load(t testing.TB, text string) (*Plan, error) {
	t.Helper()
	folder := t.TempDir()
	write(t, folder, map[string]string{"fixed.toml": fixed, "drawn.toml": drawn, "sweep.toml": text})
	must.Do(t, os.Mkdir(filepath.Join(folder, "far"), 0o755))
	// Both can be read in place. The files of the second cannot be read from elsewhere.
	write(t, filepath.Join(folder, "far"),
		map[string]string{"near.toml": "name = \"near\"\ninclude = [\"../drawn.toml\"]\n",
			"far.toml": "name = \"far\"\ninclude = [\"" + folder + "/drawn.toml\"]\n"})
	return Load(t.Context(), filepath.Join(folder, "sweep.toml"), "v", nil)
}

// TestGrid checks that a grid combines each value with all others, with the last axis fastest. Jobs are worlds × points
// × seeds, and the same file must give the same sweep.
func TestGrid(t *testing.T) {
	p, err := load(t, grid)
	must.Do(t, err)
	var got []string
	for _, point := range p.Points {
		got = append(got, point.Value(p.Keys[0])+" "+point.Value(p.Keys[1]))
	}
	must.Equal(t, got, []string{"1 10", "1 30", "3 10", "3 30", "6 10", "6 30"}, "points")
	if len(p.Jobs) != 36 || p.Jobs[4].Key != "w0.p1.s2" || p.Jobs[35].Key != "w1.p5.s3" {
		t.Errorf("%d jobs: %+v", len(p.Jobs), p.Jobs)
	}
	again, err := load(t, grid)
	if err != nil || again.ID != p.ID {
		t.Errorf("%v, ID %s and %s", err, p.ID, again.ID)
	}
	other, err := load(t, strings.Replace(grid, "6]", "7]", 1))
	if err != nil || other.ID == p.ID {
		t.Errorf("%v, another file has ID %s too", err, other.ID)
	}
	w, err := p.world(0, 5)
	if err != nil || w.Robots[0].Body.Mass != 30 || w.Robots[0].Name != "cyan1" || len(w.Robots) != 1 {
		t.Errorf("%v: %+v", err, w.Robots)
	}
}

// TestDraws checks that draws are repeatable, lie in their ranges, and do not change when an axis is added.
func TestDraws(t *testing.T) {
	const random = `name = "random"
worlds = ["fixed.toml"]
draws = 200
seed = 5
[[axis]]
key = "vars.speed"
range = [1, 6]
[[axis]]
key = "ball.mass_kg"
normal = [0.4, 0.02]
`
	a, err := parseFile("a.toml", []byte(random))
	must.Do(t, err)
	b, err := parseFile("b.toml", []byte(random+"[[axis]]\nkey = \"physics.engine\"\nvalues = [\"ode\", \"planar\"]\n"))
	must.Do(t, err)
	sum, ode := 0.0, 0
	for i, p := range a.points() {
		x, _ := p.Number("vars.speed")
		if !(x >= 1 && x <= 6) {
			t.Fatalf("%v lies outside [1, 6]", x)
		}
		sum += x
		q := b.points()[i]
		if p.Value("vars.speed") != q.Value("vars.speed") || p.Value("ball.mass_kg") != q.Value("ball.mass_kg") {
			t.Fatalf("draw %d: %v and %v", i, p, q)
		}
		if q.Value("physics.engine") == "ode" {
			ode++
		}
	}
	// The mean of 200 uniform numbers has σ = 5/√12/√200 = 0.102, and the limit is 5 σ. For 200 coins σ = 7.1.
	if mean := sum / 200; !(mean > 3.5-0.51 && mean < 3.5+0.51) || ode < 65 || ode > 135 {
		t.Errorf("mean %v, %d of 200 are ode", mean, ode)
	}
}

// TestErrors checks that an error has its place in the sweep's file and suggests what was probably meant.
func TestErrors(t *testing.T) {
	const head = "name = \"s\"\nworlds = [\"fixed.toml\"]\n"
	axis := func(key, rest string) string { return head + "[[axis]]\nkey = \"" + key + "\"\n" + rest + "\n" }
	for _, c := range []struct{ text, want string }{
		{axis("physics.engin", "values = [1]"),
			`sweep.toml:4:1: axis[0]: key = "physics.engin": physics.engin: unknown key; did you mean engine?`},
		{axis("physics.engine", `values = ["planar", "planer"]`),
			`sweep.toml:5:21: axis[0]: values[1] = "planer": physics.engine: must be one of ode, planar, mujoco; did you mean planar?`},
		{axis("vars.sped", "values = [1]"),
			`sweep.toml:5:11: axis[0]: values[0] = 1: vars.sped: nothing uses {sped}; did you mean speed?`},
		{axis("robot[cyan2].pose.x_m", "values = [1]"), `did you mean cyan1?`},
		{axis("robot[cyan1", "values = [1]"),
			`sweep.toml:4:1: axis[0]: key = "robot[cyan1": must be the path of a key, such as physics.engine`},
		{axis("robot[cyan1]", "values = [1]"), `must end with a key of robot[cyan1]`},
		{axis("a..b", "values = [1]"), `must be the path of a key`},
		{axis("vars.speed", "range = [1, 2]"), `sweep.toml:5:1: axis[0]: range = [1, 2]: needs steps in a grid`},
		{axis("vars.speed", "range = [2, 1]\nsteps = 3"), `must be [least, most]`},
		{axis("vars.speed", "normal = [1, 1]"), `needs draws`},
		{axis("vars.speed", "values = [1]\nrange = [1, 2]"), `needs one of values, range and normal`},
		{axis("vars.speed", ""), `needs one of values, range and normal`},
		{axis("vars.speed", "values = [1]\n[[axis]]\nkey = \"vars.speed\"\nvalues = [2]"),
			`is also the key of axis[0]`},
		{axis("vars.speed", "values = [1]") + "[[point]]\n\"vars.speed\" = 2\n", `must not be combined with axis or draws`},
		{head + "draws = 3\n", `needs [[axis]]`},
		{head + "seeds = \"5..1\"\n", `a range goes from its smaller seed to its larger one`},
		{head + "sed = 1\n", `sweep.toml:3:1: sed = 1: unknown key; did you mean seed`},
		{strings.Replace(head, "fixed", "fxed", 1),
			`sweep.toml:2:11: worlds[0] = "fxed.toml": "fxed.toml": no such file`},
		{axis("vars.speed", "range = [1, 2]\nsteps = 400") + "[[axis]]\nkey = \"ball.mass_kg\"\nrange = [1, " +
			"2]\nsteps = 400\n", `more than 100000 points`},
		{head + "[[point]]\n\"vars.speed\" = 2\n[[point]]\n\"physics.engine\" = \"od\"\n",
			`sweep.toml:6:1: point[1]: "physics.engine" = "od": physics.engine: must be one of ode, planar`},
	} {
		_, err := load(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v\nwant %s", c.text, err, c.want)
		}
	}
}
