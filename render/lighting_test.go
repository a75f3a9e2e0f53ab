package render

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The oracle is the Planckian locus as tabulated by the CIE (1931 observer): illuminant A and round temperatures.
func TestBlackBodiesLieOnThePlanckianLocus(t *testing.T) {
	for _, c := range []struct{ kelvin, x, y float64 }{
		{2856, 0.4476, 0.4074}, {4000, 0.3805, 0.3768}, {5500, 0.3325, 0.3411}, {6500, 0.3135, 0.3237},
		{10000, 0.2807, 0.2884},
	} {
		rgb := BlackBody(c.kelvin)
		// IEC 61966-2-1, from linear sRGB to XYZ.
		x := 0.4124*rgb[0] + 0.3576*rgb[1] + 0.1805*rgb[2]
		y := 0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2]
		z := 0.0193*rgb[0] + 0.1192*rgb[1] + 0.9505*rgb[2]
		if sum := x + y + z; !scalar.EqualWithinAbs(x/sum, c.x, 0.001) || !scalar.EqualWithinAbs(y/sum, c.y, 0.001) {
			t.Errorf("%v K: chromaticity (%.4f, %.4f), want (%.4f, %.4f)", c.kelvin, x/sum, y/sum, c.x, c.y)
		}
		must.Near(t, fmt.Sprintf("%v K: luminance", c.kelvin), y, 1, 0.001)
	}
}

// Brightness equals the luminance that a Scene's light gives the floor.
func TestBrightness(t *testing.T) {
	if b := DefaultLighting().Brightness(); b.Even != 1 || b.Spots(1, 2) != 0 {
		t.Errorf("a common hall has the brightness %+v, want 1", b)
	}
	if b := (Lighting{}).Brightness(); !(b.Even > 0 && b.Even < 1e-100) {
		t.Errorf("a dark hall has the brightness %+v, want next to none", b)
	}
	l := Lighting{Lamp: 0.4, LampTemperature: 3000, LampElevation: 0.9, Ambient: 0.2, AmbientTemperature: 9000,
		Spots: []Spot{
			{X: 1, Y: -2, Z: 3, Amount: 0.7, Temperature: 2500}, {X: -4, Y: 3, Z: 6, Amount: 1.5, Temperature: 6500},
		}}
	common, light, b := DefaultLighting().Light(), l.Light(), l.Brightness()
	onFloor := func(l *Light) float64 { return Luminance(l.Sky) + Luminance(l.Lamp)*float64(l.DirectionW[2]) }
	if want := onFloor(&light) / onFloor(&common); !scalar.EqualWithinRel(b.Even, want, 1e-6) {
		t.Errorf("far from spots: %v, want %v", b.Even, want)
	}
	for _, p := range []mgl32.Vec3{{1, -2, 0}, {0, 0, 0}, {-5, 4, 0}, {30, 0, 0}} {
		want := 0.0
		for _, s := range light.Spots {
			to := s.PosW.Sub(p)
			want += Luminance(s.Light) * float64(to.Normalize()[2]/to.Dot(to)) / onFloor(&common)
		}
		if got := b.Spots(float64(p[0]), float64(p[1])); !scalar.EqualWithinRel(got, want, 1e-5) {
			t.Errorf("at %v: spots add %v, want %v", p, got, want)
		}
	}
}

func TestLightingScales(t *testing.T) {
	l := DefaultLighting()
	base := l.Light()
	l.Lamp, l.Ambient = 0.5, 2
	got := l.Light()
	for i := range 3 {
		if !(math.Abs(float64(got.Lamp[i]-0.5*base.Lamp[i])) <= 1e-6) ||
			!(math.Abs(float64(got.Sky[i]-2*base.Sky[i])) <= 1e-6) {
			t.Errorf("channel %d: lamp %v and sky %v, want 0.5 of %v and 2 of %v", i, got.Lamp[i], got.Sky[i],
				base.Lamp[i], base.Sky[i])
		}
	}
	if n := base.DirectionW.Len(); !scalar.EqualWithinAbs(float64(n), 1, 1e-6) {
		t.Errorf("the lamp's direction has length %v", n)
	}
}

