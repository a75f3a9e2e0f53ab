package schema_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

func TestMerge(t *testing.T) {
	base := "[[robot]]\nname='a'\npose.x_m=1\n[[robot.sensor]]\nname='s'\nrate_hz=10\nfov_deg=90\n[[robot]]\nname='b'"
	over := "name='w'\n[[robot]]\nname='c'\n[[robot]]\nname='a'\n[[robot.sensor]]\nname='s'\nrate_hz=20\n[[robot.sensor]]\nname='t'\nrate_hz=30"
	want := []robot{
		{Name: "a", Pose: pose{1, math.Pi / 2}, Sensors: []sensor{
			{Name: "s", Rate: 20, Fov: math.Pi / 2, Level: "raw"}, {Name: "t", Rate: 30, Fov: math.Pi, Level: "raw"}}},
		{Name: "b", Pose: pose{0, math.Pi / 2}},
		{Name: "c", Pose: pose{0, math.Pi / 2}},
	}
	baseFile, overFile := mustParse(t, "base.toml", base), mustParse(t, "over.toml", over)

	var together world
	must.Do(t, overFile.Root().Bind(&together, baseFile.Root()))
	must.Equal(t, together.Robots, want, "together")
	inTurn := world{common: common{Name: "x"}}
	must.Do(t, errors.Join(baseFile.Bind(&inTurn), overFile.Bind(&inTurn)))
	must.Equal(t, inTurn.Robots, want, "in turn")
}

func TestMergeErrors(t *testing.T) {
	base := mustParse(t, "base.toml",
		"[[robot]]\nname='a'\n[[robot.sensor]]\nname='s'\nrate_hz=-1\n[[robot.sensor]]\nname='t'")
	over := mustParse(t, "over.toml",
		"[[robot]]\nname='b'\n[[robot]]\nname='a'\nsensor=[{name='u'},{name='s',rat_hz=1}]\nfield=1")
	var w world
	wantErrors(t, over.Root().Bind(&w, base.Root()),
		"base.toml:5:1: robot[0].sensor[0]: rate_hz = -1: must lie in (0, 1000]",
		"base.toml:6:1: robot[0].sensor[1]: rate_hz: must be given",
		"over.toml:1:1: name: must be given",
		"over.toml:5:9: robot[0].sensor[2]: rate_hz: must be given",
		"over.toml:5:30: robot[0].sensor[0]: rat_hz = 1: unknown key; did you mean rate_hz?",
		"over.toml:6:1: robot[0]: field = 1: unknown key, must be one of name, pose, sensor")
}

func TestHookSeesLayers(t *testing.T) {
	table, name := "name='a'\n[field]\nlength_m=30\nwidth_m=20", "name='a'\nfield='msl-22x14'"
	for _, c := range []struct {
		base, over string
		want       field
	}{
		{name, table, field{30, 20}},
		{table, name, field{22, 14}},
		{table, "field.width_m=10", field{30, 10}},
	} {
		var w world
		err := mustParse(t, "over.toml", c.over).Root().Bind(&w, mustParse(t, "base.toml", c.base).Root())
		if err != nil || w.Field != c.want {
			t.Errorf("%q over %q: %v, %v; want %v", c.over, c.base, w.Field, err, c.want)
		}
	}
}

func TestLocate(t *testing.T) {
	base := mustParse(t, "base.toml", "[[robot]]\nname='a'\n  [[robot.sensor]]\n  name='s'\n  rate_hz=1\n  "+
		"mirror.rim_radius_mm = 30")
	over := mustParse(t, "over.toml", "name='w'\nlamp.\"a.b\".power_w=1\n[[robot]]\nname='b'\n[[robot]]\nname='a'")
	var w world
	must.Do(t, over.Root().Bind(&w, base.Root()))
	for path, own := range map[string]bool{"name": true, "robot[1].name": true, "robot[0]": true,
		"robot[0].sensor[0]":         false,
		"robot[0].sensor[0].rate_hz": false, "robot[7]": false, "step_ms": false} {
		if over.Own(path) != own {
			t.Errorf("Own(%s) = %v", path, !own)
		}
	}
	w.Robots[0].Sensors[0].Mirror.Lens = 0.04
	other := fmt.Errorf("no position")
	err := errors.Join(other, schema.Check(&w),
		&schema.Violation{Path: "robot[1].sensor[7].mirror", Key: "k1", Value: 1.5, Rule: "is not there"},
		&schema.Violation{Path: `lamp."a.b"`, Key: "power_w", Value: 2.0, Rule: "shows the file's value"},
		&schema.Violation{Path: `lamp."a.b"`, Key: "colour", Value: "blue", Rule: "is not there"},
		&schema.Violation{Path: "nowhere", Key: "x", Rule: "is not there"})
	wantErrors(t, over.Locate(err),
		"base.toml:6:10: robot[0].sensor[0].mirror: rim_radius_mm = 30: must not be smaller than lens_radius_mm",
		"over.toml:1:1: field: length_m = 0: must lie in (0, 100)",
		"over.toml:1:1: step_ms = 0: must lie in (0, 100]",
		"over.toml:1:1: engine = \"\": must be one of ode, planar",
		"over.toml:1:1: tags: must have at least 1 element",
		"over.toml:1:1: limit_m = 0: must lie in (0, inf]",
		"over.toml:1:1: nowhere: x: is not there",
		"over.toml:2:6: lamp.\"a.b\": colour = \"blue\": is not there",
		"over.toml:2:12: lamp.\"a.b\": power_w = 1: shows the file's value",
		"over.toml:3:1: robot[1].sensor[7].mirror: k1 = 1.5: is not there",
		"no position")
	if over.Locate(nil) != nil {
		t.Error("Locate(nil) is an error")
	}
}

