package imaging

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// grey is a scene with even light.
func grey(light float32) Metered {
	return Metered{Mean: mgl32.Vec3{light, light, light}, Light: mgl32.Vec3{light, light, light}}
}

func imager() *Imager {
	i := &Imager{}
	i.SetDefaults()
	return i
}

// After a step of light, the remaining error n frames beyond the delay is exp(−n·T/τ) of the step: the closed form of a
// first-order lag.
func TestAutoExposureSettlesAsALag(t *testing.T) {
	const rate = 25.0
	for _, c := range []AutoExposure{
		{Target: 0.18, Settle: 300 * time.Millisecond, Delay: 2, MinExposure: 0.001, MaxExposure: 64, MaxGain: 1},
		{Target: 0.5, Settle: 40 * time.Millisecond, Delay: 1, MinExposure: 0.001, MaxExposure: 64, MaxGain: 1},
		{Target: 0.3, Settle: 0, Delay: 7, MinExposure: 0.001, MaxExposure: 64, MaxGain: 1},
	} {
		a := NewAutomatic(imager(), &c, nil, rate)
		for range 5 {
			a.Next(grey(0.2))
		}
		settled := a.Settings()
		if d := settled.Exposure*0.2 - c.Target; !(math.Abs(d) <= 1e-7) {
			t.Fatalf("settled, the picture's mean is %v, want %v", settled.Exposure*0.2, c.Target)
		}
		const stops = 3.0
		for frame := range 60 {
			a.Next(grey(0.2 * 8))
			left := stops
			if n := frame - c.Delay + 1; n > 0 {
				left = 0
				if c.Settle > 0 {
					left = stops * math.Exp(-float64(n)/rate/c.Settle.Seconds())
				}
			}
			s := a.Settings()
			if got := math.Log2(s.Exposure * 0.2 * 8 / c.Target); !(math.Abs(got-left) <= 1e-6) {
				t.Fatalf("%v, frame %d after the step: %.6f stops are left, want %.6f", c.Settle, frame, got, left)
			}
		}
	}
}

// Gain replaces missing light up to its limit, and a bright scene has the least exposure.
func TestAutoExposureWithinItsLimits(t *testing.T) {
	c := AutoExposure{Target: 0.18, Delay: 1, MinExposure: 0.5, MaxExposure: 2, MaxGain: 4}
	for _, x := range []struct{ light, exposure, gain float64 }{
		{0.18, 1, 1}, {0.09, 2, 1}, {0.045, 2, 2}, {0.001, 2, 4}, {0, 2, 4}, {18, 0.5, 1},
	} {
		a := NewAutomatic(imager(), &c, nil, 30)
		a.Next(grey(float32(x.light)))
		s := a.Settings()
		if !(math.Abs(s.Exposure-x.exposure) <= 1e-6 && math.Abs(s.Gain-x.gain) <= 1e-6) {
			t.Errorf("light %v: exposure %v and gain %v, want %v and %v", x.light, s.Exposure, s.Gain, x.exposure,
				x.gain)
		}
	}
}

// With known light white is white; with a grey-world assumption the mean is grey; gains stay within their limit.
func TestAutoWhiteBalance(t *testing.T) {
	warm := render.BlackBody(3000)
	light := mgl32.Vec3{float32(warm[0]), float32(warm[1]), float32(warm[2])}
	carpet := mgl32.Vec3{0.035 * light[0], 0.235 * light[1], 0.055 * light[2]}
	for _, x := range []struct {
		greyWorld float64
		white     mgl32.Vec3 // what appears white
	}{{0, light}, {1, carpet}} {
		a := NewAutomatic(imager(), nil, &AutoWhiteBalance{Delay: 1, GreyWorld: x.greyWorld, MaxStops: 4}, 30)
		a.Next(Metered{Mean: carpet, Light: light})
		s := a.Settings()
		for color, gain := range s.Balance {
			must.Near(t, fmt.Sprintf("grey world %v, colour %d: share of green", x.greyWorld, color),
				gain*float64(x.white[color])/float64(x.white[1]), 1, 1e-6)
		}
		if s.Exposure != 1 || s.Gain != 1 {
			t.Errorf("exposure %v, gain %v: want those of the imager", s.Exposure, s.Gain)
		}
	}
	a := NewAutomatic(imager(), nil, &AutoWhiteBalance{Delay: 1, GreyWorld: 0, MaxStops: 1}, 30)
	a.Next(Metered{Mean: carpet, Light: mgl32.Vec3{1, 0.1, 0}})
	if got := a.Settings().Balance; got != [3]float64{0.5, 1, 2} {
		t.Errorf("gains %v: want those one stop from green", got)
	}
}

