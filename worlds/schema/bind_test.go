package schema_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

var sameWorld = cmp.AllowUnexported(world{}, field{})

func TestBind(t *testing.T) {
	const text = `
name = "derby"
seed = 0x2A
field = { length_m = 20, width_m = 15.5 }
step_ms = 7
wind_m_s = [0, 0.5, -1]
tags = [
  "a", # first
  "b-2",
]
grid = [[0, 1], [], [0.5]]
drag.air = 1
drag."ball" = 2.5
small = -128
count = 255
limit_m = inf
gain = 1_000
any = { list = [1, 2.5, "x", true, 1979-05-27], deep.er = {} }
loud = true
lamp.main = {}
lamp.side.power_w = 60
[[robot]]
name = "cyan1"
pose.x_m = -2
  [[robot.sensor]]
  name = "omni"
  rate_hz = 30
  latency_ms = 2.5
  mirror = { rim_radius_mm = 35 }
  [[robot.sensor]]
  name = "front"
  rate_hz = 60.0
  fov_deg = 90
  level = "ideal"
[[robot]]
name = "cyan2"
  [robot.pose]
  heading_deg = 180
`
	want := defaultWorld()
	want.Name, want.Seed, want.Field, want.Step = "derby", 42, field{20, 15.5}, 7*time.Millisecond
	want.Wind, want.Tags, want.Grid = [3]float64{0, 0.5, -1}, []string{"a", "b-2"}, [][]float64{{0, 1}, {}, {0.5}}
	want.Drag = map[string]float64{"air": 1, "ball": 2.5}
	want.Small, want.Count, want.Gain, want.Loud = -128, 255, 1000, true
	want.Any = map[string]any{"list": []any{int64(1), 2.5, "x", true, "1979-05-27"},
		"deep": map[string]any{"er": map[string]any{}}}
	want.Lamps = map[string]*lamp{"main": {40}, "side": {60}}
	want.Robots = []robot{
		{Name: "cyan1", Pose: pose{-2, math.Pi / 2}, Sensors: []sensor{
			{Name: "omni", Rate: 30, Lag: 2500 * time.Microsecond, Fov: math.Pi, Level: "raw",
				Mirror: &mirror{Rim: 0.035}},
			{Name: "front", Rate: 60, Fov: math.Pi / 2, Level: "ideal"},
		}},
		{Name: "cyan2", Pose: pose{0, math.Pi}},
	}
	for name, text := range map[string]string{
		"lf": text, "crlf": strings.ReplaceAll(text, "\n", "\r\n"), "byte order mark": "\ufeff" + text,
	} {
		got := defaultWorld()
		if _, err := bind(text, &got); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(want, got, sameWorld); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if err := schema.Check(got); err != nil {
			t.Errorf("%s: Check: %v", name, err)
		}
	}
}

func TestBindTakesNames(t *testing.T) {
	var got world
	must.Get(bind("name = 'a'\nfield = 'msl-22x14'", &got))(t)
	must.Equal(t, got.Field, (field{22, 14}), "field")
}

func TestBindLeavesSharedDefaultsAlone(t *testing.T) {
	shared := defaultWorld()
	shared.Lamps = map[string]*lamp{"main": {1}}
	shared.Robots = []robot{{Name: "a", Sensors: []sensor{{Name: "s", Rate: 1, Mirror: &mirror{Rim: 1}}}}}
	cfg := shared
	_, err := bind("name='x'\nlamp.main.power_w=2\n[[robot]]\nname='a'\nsensor=[{name='s',rate_hz=2,mirror={rim_radius_mm=2}}]", &cfg)
	if err != nil {
		t.Fatal(err)
	}
	if l, s := shared.Lamps["main"].Power, shared.Robots[0].Sensors[0]; l != 1 || s.Rate != 1 || s.Mirror.Rim != 1 {
		t.Errorf("defaults changed: lamp %v, sensor %v", l, s)
	}
	if l, s := cfg.Lamps["main"].Power, cfg.Robots[0].Sensors[0]; l != 2 || s.Rate != 2 || s.Mirror.Rim != 0.002 {
		t.Errorf("not bound: lamp %v, sensor %v", l, s)
	}
}

// union is a table whose other keys depend on one of them.
type union struct {
	Name string `toml:"name" required:"true"`
	Kind string `toml:"kind" oneof:"camera|imu"`
	Part any    `toml:",inline"`
}

func (u *union) BindNode(n *schema.Node) error {
	if kind := n.Get("kind"); kind != nil {
		switch text, _ := kind.Text(); text {
		case "camera":
			u.Part = &sensorPart{Fov: 1}
		case "imu":
			u.Part = &imuPart{}
		}
	}
	return n.Bind(u)
}

type sensorPart struct {
	Fov float64 `toml:"fov_deg" range:"(0, 360)"`
}

type imuPart struct {
	Noise float64 `toml:"gyro_noise_deg_s_rthz" range:"[0, inf)"`
}

func TestUnion(t *testing.T) {
	var got struct {
		Sensors []union `toml:"sensor" merge:"name"`
	}
	_, err := bind("[[sensor]]\nname='a'\nkind='camera'\nfov_deg=180\n[[sensor]]\nname='b'\nkind='imu'", &got)
	if err != nil {
		t.Fatal(err)
	}
	want := []union{{"a", "camera", &sensorPart{math.Pi}}, {"b", "imu", &imuPart{}}}
	must.Equal(t, got.Sensors, want, "sensors")
	// An overlay may leave the kind to the base.
	_, err = bind("[[sensor]]\nname='b'\ngyro_noise_deg_s_rthz=-1\nfov_deg=1", &got)
	wantErrors(t, err,
		"w.toml:3:1: sensor[1]: gyro_noise_deg_s_rthz = -1: must lie in [0, inf)",
		"w.toml:4:1: sensor[1]: fov_deg = 1: unknown key, must be one of name, kind, gyro_noise_deg_s_rthz")
	got.Sensors[1].Part.(*imuPart).Noise = -math.Pi / 180
	wantErrors(t, schema.Check(got), "sensor[1].gyro_noise_deg_s_rthz = -1: must lie in [0, inf)")
}

func wantErrors(t *testing.T, err error, want ...string) {
	t.Helper()
	var got []string
	for _, e := range schema.Flatten(err) {
		got = append(got, e.Error())
	}
	must.Equal(t, got, want, "errors")
}