// asksItself has a hook that also returns the errors of the value's own Validate.
type asksItself struct{ mirror }

func (a *asksItself) BindNode(n *schema.Node) error {
	return errors.Join(n.Bind(a), a.Validate())
}

func TestHookViolationsGetPositions(t *testing.T) {
	var got struct {
		Own asksItself `toml:"own"`
	}
	_, err := bind("\n[own]\nrim_radius_mm = 10\nlens_radius_mm = 20", &got)
	wantErrors(t, err, "w.toml:3:1: own: rim_radius_mm = 10: must not be smaller than lens_radius_mm")
}

func TestCheck(t *testing.T) {
	w := defaultWorld()
	w.Engine, w.Step, w.Seed, w.Tags = "odr", 101500*time.Microsecond, -1, []string{"a", "b c"}
	w.Field.Length = math.NaN()
	w.Wind[2] = math.Inf(-1)
	w.Drag = map[string]float64{"z": -1, "b c": 1}
	w.Lamps = map[string]*lamp{"y": {-2}, "none": nil}
	w.Robots = []robot{{Name: "a", Pose: pose{Heading: 2 * math.Pi}, Sensors: []sensor{
		{Name: "s", Rate: 1, Lag: -time.Millisecond, Fov: -math.Pi / 18, Mirror: &mirror{Rim: 0.03, Lens: 0.031}}, {}}}}
	wantErrors(t, schema.Check(&w),
		"name: must be given",
		"seed = -1: must lie in [0, inf)",
		"field.length_m = nan: must lie in (0, 100)",
		"step_ms = 101.5: must lie in (0, 100]",
		`engine = "odr": must be one of ode, planar; did you mean ode?`,
		"robot[0].sensor[0].latency_ms = -1: must lie in [0, inf)",
		"robot[0].sensor[0].fov_deg = -10: must lie in (0, 360)",
		"robot[0].sensor[0].mirror.rim_radius_mm = 30: must not be smaller than lens_radius_mm",
		"robot[0].sensor[1].name: must be given",
		"robot[0].sensor[1].rate_hz = 0: must lie in (0, 1000]",
		"robot[0].sensor[1].fov_deg = 0: must lie in (0, 360)",
		"wind_m_s[2] = -inf: must be finite",
		`tags[1] = "b c": must be a name: a letter, then letters, digits, _ or -`,
		`drag: "b c" must be a name: a letter, then letters, digits, _ or -`,
		"drag.z = -1: must lie in [0, inf)",
		"lamp.y.power_w = -2: must lie in [0, inf)")
}

func TestWrongTagsPanic(t *testing.T) {
	for name, cfg := range map[string]any{
		"range": struct {
			X int `toml:"x" range:"0, 1"`
		}{},
		"interval": struct {
			X int `toml:"x" range:"[1, 0]"`
		}{},
		"match": struct {
			X string `toml:"x" match:"nome"`
		}{},
		"required": struct {
			X string `toml:"x" required:"yes"`
		}{},
		"minlen": struct {
			X []int `toml:"x" minlen:"one"`
		}{},
		"duration": struct {
			X time.Duration `toml:"x_m"`
		}{},
		"integer": struct {
			X int `toml:"x_mm"`
		}{},
		"twice": struct {
			X int `toml:"x"`
			Y int `toml:"x"`
		}{},
		"type": 7,
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			_ = schema.Check(cfg)
		})
	}
}

func mustParse(t *testing.T, name, text string) *schema.File {
	t.Helper()
	f := must.Get(schema.Parse(name, []byte(text)))(t)
	return f
}
