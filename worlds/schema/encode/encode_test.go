package encode_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/omnipitch/omnipitch/worlds/schema"
	"github.com/omnipitch/omnipitch/worlds/schema/encode"
)

type config struct {
	Name   string            `toml:"name" match:"name"`
	Title  string            `toml:"title"`
	Angle  float64           `toml:"angle_deg"`
	Small  float32           `toml:"small_mm"`
	Lag    time.Duration     `toml:"lag_ms"`
	Rate   float64           `toml:"rate_hz" range:"(0, 10]"`
	Limit  float64           `toml:"limit_m" range:"(0, inf]"`
	Count  int               `toml:"count"`
	Large  uint64            `toml:"large"`
	On     bool              `toml:"on"`
	Sizes  []float64         `toml:"size_cm"`
	Grid   [][]int           `toml:"grid"`
	Wind   [2]float64        `toml:"wind_m_s"`
	Choice *float64          `toml:"choice"`
	Names  map[string]string `toml:"names"`
	Part   part              `toml:"part"`
	Other  *part             `toml:"other"`
	Parts  []part            `toml:"parts"`
	Lamps  map[string]*part  `toml:"lamp"`
	part                     // inline
	hidden int
}

type part struct {
	X     float64 `toml:"x_m"`
	Inner *inner  `toml:"inner"`
}

type inner struct {
	Deep []inner `toml:"deep"`
}

func text(cfg any) string {
	var b strings.Builder
	for _, l := range encode.Lines(cfg) {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func TestLines(t *testing.T) {
	third := 1.0 / 3
	cfg := config{
		Name: "a", Title: "say \"{x}\"\n\\ü", Angle: math.Pi / 2, Small: 0.0025, Lag: 2500 * time.Microsecond,
		Limit: math.Inf(1), Count: -3, Large: 1 << 60,
		Sizes: []float64{0.01, 1}, Grid: [][]int{{1, 2}, {}}, Wind: [2]float64{1e-7, math.Copysign(0, -1)},
		Choice: &third,
		Names:  map[string]string{"b c": "1", "a{": "2"}, Other: &part{},
		Parts: []part{{X: 1}, {Inner: &inner{[]inner{{}, {}}}}},
		Lamps: map[string]*part{"l.1": {X: 2}}, part: part{X: 5e10},
	}
	want := `name = "a"
title = "say \"{{x}}\"\u000a\\ü"
angle_deg = 90
small_mm = 2.5
lag_ms = 2.5
limit_m = inf
count = -3
large = 1152921504606846976
on = false
size_cm = [1, 100]
grid = [[1, 2], []]
wind_m_s = [1e-07, -0.0]
choice = 0.3333333333333333
x_m = 5e+10

[names]
"a{" = "2"
"b c" = "1"

[part]
x_m = 0

[other]
x_m = 0

[[parts]]
x_m = 1

[[parts]]
x_m = 0

[[parts.inner.deep]]

[[parts.inner.deep]]

[lamp]

[lamp."l.1"]
x_m = 2
`
	got := text(&cfg)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	var again config
	f, err := schema.Parse("t.toml", []byte(got))
	if err == nil {
		err = f.Expand(nil, &schema.Made{})
	}
	if err == nil {
		err = f.Bind(&again)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(cfg, again) || !math.Signbit(again.Wind[1]) {
		t.Errorf("read again: %+v, not %+v", again, cfg)
	}
	for _, l := range encode.Lines(&cfg) {
		if l.Text == "x_m = 1" && (l.Path != "parts[0].x_m" || !l.Key) || l.Text == `[lamp."l.1"]` &&
			(l.Path != `lamp."l.1"` || l.Key) {
			t.Errorf("%+v", l)
		}
	}
}

// Reading a written number gives the same bits, and numbers for which no decimal does are marked.
func TestNumbersComeBack(t *testing.T) {
	type numbers struct {
		Angle float64       `toml:"angle_deg"`
		Size  float64       `toml:"size_mm"`
		Speed float64       `toml:"speed_m_s"`
		Lag   time.Duration `toml:"lag_ms"`
		Gain  float32       `toml:"gain"`
	}
	random := rand.New(rand.NewPCG(1, 2))
	inexact := 0
	for range 20000 {
		scale := math.Pow(10, float64(random.IntN(12)-6))
		given := numbers{Speed: random.NormFloat64() * scale, Gain: float32(random.NormFloat64() * scale),
			Angle: random.NormFloat64() * scale, Size: random.NormFloat64() * scale / 1000,
			Lag: time.Duration(random.NormFloat64() * scale * 1e6)}
		asInFiles := random.IntN(2) == 0
		if asInFiles {
			given.Angle = math.Round(given.Angle*1e4) * math.Pi / 180
		}
		var got numbers
		f, err := schema.Parse("t.toml", []byte(text(&given)))
		if err == nil {
			err = f.Bind(&got)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range encode.Lines(&given) {
			if !l.Inexact {
				continue
			}
			if inexact++; l.Path != "angle_deg" || asInFiles || !(math.Abs(got.Angle/given.Angle-1) < 1e-11) {
				t.Errorf("%+v", l)
			}
			got.Angle = given.Angle
		}
		if got != given {
			t.Fatalf("%+v is read as %+v", given, got)
		}
	}
	if inexact == 0 {
		t.Error("radians lie closer together than degrees here and there: some are to be inexact")
	}
}
