package imaging

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// chromatic shifts red outwards and blue inwards, by so many pixels in the corners and in proportion nearer to the
// middle: the lateral chromatic aberration of a lens, whose magnification depends on the wavelength. Light is
// interpolated bilinearly; beyond the border it goes on.
func chromatic(im *render.Image, pixels float64) {
	w, h := im.Width, im.Height
	cx, cy := float64(w-1)/2, float64(h-1)/2
	corner := math.Hypot(cx, cy)
	buffer := newPlane(w * h)
	defer planes.Put(buffer)
	light := *buffer
	for c, shift := range [3]float64{pixels, 0, -pixels} {
		if shift == 0 {
			continue
		}
		for i := range light {
			light[i] = toLinear[im.Pix[3*i+c]]
		}
		k := 1 / (1 + shift/corner) // from where in the undisturbed image
		for y := range h {
			v := math.Max(0, math.Min(float64(h-1), cy+k*(float64(y)-cy)))
			row := min(int(v), h-2)
			fv := float32(v - float64(row))
			up, down := light[row*w:], light[(row+1)*w:]
			for x := range w {
				u := math.Max(0, math.Min(float64(w-1), cx+k*(float64(x)-cx)))
				col := min(int(u), w-2)
				fu := float32(u - float64(col))
				l := (up[col]*(1-fu)+up[col+1]*fu)*(1-fv) + (down[col]*(1-fu)+down[col+1]*fu)*fv
				im.Pix[3*(y*w+x)+c] = toEncoded[int(l*(encodedSteps-1)+0.5)]
			}
		}
	}
}
