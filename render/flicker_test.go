package render

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"gonum.org/v1/gonum/floats/scalar"
)

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
				if got := 1 + f.Deviation(at, length); !scalar.EqualWithinAbs(got, want, 1e-6) {
					t.Errorf("%+v over %v at %v: %v of the mean light, want %v", f, length, at, got, want)
				}
			}
		}
		period := time.Duration(float64(time.Second) / f.Frequency * 3) // for 120 Hz, to a nanosecond
		if got := f.Deviation(5*time.Millisecond, period); !scalar.EqualWithinAbs(got, 0, 1e-6) {
			t.Errorf("%+v: over three periods %v more than the mean", f, got)
		}
	}
	if got := (&Flicker{Frequency: 100, Waveform: SineWave}).Deviation(time.Millisecond, 0); got != 0 {
		t.Errorf("without depth: %v more than the mean", got)
	}
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
	if got := (&Light{DirectionW: mgl32.Vec3{0, 0, 1}}).LampShare(sizeX, sizeY); got != [3]float64{} {
		t.Errorf("in the dark: %v", got)
	}
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