// A number fades on its scale and ends exactly at its target. A later fade replaces it from the current value; other
// fades continue.
func TestLightFades(t *testing.T) {
	world := DefaultLighting()
	world.Spots = []Spot{{Name: "a", X: 1}}
	f := NewFadingLight(world)
	check := func(when string, lamp, ambient, x float64) {
		t.Helper()
		if !scalar.EqualWithinAbs(f.Lamp, lamp, 1e-15) || !scalar.EqualWithinAbs(f.Ambient, ambient, 1e-15) ||
			!scalar.EqualWithinAbs(f.Spots[0].X, x, 1e-15) {
			t.Errorf("%s: lamp %v, ambient %v, x %v; want %v, %v, %v", when, f.Lamp, f.Ambient, f.Spots[0].X, lamp,
				ambient, x)
		}
	}
	if f.Advance(time.Second) {
		t.Error("a constant light changes")
	}
	f.Fade(&f.Lamp, 0, 4*time.Second)
	f.Fade(&f.Spot("a").X, 3, 8*time.Second)
	f.Fade(&f.Ambient, 0.3, 0)
	check("at once", 1, 0.3, 1)
	if !f.Advance(time.Second) {
		t.Error("light that fades does not change")
	}
	check("after 1 s", 0.75, 0.3, 1.25)
	f.Fade(&f.Lamp, 0.1, 2*time.Second)
	f.Advance(time.Second)
	check("after 2 s", math.Sqrt(0.75*0.1), 0.3, 1.5)
	f.Advance(time.Second)
	if f.Lamp != 0.1 {
		t.Errorf("lamp = %v at the end, want 0.1", f.Lamp)
	}
	f.Advance(time.Hour)
	check("at last", 0.1, 0.3, 3)
	if f.Advance(time.Second) || f.Spot("b") != nil || world.Spots[0].X != 1 {
		t.Error("fades go on, there is another lamp, or the world's own has moved")
	}
}

// Amounts change by equal factors in equal times, and evenly to or from darkness; temperatures change evenly in mired,
// everything else evenly. All end exactly at their targets.
func TestScalesOfFades(t *testing.T) {
	world := DefaultLighting()
	world.Spots = []Spot{{Name: "a", X: -1, Amount: 2, Temperature: 5000}}
	f := NewFadingLight(world)
	spot := &f.Spots[0]
	f.Lamp, f.LampTemperature, f.AmbientTemperature = 0, 2500, 10_000
	for _, c := range []struct {
		name                   string
		number                 *float64
		to, quarter, half, end float64
	}{
		{"lamp from darkness", &f.Lamp, 2, 0.5, 1, 2},
		{"ambient by four stops", &f.Ambient, 1.0 / 16, 0.5, 0.25, 1.0 / 16},
		{"lamp's temperature, 400 to 200 mired", &f.LampTemperature, 5000, 1e6 / 350, 1e6 / 300, 5000},
		{"ambient's temperature, 100 to 400 mired", &f.AmbientTemperature, 2500, 1e6 / 175, 1e6 / 250, 2500},
		{"azimuth", &f.LampAzimuth, f.LampAzimuth + 1, f.LampAzimuth + 0.25, f.LampAzimuth + 0.5, f.LampAzimuth + 1},
		{"spot's amount to darkness", &spot.Amount, 0, 1.5, 1, 0},
		{"spot's temperature, 200 to 600 mired", &spot.Temperature, 1e6 / 600.0, 1e6 / 300, 1e6 / 400, 1e6 / 600.0},
		{"spot's place", &spot.X, 1, -0.5, 0, 1},
	} {
		f.Fade(c.number, c.to, 4*time.Second)
		for at, want := range []float64{c.quarter, c.half} {
			f.Advance(time.Second)
			if !scalar.EqualWithinRel(*c.number, want, 1e-14) && !scalar.EqualWithinAbs(*c.number, want, 1e-15) {
				t.Errorf("%s: %v after %d s of 4, want %v", c.name, *c.number, at+1, want)
			}
		}
		if f.Advance(2 * time.Second); *c.number != c.end {
			t.Errorf("%s: %v at the end, want %v", c.name, *c.number, c.end)
		}
	}
}

