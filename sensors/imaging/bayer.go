package imaging

import (
	"slices"
	"sync"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/render"
)

// bayerOf is the colour that each pixel of an RGGB chip sees, by the parity of its row and column: 0 red, 1 green,
// 2 blue.
var bayerOf = [2][2]int{{0, 1}, {1, 2}}

// planes recycles images of one number a pixel.
var planes = sync.Pool{New: func() any { return new([]float32) }}

// newPlane returns one of n pixels, to be put back.
func newPlane(n int) *[]float32 {
	p := planes.Get().(*[]float32)
	*p = slices.Grow((*p)[:0], n)[:n]
	return p
}

// bayer makes of an image what a chip with an RGGB mosaic and bilinear interpolation would: each pixel reads one colour,
// with its noise, and takes the others from its neighbours' mean, in linear light. At the border it has fewer.
func bayer(im *render.Image, g *Grain, noise random.Source) {
	w, h := im.Width, im.Height
	buffer := newPlane(w * h)
	defer planes.Put(buffer)
	read := *buffer
	pixels := noise.Pixels(streamColor)
	var bits uint64
	for i := range read {
		if i%6 == 0 { // 60 of 64 bits serve six pixels
			bits = pixels.Bits(uint64(i))
		}
		c := bayerOf[i/w&1][i%w&1]
		read[i] = toLinear[g.table[c][im.Pix[3*i+c]][bits&(grainSteps-1)]]
		bits >>= 10
	}
	for y := range h {
		for x := range w {
			var sum, n [3]float32
			for j := max(y-1, 0); j <= min(y+1, h-1); j++ {
				for i := max(x-1, 0); i <= min(x+1, w-1); i++ {
					c := bayerOf[j&1][i&1]
					sum[c] += read[j*w+i]
					n[c]++
				}
			}
			own := bayerOf[y&1][x&1]
			at := y*w + x
			sum[own], n[own] = read[at], 1
			for c := range sum {
				im.Pix[3*at+c] = toEncoded[int(sum[c]/n[c]*(encodedSteps-1)+0.5)]
			}
		}
	}
}
