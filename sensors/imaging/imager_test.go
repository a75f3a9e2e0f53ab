package imaging

import (
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// A camera balanced to a lamp of 3000 K shows white as white.
func TestWhiteBalanceUndoesTheLight(t *testing.T) {
	imager := Imager{FullWell: 1e6, Exposure: 1, Gain: 1, WhiteBalance: 3000}
	chip := imager.Chip(16, 16, nil, random.New(1, "r", "s", 0))
	lamp, white := render.BlackBody(3000), render.BlackBody(render.White)
	for c := range lamp {
		got, want := chip.Balance[c]*lamp[c]/white[c], chip.Balance[1]*lamp[1]/white[1]
		if !scalar.EqualWithinRel(got, want, 1e-12) {
			t.Errorf("white in channel %d is %v, in green %v", c, got, want)
		}
	}
	must.Equal(t, chip.Balance[1], 1, "green is amplified by")
}

// A tint takes that share of green from a white that is otherwise balanced, also automatically.
func TestTintIsLostGreen(t *testing.T) {
	i := imager()
	i.Tint = 0.1
	balance := AutoWhiteBalance{Settle: time.Second, MaxStops: 2}
	a := NewAutomatic(i, nil, &balance, 25)
	a.Next(grey(0.3))
	for name, s := range map[string]Settings{"fixed": i.Settings(), "automatic": a.Settings()} {
		for c, want := range [3]float64{1, 0.9, 1} {
			if !scalar.EqualWithinRel(s.Balance[c], want, 1e-9) {
				t.Errorf("%s: white in channel %d is %v, want %v", name, c, s.Balance[c], want)
			}
		}
	}
}

// Differences between pixels depend on the camera's seed, not on the frame.
func TestPixelsDifferForGood(t *testing.T) {
	i := Imager{PRNU: 0.01, HotPixels: 1e-4, HotCurrent: 2000, Temperature: 20}
	of := func(s random.Source) render.FixedPattern { return i.Chip(16, 16, nil, s).Fixed }
	one := of(random.New(1, "r", "s", 0))
	if one != of(random.New(1, "r", "s", 9)) || !one.On() {
		t.Errorf("another frame has other pixels than %+v", one)
	}
	if one.Key == of(random.New(1, "r", "t", 0)).Key || one.Key == of(random.New(2, "r", "s", 0)).Key {
		t.Error("two cameras have the same pixels")
	}
	i = Imager{HotCurrent: 2000, Temperature: 20}
	if f := of(random.New(1, "r", "s", 0)); f.On() {
		t.Errorf("of a perfect chip pixels differ: %+v", f)
	}
}

// A hot pixel collects charge while the shutter is open, and twice as much with every 8 K.
func TestHotPixelsCollectForAsLongAsTheShutterIsOpen(t *testing.T) {
	for _, c := range []struct {
		shutter     *Shutter
		temperature float64
		want        float64
	}{{nil, 20, 20}, {&Shutter{}, 20, 20}, {&Shutter{Exposure: 40 * time.Millisecond}, 20, 80}, {nil, 36, 80},
		{&Shutter{Exposure: 5 * time.Millisecond}, 12, 5}} {
		i := Imager{HotPixels: 1e-4, HotCurrent: 2000, Temperature: c.temperature}
		if got := i.Chip(16, 16, c.shutter, random.New(1, "r", "s", 0)).Fixed.HotSignal; !scalar.EqualWithinRel(got,
			c.want, 1e-12) {
			t.Errorf("%+v at %v °C: %v e, want %v", c.shutter, c.temperature, got, c.want)
		}
	}
}

func TestImagesHaveTheirOwnNoise(t *testing.T) {
	source := random.New(1, "r", "s", 0)
	keys := map[uint64]bool{}
	for _, s := range []random.Source{source, source.Frame(1), random.New(1, "r", "t", 0), random.New(2, "r", "s", 0)} {
		keys[NoiseKey(s)] = true
	}
	if len(keys) != 4 || NoiseKey(source) != NoiseKey(random.New(1, "r", "s", 0)) {
		t.Errorf("keys of four images: %v", keys)
	}
}

// A chip has no column faults by default.
func TestColumnsOfAChip(t *testing.T) {
	var i Imager
	i.SetDefaults()
	if c := i.Chip(16, 16, nil, random.New(1, "r", "s", 0)); c.Spill != 0 || c.Smear != 0 {
		t.Errorf("by default charge spills, %v, or smears, %v", c.Spill, c.Smear)
	}
	i.Blooming, i.Smear = 0.25, 0.001
	if c := i.Chip(16, 16, nil, random.New(1, "r", "s", 0)); c.Spill != 0.25 || c.Smear != 0.001 {
		t.Errorf("%v spills and %v smears, want 0.25 and 0.001", c.Spill, c.Smear)
	}
}

func TestDirtStays(t *testing.T) {
	noise := random.New(5, "cyan1", "omni", 0)
	d := dirt(40, 6, 640, 480, noise)
	if !slices.Equal(d, dirt(40, 6, 640, 480, noise)) {
		t.Error("other dirt the second time")
	}
	if slices.Equal(d, dirt(40, 6, 640, 480, random.New(5, "cyan2", "omni", 0))) {
		t.Error("two robots have the same dirt")
	}
	stained := 0
	for i, share := range d {
		if share != 1 {
			stained++
		}
		if !(share >= 1-speckStrength-1e-6) || !(share <= 1) {
			t.Fatalf("pixel %d keeps %v of the light", i, share)
		}
	}
	if share := float64(stained) / float64(len(d)); len(d) != 640*480 || !(share >= 0.001) || !(share <= 0.1) {
		t.Errorf("%.2f %% of %d pixels are stained", 100*share, len(d))
	}
	if dirt(0, 0, 640, 480, noise) != nil {
		t.Error("a clean lens has stains")
	}
}

// The oracle is the published laws as written in their sources.
func TestRangingHasThePublishedNoise(t *testing.T) {
	var v2 Ranging
	v2.SetDefaults()
	for _, c := range []struct {
		name string
		cfg  Ranging
		// metres; for each unit of θ²/(π/2 − θ)²; pixels of a focal length of 365
		facing, slant, lateral func(z float64) float64
	}{
		{"Kinect v2", v2, func(z float64) float64 { return 1e-3 * (1.5 - 0.5*z + 0.3*z*z) },
			func(z float64) float64 { return 1e-4 * math.Pow(z, 1.5) },
			func(z float64) float64 { return 0.0016 * 365 / z }},
		{"Kinect v1", KinectV1(), func(z float64) float64 { return 0.0012 + 0.0019*math.Pow(z-0.4, 2) },
			func(z float64) float64 { return 1e-4 / math.Sqrt(z) }, func(float64) float64 { return 0.8 }},
	} {
		for _, factor := range []float64{0, 1, 2.5} {
			c.cfg.Noise, c.cfg.Lateral = factor, 3*factor
			m := c.cfg.Measured()
			for _, z := range []float64{0.5, 1, 3, 8} {
				step := 0.0
				if c.cfg.Disparity {
					step = 0.00292 * z * z / math.Sqrt(12)
				}
				for _, x := range []struct {
					name      string
					got, want float64
				}{
					{"Sigma", c.cfg.Sigma(z), math.Hypot(factor*c.facing(z), step)},
					{"axial noise", m.Axial[0] + m.Axial[1]*z + m.Axial[2]*z*z, factor * c.facing(z)},
					{"slant", (m.Slant[0] + m.Slant[1]*z*z) / math.Sqrt(z), factor * c.slant(z)},
					{"lateral noise", m.Lateral[0] + m.Lateral[1]*365/z, 3 * factor * c.lateral(z)},
				} {
					if !scalar.EqualWithinAbsOrRel(x.got, x.want, 1e-12, 1e-12) {
						t.Errorf("%s, factor %v, %v m: %s %v, want %v", c.name, factor, z, x.name, x.got, x.want)
					}
				}
			}
		}
	}
}