// Every number of a Lighting may fade. A restored light continues every fade from where it was, and Range is restored
// too.
func TestFadesGoOn(t *testing.T) {
	world := DefaultLighting()
	world.Spots = []Spot{{Name: "a", X: 1, Z: 3}, {Name: "b", Y: 2, Z: 4}}
	f, again := NewFadingLight(world), NewFadingLight(world)
	count := func(of reflect.Type) (n int) {
		for i := range of.NumField() {
			if of.Field(i).Type.Kind() == reflect.Float64 {
				n++
			}
		}
		return n
	}
	numbers := f.numbers()
	if want := count(reflect.TypeFor[Lighting]()) + 2*count(reflect.TypeFor[Spot]()); len(numbers) != want {
		t.Fatalf("%d numbers fade, of %d", len(numbers), want)
	}
	again.Fade(&again.Ambient, 0, time.Second) // the restored state overwrites it
	for i, n := range numbers {
		f.Fade(n, float64(i), time.Duration(i)*time.Second)
	}
	for range 20 {
		f.Advance(time.Second)
		saved := keyframe.Append(nil)
		f.Exchange(saved)
		c := keyframe.Restore(saved.Data())
		again.Exchange(c)
		must.Do(t, c.End())
		if f.Advance(time.Second/2) != again.Advance(time.Second/2) || !reflect.DeepEqual(f.Lighting, again.Lighting) {
			t.Fatalf("%+v, want %+v", again.Lighting, f.Lighting)
		}
	}
	if !reflect.DeepEqual(f.Lighting.Spots[1], Spot{"b", 11, 12, 13, 14, 15}) {
		t.Errorf("the last lamp is %+v", f.Lighting.Spots[1])
	}
	f.Fade(&f.Lamp, 4, 2*time.Second)
	f.Advance(time.Second)
	if from, to := f.Range(); from.Lamp != 0 || to.Lamp != 4 || from.Ambient != f.Ambient || f.Lamp != 2 {
		t.Errorf("from %v to %v, now %v", from.Lamp, to.Lamp, f.Lamp)
	}
}

// wave is the light of a lamp at a time, as a data sheet would show it, with mean 1.
func wave(f *Flicker, t float64) float64 {
	s := math.Sin(math.Pi*f.Frequency*t + f.Phase/2)
	shape, mean := s*s, 0.5
	if f.Waveform == RectifiedWave {
		shape, mean = math.Abs(s), 2/math.Pi
	}
	least := (1 - f.Depth) / (1 - f.Depth + 2*f.Depth*mean)
	return least + shape*2*f.Depth/(1-f.Depth+2*f.Depth*mean)
}

// The closed form equals the integral over an exposure at any time; whole periods have the mean light.
func TestFlickerIsTheMeanOverAnExposure(t *testing.T) {
	const steps = 20_000
	for _, f := range []Flicker{
		{Depth: 0.3, Frequency: 100, Waveform: SineWave}, {Depth: 1, Frequency: 120, Waveform: SineWave, Phase: 1},
		{Depth: 0.3, Frequency: 120, Waveform: RectifiedWave, Phase: -2}, {Depth: 1, Frequency: 100,
			Waveform: RectifiedWave, Phase: 6},
	} {
		for _, length := range []time.Duration{0, 100 * time.Microsecond, 2 * time.Millisecond, 9 * time.Millisecond,
			33 * time.Millisecond} {
			for _, at := range []time.Duration{-time.Millisecond, 0, 1234 * time.Microsecond, 77 * time.Millisecond,
				time.Hour + 3*time.Millisecond} {
				want := 0.0
				for i := range steps {
					want += wave(&f, (at-length/2).Seconds()+(float64(i)+0.5)/steps*length.Seconds()) / steps
				}
				must.Near(t, fmt.Sprintf("%+v over %v at %v: share of the mean light", f, length, at), 1+f.Deviation(at,
					length), want, 1e-6)
			}
		}
		period := time.Duration(float64(time.Second) / f.Frequency * 3) // for 120 Hz, to a nanosecond
		if got := f.Deviation(5*time.Millisecond, period); !scalar.EqualWithinAbs(got, 0, 1e-6) {
			t.Errorf("%+v: over three periods %v more than the mean", f, got)
		}
	}
	must.Equal(t, (&Flicker{Frequency: 100, Waveform: SineWave}).Deviation(time.Millisecond, 0), 0,
		"without depth: more than the mean")
}

