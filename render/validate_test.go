package render

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/optics"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// A renderer accepts only changed numbers; what it has compiled or baked stays.
func TestAShadingFitsItsScene(t *testing.T) {
	s := Scene{Shading: Shading{Light: Light{Spots: make([]PointLamp, 2)}, Materials: []Material{{},
		{Pattern: SoccerBall}}}}
	for name, c := range map[string]struct {
		change func(*Shading)
		fits   bool
	}{
		"as it is": {func(*Shading) {}, true},
		"numbers": {func(o *Shading) {
			o.Light.Spots[0].PosW[2], o.Light.Sky[1], o.Materials[1].Color[0], o.Carpet[2] = 3, 1, 1, 1
		}, true},
		"a lamp less": {func(o *Shading) { o.Light.Spots = o.Light.Spots[:1] }, false},
		"a material":  {func(o *Shading) { o.Materials = append(o.Materials, Material{}) }, false},
		"a pattern":   {func(o *Shading) { o.Materials[1].Pattern = Plain }, false},
		"no shadows":  {func(o *Shading) { o.Light.Shadowless = true }, false},
	} {
		other := s.Shading
		other.Light.Spots, other.Materials = slices.Clone(other.Light.Spots), slices.Clone(other.Materials)
		c.change(&other)
		if err := s.Accepts(&other); (err == nil) != c.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARangingIsMeasuredThroughAPinhole(t *testing.T) {
	good := Ranging{Min: 0.5, Max: 8, Axial: [3]float64{0.001, -0.0005, 0.0003}, Slant: [2]float64{0, 0.0001},
		Flying: 0.4, Dropout: 0.6}
	for name, c := range map[string]struct {
		change func(*Ranging)
		want   string // substring of the error; empty for none
	}{
		"as it is":        {func(*Ranging) {}, ""},
		"no range":        {func(r *Ranging) { r.Min = 8 }, "largest distance = 8: must be larger than the least, 8"},
		"behind":          {func(r *Ranging) { r.Min = -1 }, "least distance = -1: must be 0 to 10000"},
		"endless":         {func(r *Ranging) { r.Max = math.Inf(1) }, "largest distance = +Inf"},
		"NaN":             {func(r *Ranging) { r.Axial[2] = math.NaN() }, "axial noise = NaN"},
		"slant":           {func(r *Ranging) { r.Slant[0] = -1 }, "slant = -1"},
		"lateral":         {func(r *Ranging) { r.Lateral[1] = 1e7 }, "lateral noise = 1e+07"},
		"more than all":   {func(r *Ranging) { r.Flying = 0.5 }, "flying pixels and dropout = 1.1: must be 0 to 1"},
		"projector":       {func(r *Ranging) { r.Baseline = -0.1 }, "baseline = -0.1"},
		"disparity steps": {func(r *Ranging) { r.Step = math.NaN() }, "disparity step = NaN"},
	} {
		ranging := good
		c.change(&ranging)
		v := View{Model: optics.Pinhole{Width: 16, Height: 16}, Depth: NewDepth(16, 16), Ranging: &ranging}
		switch err := v.Validate(); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	v := View{Model: optics.Hyperbolic{Pinhole: optics.Pinhole{Width: 16, Height: 16}}, Depth: NewDepth(16, 16),
		Ranging: &good}
	must.Fail(t, v.Validate(), "must be through a pinhole", "through a mirror")
}

func TestATruthFitsItsImage(t *testing.T) {
	for _, c := range []struct {
		want   string // substring of the error; empty for none
		change func(*Truth)
	}{
		{"", func(*Truth) {}},
		{"", func(t *Truth) { t.Range, t.Normals, t.Flow = nil, nil, nil }},
		{"", func(t *Truth) { t.Normals, t.Flow = nil, nil }},
		{"truth: 9×8 pixels: must have the camera's size 9×7", func(t *Truth) { t.Height = 8 }},
		{"truth: Labels has 0 numbers: must have 1 for each of the camera's 9×7", func(t *Truth) { t.Labels = nil }},
		{"truth: Range has 0 numbers: must have 1 for each", func(t *Truth) { t.Range = []float32{} }},
		{"truth: Normals has 188 numbers: must have 3 for each", func(t *Truth) { t.Normals = t.Normals[1:] }},
		{"truth: Flow has 63 numbers: must have 2 for each", func(t *Truth) { t.Flow = t.Flow[63:] }},
		{"truth: Flow: needs Range, which is nil", func(t *Truth) { t.Range = nil }},
	} {
		v := View{Model: optics.PinholeFromFOV(9, 7, 1), Truth: NewTruth(9, 7)}
		c.change(v.Truth)
		if err := v.Validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestAChipFitsItsImage(t *testing.T) {
	good := Chip{FullWell: 10_000, ReadNoise: 12, Exposure: 1, Gain: 1, Balance: [3]float64{1, 1, 1}, Chromatic: 9,
		Bayer: true}
	for name, c := range map[string]struct {
		width  int
		change func(*Chip)
		want   string // substring of the error; empty for none
	}{
		"as it is":   {16, func(*Chip) {}, ""},
		"dirt":       {16, func(c *Chip) { c.Dirt = make([]float32, 16*16) }, ""},
		"no wells":   {16, func(c *Chip) { c.FullWell = 0 }, "full well = 0: must be 1 to 1e+12"},
		"NaN":        {16, func(c *Chip) { c.Gain = math.NaN() }, "gain = NaN"},
		"endless":    {16, func(c *Chip) { c.Balance[1] = math.Inf(1) }, "balance = +Inf"},
		"less noise": {16, func(c *Chip) { c.ReadNoise = -1 }, "read noise = -1"},
		"inside out": {16, func(c *Chip) { c.Chromatic = -11 }, "chromatic aberration of -11 pixels: must be less " +
			"than the 10.6"},
		"a column": {1, func(c *Chip) { c.Chromatic = 0 }, "image of 1×16: must be at least 2×2"},
		"others' dirt": {16, func(c *Chip) { c.Dirt = make([]float32, 16*15) },
			"dirt of 240 pixels: must be of the image's 256"},
	} {
		chip := good
		c.change(&chip)
		v := View{Model: optics.Pinhole{Width: c.width, Height: 16}, Color: NewImage(c.width, 16), Chip: &chip}
		switch err := v.Validate(); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// Every point must project to its pixel, at its depth.
func TestPointsProjectBack(t *testing.T) {
	lens := optics.Pinhole{Width: 40, Height: 30, FX: 35, FY: 36, CX: 19, CY: 16}
	d := NewDepth(40, 30)
	for i := range d.Z {
		d.Z[i] = 0.5 + 0.01*float32(i)
	}
	d.Z[7], d.Z[8] = 0, float32(math.Inf(1))
	points := Points(d, lens, nil)
	for i, p := range points {
		if i == 7 || i == 8 {
			if p[0] == p[0] {
				t.Errorf("pixel %d, of which nothing is known, is at %v", i, p)
			}
			continue
		}
		u, v, ok := lens.Project(mgl64.Vec3{float64(p[0]), float64(p[1]), float64(p[2])})
		if !ok || !(math.Hypot(u-float64(i%40), v-float64(i/40)) <= 1e-4) || p[2] != d.Z[i] {
			t.Fatalf("pixel %d is seen at (%v, %v), %v m away", i, u, v, p[2])
		}
	}
}
