package png

import (
	"bytes"
	"image"
	"image/color"
	std "image/png"
	"math/rand/v2"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// The standard library reads what Writer wrote, noise and patches, in every format.
func TestWritten(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var w Writer
	for _, channels := range []int{1, 3, 4} {
		for _, bits := range []int{8, 16} {
			for _, noisy := range []bool{true, false} {
				f := Format{Width: 37, Height: 23, Bits: bits, Channels: channels}
				n := channels * bits / 8
				pix := make([]byte, f.Width*f.Height*n)
				for i := range pix {
					pix[i] = byte(i / 500)
					if noisy {
						pix[i] = byte(rnd.Uint32())
					}
				}
				out := bytes.NewBufferString("before")
				must.Do(t, w.Append(out, f, func(row []byte, y int) { copy(row, pix[y*f.Width*n:]) }))
				m, err := std.Decode(bytes.NewReader(out.Bytes()[len("before"):]))
				if err != nil {
					t.Fatalf("%+v: %v", f, err)
				}
				if m.Bounds() != image.Rect(0, 0, f.Width, f.Height) {
					t.Fatalf("%+v: is read as %v", f, m.Bounds())
				}
				for i := range f.Width * f.Height {
					want := [4]uint16{3: 0xffff}
					for k := range channels {
						at := pix[i*n+k*bits/8:]
						if want[k] = uint16(at[0]) * 257; bits == 16 {
							want[k] = uint16(at[0])<<8 | uint16(at[1])
						}
					}
					if channels == 1 {
						want[1], want[2] = want[0], want[0]
					}
					c := color.NRGBA64Model.Convert(m.At(i%f.Width, i/f.Width)).(color.NRGBA64)
					got := [4]uint16{c.R, c.G, c.B, c.A}
					if x, ok := m.(*image.NRGBA64); ok {
						c := x.NRGBA64At(i%f.Width, i/f.Width)
						got = [4]uint16{c.R, c.G, c.B, c.A}
					}
					if x, ok := m.(*image.NRGBA); ok { // conversion through premultiplied colours would lose some
						c := x.NRGBAAt(i%f.Width, i/f.Width)
						got = [4]uint16{uint16(c.R) * 257, uint16(c.G) * 257, uint16(c.B) * 257, uint16(c.A) * 257}
					}
					if got != want {
						t.Fatalf("%+v, noisy %v: pixel %d is %v, want %v", f, noisy, i, got, want)
					}
				}
			}
		}
	}
}

// Formats that PNG does not have are refused.
func TestRefused(t *testing.T) {
	var w Writer
	for _, f := range []Format{{0, 1, 8, 1}, {1, 0, 8, 1}, {1, 1, 12, 1}, {1, 1, 8, 2}} {
		var out bytes.Buffer
		if err := w.Append(&out, f, func([]byte, int) {}); err == nil || out.Len() > 0 {
			t.Errorf("%+v: %d bytes, error %v", f, out.Len(), err)
		}
	}
}

// BenchmarkFormats writes 640 × 480 pixels with camera noise, and patches like those of labels.
func BenchmarkFormats(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name  string
		f     Format
		noise float64
	}{{"colour", Format{640, 480, 8, 3}, 3}, {"labels", Format{640, 480, 8, 1}, 0},
		{"millimetres", Format{640, 480, 16, 1}, 0}, {"flow", Format{640, 480, 16, 3}, 0}} {
		pix := make([]byte, 640*480*c.f.Channels*c.f.Bits/8)
		for i := range pix {
			pix[i] = byte(int(100+c.noise*rnd.NormFloat64()) + i/90000)
		}
		b.Run(c.name, func(b *testing.B) {
			var w Writer
			var out bytes.Buffer
			b.SetBytes(int64(len(pix)))
			stride := len(pix) / 480
			for b.Loop() {
				out.Reset()
				must.Do(b, w.Append(&out, c.f, func(row []byte, y int) { copy(row, pix[y*stride:]) }))
			}
			b.ReportMetric(float64(out.Len()), "bytes")
		})
	}
}