// Depth is the modulation, for both waveforms.
func TestDepthOfFlickerIsItsModulation(t *testing.T) {
	for _, form := range []Waveform{SineWave, RectifiedWave} {
		for _, depth := range []float64{0.1, 0.5, 1} {
			f := Flicker{Depth: depth, Frequency: 100, Waveform: form}
			least, most := 1+f.Deviation(0, 0), 1+f.Deviation(5*time.Millisecond, 0)
			if got := (most - least) / (most + least); !scalar.EqualWithinAbs(got, depth, 1e-9) || !(least >= -1e-9) {
				t.Errorf("%s: light from %v to %v has the modulation %v, want %v", form, least, most, got, depth)
			}
		}
	}
}

// The lamps' share equals the fraction of light on the carpet, summed numerically.
func TestLampShareIsThatOfTheLightOnTheCarpet(t *testing.T) {
	l := DefaultLighting()
	l.LampTemperature = 3000
	l.Spots = []Spot{{X: 2, Y: -3, Z: 5, Amount: 2, Temperature: 4000}, {X: 12, Y: 8, Z: 3, Amount: 1,
		Temperature: 8000}}
	light := l.Light()
	const sizeX, sizeY, n = 20.0, 14.0, 400
	var lamps, all mgl32.Vec3
	for i := range n * n {
		at := mgl32.Vec3{(float32(i%n)+0.5)/n*sizeX - sizeX/2, (float32(i/n)+0.5)/n*sizeY - sizeY/2, 0}
		here := light.Lamp.Mul(light.DirectionW[2])
		for _, s := range light.Spots {
			to := s.PosW.Sub(at)
			d := to.Len()
			here = here.Add(s.Light.Mul(to[2] / (d * d * d)))
		}
		lamps, all = lamps.Add(here.Mul(1.0/n/n)), all.Add(here.Add(light.Sky).Mul(1.0/n/n))
	}
	for c, got := range light.LampShare(sizeX, sizeY) {
		if want := float64(lamps[c] / all[c]); !scalar.EqualWithinAbs(got, want, 1e-3) || !(got > 0.3) {
			t.Errorf("colour %d: %v, want %v", c, got, want)
		}
	}
	must.Equal(t, (&Light{DirectionW: mgl32.Vec3{0, 0, 1}}).LampShare(sizeX, sizeY), [3]float64{}, "in the dark")
	l.Lamp, l.Spots = 0, nil
	if light = l.Light(); light.LampShare(sizeX, sizeY) != [3]float64{} {
		t.Errorf("in daylight: %v", light.LampShare(sizeX, sizeY))
	}
}

func TestAChipRefusesFlickerThatIsNone(t *testing.T) {
	good := Rows{Flicker: Flicker{Depth: 0.5, Frequency: 100, Waveform: SineWave}, Lamps: [3]float64{1, 0.5, 0},
		Exposure: time.Millisecond, Readout: time.Millisecond}
	for name, c := range map[string]struct {
		change func(*Rows)
		want   string // substring of the error; empty for none
	}{
		"as it is":      {func(*Rows) {}, ""},
		"none":          {func(r *Rows) { *r = Rows{} }, ""},
		"deep":          {func(r *Rows) { r.Flicker.Depth = 1.1 }, "depth = 1.1: must be 0 to 1"},
		"NaN":           {func(r *Rows) { r.Flicker.Frequency = math.NaN() }, "flicker of NaN Hz"},
		"no form":       {func(r *Rows) { r.Flicker.Waveform = "square" }, `waveform = "square"`},
		"more than all": {func(r *Rows) { r.Lamps[2] = 2 }, "share of the lamps in the light = 2"},
		"backwards":     {func(r *Rows) { r.Exposure = -1 }, "must not be negative"},
	} {
		rows := good
		c.change(&rows)
		chip := Chip{FullWell: 1e4, Gain: 1, Exposure: 1, Rows: rows}
		switch err := chip.validate(8, 8); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}
