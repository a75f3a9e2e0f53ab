package imaging

import (
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/render"
)

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
	if got.Pix[0] != 255 {
		t.Errorf("white and white make %d", got.Pix[0])
	}
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