// A restored control continues as the saved one.
func TestAutomaticIsRestored(t *testing.T) {
	e, w := &AutoExposure{}, &AutoWhiteBalance{}
	e.SetDefaults()
	w.SetDefaults()
	a, b := NewAutomatic(imager(), e, w, 30), NewAutomatic(imager(), e, w, 30)
	for i := range 5 {
		a.Next(grey(0.1 * float32(i+1)))
	}
	save := keyframe.Append(nil)
	a.Exchange(save)
	restore := keyframe.Restore(save.Data())
	if b.Exchange(restore); restore.End() != nil {
		t.Fatal(restore.End())
	}
	for range 10 {
		a.Next(grey(2))
		b.Next(grey(2))
		if a.Settings() != b.Settings() {
			t.Fatalf("restored: %+v, want %+v", b.Settings(), a.Settings())
		}
	}
}

// The weights of a row are fractions of its exposure: they sum to one, and their centre of gravity is the middle of the
// row's exposure, within half the interval between instants where that is finer than the exposure.
func TestShutterWeights(t *testing.T) {
	const ms = time.Millisecond
	for _, s := range []Shutter{
		{Exposure: 20 * ms, Samples: 8}, {Readout: 20 * ms, Samples: 8}, {Exposure: 10 * ms, Readout: 30 * ms,
			Samples: 16},
		{Exposure: 30 * ms, Readout: 5 * ms, Samples: 2},
	} {
		const rows = 100
		instants := s.instants()
		if len(instants) != s.Samples {
			t.Fatalf("%+v: %d instants", s, len(instants))
		}
		part := (s.Exposure + s.Readout).Seconds() / float64(s.Samples)
		for row := range rows {
			sum, centre := 0.0, 0.0
			for i, w := range s.weights(row, rows, nil) {
				sum, centre = sum+float64(w), centre+float64(w)*instants[i].Seconds()
			}
			want := ((float64(row)+0.5)/rows - 0.5) * s.Readout.Seconds()
			if !scalar.EqualWithinAbs(sum, 1, 1e-6) || !scalar.EqualWithinAbs(centre, want, part/2+1e-9) {
				t.Errorf("%+v: row %d: weights add up to %v, centre %v s, want 1 and %v s", s, row, sum, centre, want)
			}
		}
	}
	if got := (Exposure{Shutter: &Shutter{Samples: 8}}).Samples(); got != nil {
		t.Errorf("a shutter that takes no time has the samples %v", got)
	}
}

// Light adds up, not grey values: half of full white is sRGB 188, not 128.
func TestExposureIsAMeanInLinearLight(t *testing.T) {
	e := Exposure{Shutter: &Shutter{Exposure: time.Millisecond, Samples: 2}}
	black, white := render.NewImage(16, 16), render.NewImage(16, 16)
	for i := range white.Pix {
		white.Pix[i] = 255
	}
	got := render.NewImage(16, 16)
	e.Combine(got, []*render.Image{black, white})
	for i, b := range got.Pix {
		if b != 188 {
			t.Fatalf("byte %d = %d, want 188", i, b)
		}
	}
	e.Combine(got, []*render.Image{white, white})
	must.Equal(t, got.Pix[0], 255, "white and white make")
	black.Above, white.Above, got.Above = []float32{0, 1, 2}, []float32{8, 3, 2}, []float32{9, 9, 9}
	if e.Combine(got, []*render.Image{black, white}); !slices.Equal(got.Above, []float32{4, 2, 2}) {
		t.Errorf("above white there is %v", got.Above)
	}
	for v := range 256 { // decoding and encoding changes no image
		for i := range white.Pix {
			white.Pix[i] = byte(v)
		}
		if e.Combine(got, []*render.Image{white, white}); got.Pix[7] != byte(v) {
			t.Errorf("%d and %d make %d", v, v, got.Pix[7])
		}
	}
}
