package rosbridge

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Go's PNG decoder returns the text, padded with line feeds.
func TestPackPNG(t *testing.T) {
	for n := range 200 {
		text := []byte(strings.Repeat("{ä}", n)[:n])
		b := must.Get(packPNG(text))(t)
		img := must.Get(png.Decode(bytes.NewReader(b)))(t)
		var got []byte
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				r, g, b, _ := img.At(x, y).RGBA()
				got = append(got, byte(r>>8), byte(g>>8), byte(b>>8))
			}
		}
		if want := append(text, bytes.Repeat([]byte{'\n'}, len(got)-n)...); !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %q", n, got)
		}
	}
}
