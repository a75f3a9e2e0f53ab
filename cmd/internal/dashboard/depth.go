package dashboard

import (
	"bytes"
	"encoding/hex"
	"image"
	"image/color"
	"image/png"
	"sync"

	"github.com/omnipitch/omnipitch/render"
)

// Depth in false colours: near is yellow, far is violet. Black means too near or no echo, white means too far. Neither
// black nor white is a colour of viridis, or similar to the colour of viridis next to it.
const (
	depthSteps = 254 // from the nearest to the farthest measurable depth
	nearIndex  = 0   // indices of the palette
	farIndex   = depthSteps + 1
)

// depthPalette contains black at nearIndex, then one colour for each of the depthSteps depths, and white at farIndex.
var depthPalette = sync.OnceValue(func() color.Palette {
	raw, _ := hex.DecodeString(viridis)
	p := color.Palette{color.RGBA{0, 0, 0, 255}}
	for i := 1; i <= depthSteps; i++ {
		c := raw[3*(len(raw)/3-1-i):]
		next := color.RGBA{c[0], c[1], c[2], 255}
		if next == p[i-1] { // some neighbours are equal, but each depth needs its own colour
			next.B++
		}
		p = append(p, next)
	}
	return append(p, color.RGBA{255, 255, 255, 255})
})

// depthIndex returns the palette index of the depth z. The camera measures depths between near and far. All are in m.
func depthIndex(z, near, far float32) uint8 {
	switch {
	case !(z >= near): // also NaN
		return nearIndex
	case z > far:
		return farIndex
	}
	return uint8(min(1+int((z-near)/(far-near)*depthSteps), depthSteps))
}

// encodeDepth encodes a depth image in false colours as PNG, reduced to at most the given width. Reduction does not mix
// depths.
func encodeDepth(d *render.Depth, width int, near, far float64) ([]byte, error) {
	height := max(d.Height*width/d.Width, 1)
	m := image.NewPaletted(image.Rect(0, 0, width, height), depthPalette())
	for v := range height {
		from := d.Z[v*d.Height/height*d.Width:]
		row := m.Pix[v*m.Stride:]
		for u := range width {
			row[u] = depthIndex(from[u*d.Width/width], float32(near), float32(far))
		}
	}
	return encodePNG(m)
}

// encodePNG encodes with the fastest compression.
func encodePNG(m image.Image) ([]byte, error) {
	var out bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, m)
	return out.Bytes(), err
}

// depthScale is a PNG of all colours of depths from near to far, one pixel each.
var depthScale = sync.OnceValues(func() ([]byte, error) {
	m := image.NewPaletted(image.Rect(0, 0, depthSteps, 1), depthPalette())
	for i := range m.Pix {
		m.Pix[i] = uint8(i + 1)
	}
	return encodePNG(m)
})
