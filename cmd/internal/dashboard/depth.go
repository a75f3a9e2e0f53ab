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
	depthSteps = 254 // number of colours from the nearest to the farthest measurable depth
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
		if next == p[i-1] { // rounding makes some neighbours equal, but each depth needs its own colour
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

// viridis is a perceptually uniform colour map that is readable with colour blindness, from dark violet to light
// yellow: 256 colours, two hexadecimal digits each for red, green and blue. Source: S. van der Walt and N. Smith,
// matplotlib's "viridis", under CC0 1.0.
const viridis = "" +
	"44015444025645045745055946075a46085c460a5d460b5e470d60470e6147106347116447136548146748166848176948186a481a6c481b6d481c6e481d6f481f70482071482173482374482475482576482677482878482979472a7a472c7a" +
	"472d7b472e7c472f7d46307e46327e46337f463480453581453781453882443983443a83443b84433d84433e85423f854240864241864142874144874045884046883f47883f48893e49893e4a893e4c8a3d4d8a3d4e8a3c4f8a3c508b3b518b" +
	"3b528b3a538b3a548c39558c39568c38588c38598c375a8c375b8d365c8d365d8d355e8d355f8d34608d34618d33628d33638d32648e32658e31668e31678e31688e30698e306a8e2f6b8e2f6c8e2e6d8e2e6e8e2e6f8e2d708e2d718e2c718e" +
	"2c728e2c738e2b748e2b758e2a768e2a778e2a788e29798e297a8e297b8e287c8e287d8e277e8e277f8e27808e26818e26828e26828e25838e25848e25858e24868e24878e23888e23898e238a8d228b8d228c8d228d8d218e8d218f8d21908d" +
	"21918c20928c20928c20938c1f948c1f958b1f968b1f978b1f988b1f998a1f9a8a1e9b8a1e9c891e9d891f9e891f9f881fa0881fa1881fa1871fa28720a38620a48621a58521a68522a78522a88423a98324aa8325ab8225ac8226ad8127ad81" +
	"28ae8029af7f2ab07f2cb17e2db27d2eb37c2fb47c31b57b32b67a34b67935b77937b87838b9773aba763bbb753dbc743fbc7340bd7242be7144bf7046c06f48c16e4ac16d4cc26c4ec36b50c46a52c56954c56856c66758c7655ac8645cc863" +
	"5ec96260ca6063cb5f65cb5e67cc5c69cd5b6ccd5a6ece5870cf5773d05675d05477d1537ad1517cd2507fd34e81d34d84d44b86d54989d5488bd6468ed64590d74393d74195d84098d83e9bd93c9dd93ba0da39a2da37a5db36a8db34aadc32" +
	"addc30b0dd2fb2dd2db5de2bb8de29bade28bddf26c0df25c2df23c5e021c8e020cae11fcde11dd0e11cd2e21bd5e21ad8e219dae319dde318dfe318e2e418e5e419e7e419eae51aece51befe51cf1e51df4e61ef6e620f8e621fbe723fde725"
