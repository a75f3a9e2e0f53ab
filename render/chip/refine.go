package chip

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
)

// Refine applies the first part of Process, for which there are no kernels: noise reduction and contrast. It lengthens
// *memory if necessary.
func Refine(im *render.Image, c *render.Chip, memory *[]byte) {
	if c.Denoise != 0 {
		before := sized(memory, len(im.Pix))
		copy(before, im.Pix)
		denoise(im, before, c.Denoise)
	}
	if c.Contrast != 0 {
		curve := contrastCurve(c.Contrast)
		for i, v := range im.Pix {
			im.Pix[i] = curve[v]
		}
	}
}

const (
	denoiseReach = 2    // radius of the filter, pixels
	denoiseSteps = 1024 // of the differences of colours for which there are weights
)

// denoise applies a bilateral filter (Tomasi and Manduchi, "Bilateral Filtering for Gray and Color Images", 1998) to an
// image, whose bytes are before. A pixel becomes the mean of 5 × 5 pixels, weighted by the binomial filter 1 4 6 4 1 in
// rows and columns, and by a normal distribution of the difference of their colours. The distribution has a standard
// deviation of sigma levels, and ends at three of them. Pixels beyond the border do not count.
func denoise(im *render.Image, before []byte, sigma float64) {
	// Differences are the sums of the squares of three colours.
	most := 3 * 9 * math.Pow(max(sigma, 0.1), 2) // less than 0.1 lets only equal colours count, too
	factor := uint64(denoiseSteps * 65536 / most)
	var weights [denoiseSteps]uint32
	for i := range weights {
		weights[i] = uint32(math.Round(255 * math.Exp(-4.5*(float64(i)+0.5)/denoiseSteps)))
	}
	binomial := [2*denoiseReach + 1]uint32{1, 4, 6, 4, 1}
	for y := range im.Height {
		up, down := max(y-denoiseReach, 0), min(y+denoiseReach, im.Height-1)
		for x := range im.Width {
			i := 3 * (y*im.Width + x)
			r, g, b := int32(before[i]), int32(before[i+1]), int32(before[i+2])
			left, right := max(x-denoiseReach, 0), min(x+denoiseReach, im.Width-1)
			var sumR, sumG, sumB, sum uint32
			for row := up; row <= down; row++ {
				line := before[3*(row*im.Width+left) : 3*(row*im.Width+right)+3]
				of := binomial[row-y+denoiseReach]
				for k, column := 0, left-x+denoiseReach; k < len(line); k, column = k+3, column+1 {
					p := line[k : k+3 : k+3]
					dr, dg, db := int32(p[0])-r, int32(p[1])-g, int32(p[2])-b
					step := uint64(dr*dr+dg*dg+db*db) * factor >> 16
					if step >= denoiseSteps {
						continue
					}
					w := weights[step] * of * binomial[column]
					sumR, sumG, sumB, sum = sumR+w*uint32(p[0]), sumG+w*uint32(p[1]), sumB+w*uint32(p[2]), sum+w
				}
			}
			im.Pix[i], im.Pix[i+1], im.Pix[i+2] = byte((sumR+sum/2)/sum), byte((sumG+sum/2)/sum), byte((sumB+sum/2)/sum)
		}
	}
}

// contrastCurve returns the curve of an amount of contrast, from 0 to 1. At 1 it is the smoothstep function 3v² − 2v³,
// which darkens what is darker than the middle and brightens the rest. Less contrast mixes it with the straight line.
func contrastCurve(amount float64) (curve [256]byte) {
	share := int(amount*256 + 0.5)
	for v := range curve {
		const white, half = 255, 255 * 256 / 2
		smooth := (v*v*(3*white-2*v)*256 + white*white/2) / (white * white) // in 1/256
		curve[v] = byte((v*256*(256-share) + smooth*share + 1<<15) >> 16)
	}
	return curve
}
