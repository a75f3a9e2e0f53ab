package dashboard

import (
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// observation returns an observation with an image of a size.
func observation(width, height int) *sensors.Observation {
	m := render.NewImage(width, height)
	for i := range m.Pix {
		m.Pix[i] = byte(i * 7)
	}
	return &sensors.Observation{Color: m}
}

// BenchmarkPicture encodes a camera image at the width of a page.
func BenchmarkPicture(b *testing.B) {
	o := observation(640, 640)
	defer reportProcessorTime(b)()
	for b.Loop() {
		if _, err := encodeJPEG(o.Color, 320); err != nil {
			b.Fatal(err)
		}
	}
}
