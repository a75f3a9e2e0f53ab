package chip

import (
	"math"
	"math/cmplx"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/render"
)

// rowsOf returns the linear light of each row of a grey image in flickering light: green, of the first pixel.
func rowsOf(r render.Rows, height int) (light []float64) {
	c := good()
	c.FullWell, c.ReadNoise, c.Rows = 1e12, 0, r
	im := apply(grey(4, height, 150), c, 1)
	for y := range height {
		light = append(light, float64(render.Decode8(im.Pix[3*4*y+1])))
	}
	return light
}

// A rolling shutter makes bands. Their period is the number of rows read during a period of the lamps, and their depth
// is that of the mean over an exposure.
func TestRollingShutterMakesBands(t *testing.T) {
	const rows = 480
	base := float64(render.Decode8(150))
	for _, c := range []struct {
		frequency, depth, lamps float64
		readout, exposure       time.Duration
	}{
		{100, 0.4, 1, 40 * time.Millisecond, 2 * time.Millisecond},
		{120, 0.4, 0.5, 50 * time.Millisecond, 5 * time.Millisecond},
		{100, 1, 0.25, 20 * time.Millisecond, 0},
		{100, 0.4, 1, 30 * time.Millisecond, 13 * time.Millisecond},
	} {
		light := rowsOf(render.Rows{Flicker: render.Flicker{Depth: c.depth, Frequency: c.frequency,
			Waveform: render.SineWave}, Lamps: [3]float64{c.lamps, c.lamps, c.lamps},
			Stamp: 123 * time.Millisecond, Exposure: c.exposure, Readout: c.readout}, rows)
		perRow := c.frequency * c.readout.Seconds() / rows // periods
		length := c.frequency * c.exposure.Seconds()
		sinc := 1.0
		if length > 0 {
			sinc = math.Abs(math.Sin(math.Pi*length) / (math.Pi * length))
		}
		// Readout takes a whole number of periods, so that the image has a single harmonic, with the amplitude of the
		// closed form.
		if periods := math.Round(perRow * rows); !scalar.EqualWithinAbs(periods, perRow*rows, 1e-9) {
			t.Fatalf("%v periods", perRow*rows)
		}
		for harmonic := 1; harmonic <= 20; harmonic++ {
			want, sum := 0.0, complex128(0)
			if harmonic == int(math.Round(perRow*rows)) {
				want = base * c.depth * c.lamps * sinc
			}
			for y, l := range light {
				sum += complex(l, 0) * cmplx.Rect(1, 2*math.Pi*float64(harmonic*y)/rows)
			}
			if got := cmplx.Abs(sum) * 2 / rows; !scalar.EqualWithinAbs(got, want, 0.0015) { // 8 bits
				t.Errorf("%+v: the harmonic of %d bands is %.4f high, want %.4f", c, harmonic, got, want)
			}
		}
	}
}

// Exposures of whole periods have no bands.
func TestWholePeriodsHaveNoBands(t *testing.T) {
	for _, form := range []render.Waveform{render.SineWave, render.RectifiedWave} {
		for _, exposure := range []time.Duration{10, 20, 30} {
			light := rowsOf(render.Rows{Flicker: render.Flicker{Depth: 1, Frequency: 100, Waveform: form},
				Lamps:    [3]float64{1, 1, 1},
				Exposure: exposure * time.Millisecond, Readout: 33 * time.Millisecond}, 200)
			for y, l := range light {
				if want := float64(render.Decode8(150)); l != want {
					t.Fatalf("%s, %v ms: row %d is %v, want %v", form, int(exposure), y, l, want)
				}
			}
		}
	}
}

// With a global shutter, all rows get the lamps' light at the stamp.
func TestGlobalShutterBeatsWithTheLamps(t *testing.T) {
	base := float64(render.Decode8(150))
	for frame := range 12 {
		stamp := time.Duration(float64(frame) / 30 * float64(time.Second))
		light := rowsOf(render.Rows{Flicker: render.Flicker{Depth: 0.5, Frequency: 100, Waveform: render.SineWave},
			Lamps: [3]float64{1, 1, 1}, Stamp: stamp}, 16)
		// 100 Hz lamps at 30 Hz: ten cycles in three frames
		want := base * (1 - 0.5*math.Cos(2*math.Pi*float64(frame)/3))
		for y, l := range light {
			if !scalar.EqualWithinAbs(l, want, 0.004) {
				t.Fatalf("frame %d: row %d is %v, want %v", frame, y, l, want)
			}
		}
	}
}

// If lamps and daylight have different colours, bands are coloured.
func TestBandsHaveTheLampsColour(t *testing.T) {
	c := good()
	c.FullWell, c.ReadNoise = 1e12, 0
	c.Rows = render.Rows{Flicker: render.Flicker{Depth: 0.8, Frequency: 100, Waveform: render.SineWave},
		Lamps: [3]float64{0.8, 0.4, 0}}
	im := apply(grey(2, 2, 150), c, 1) // at the least light
	base := float64(render.Decode8(150))
	for color, want := range [3]float64{base * (1 - 0.64), base * (1 - 0.32), base} {
		if got := float64(render.Decode8(im.Pix[color])); !scalar.EqualWithinAbs(got, want, 0.004) {
			t.Errorf("colour %d is %v, want %v", color, got, want)
		}
	}
}
