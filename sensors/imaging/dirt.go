package imaging

import (
	"math"

	"github.com/omnipitch/omnipitch/abstraction/random"
)

// streamDirt differs from the streams of frame 0.
const streamDirt uint16 = 1000

const (
	speckRadius   = 0.012 // maximum radius of a speck, as a fraction of the image's width
	speckStrength = 0.5   // maximum fraction of the light that the centre of a speck blocks
	scratchLength = 0.25  // maximum length of a scratch, as a fraction of the image's width
	scratchWidth  = 0.7   // half the width of a scratch, px
)

// dirt returns for each pixel the fraction of the light that dust and scratches on a lens or mirror let through. It
// returns nil if there is neither dust nor a scratch. The dirt is the same in all frames. Its positions depend on the
// seed, the robot and the sensor of the noise source. The sizes and strengths are guesses based on photographs that
// were taken with used mirrors.
func dirt(dust, scratches, width, height int, noise random.Source) []float32 {
	if dust+scratches == 0 {
		return nil
	}
	keep := make([]float32, width*height)
	for i := range keep {
		keep[i] = 1
	}
	// darken blocks strength·profile(distance) of the light around a point.
	darken := func(x, y, reach float64, strength float64, distance func(px, py float64) float64) {
		for v := max(int(y-reach), 0); v <= min(int(y+reach)+1, height-1); v++ {
			for u := max(int(x-reach), 0); u <= min(int(x+reach)+1, width-1); u++ {
				if d := distance(float64(u), float64(v)); d < 1 {
					share := float32(1 - strength*(1-d*d)*(1-d*d))
					keep[v*width+u] = min(keep[v*width+u], share)
				}
			}
		}
	}
	w, h := float64(width), float64(height)
	draw := func(i, k int) float64 { return noise.Uniform(random.Index(streamDirt, uint64(i)<<8|uint64(k))) }
	for i := range dust {
		x, y := draw(i, 0)*w, draw(i, 1)*h
		r := math.Max(1.5, speckRadius*w*draw(i, 2)*draw(i, 2)) // many small specks
		darken(x, y, r, speckStrength*(0.3+0.7*draw(i, 3)), func(u, v float64) float64 {
			return math.Hypot(u-x,
				v-y) / r
		})
	}
	for i := range scratches {
		k := dust + i
		x, y := draw(k, 0)*w, draw(k, 1)*h
		s, c := math.Sincos(2 * math.Pi * draw(k, 2))
		half := scratchLength * w * (0.2 + 0.8*draw(k, 3)) / 2
		darken(x, y, half, speckStrength*(0.3+0.7*draw(k, 4)), func(u, v float64) float64 {
			along := math.Max(0, math.Abs((u-x)*c+(v-y)*s)-half)
			return math.Hypot(along, (v-y)*c-(u-x)*s) / (2 * scratchWidth)
		})
	}
	return keep
}
