package scenery

import (
	"math"
	"math/rand/v2"

	"github.com/omnipitch/omnipitch/render"
)

const (
	crowdWidth  = 24   // metres of wall until the image repeats
	crowdPixels = 512  // across that
	crowdRows   = 128  // from the ceiling to the floor
	bannerTop   = 1.0  // metres: sponsors' banners stand on the floor
	crowdTop    = 3.4  // metres: the last row's heads
	seatPitch   = 0.55 // metres between neighbours
	rowPitch    = 0.75 // metres that each row sits higher than the one before
)

// crowd paints banners and rows of spectators for the walls of a hall, sRGB: every place along the wall looks different,
// as a visual compass needs it. Measures and colours are guesses.
func crowd(height float64) *render.Image {
	im := render.NewImage(crowdPixels, crowdRows)
	random := rand.New(rand.NewPCG(1, 2)) // one crowd, always the same
	bright := func() [3]byte {
		c := [3]byte{byte(30 + random.IntN(60)), byte(30 + random.IntN(200)), byte(150 + random.IntN(100))}
		random.Shuffle(3, func(i, j int) { c[i], c[j] = c[j], c[i] })
		return c
	}
	// fill paints what lies in a box of the wall, metres, where inside says so; the image's ends join.
	fill := func(x0, x1, z0, z1 float64, c [3]byte, inside func(x, z float64) bool) {
		perX, perZ := crowdPixels/float64(crowdWidth), crowdRows/height
		for col := int(math.Floor(x0 * perX)); float64(col) < x1*perX; col++ {
			for row := int(math.Floor((height - z1) * perZ)); float64(row) < (height-z0)*perZ; row++ {
				x, z := (float64(col)+0.5)/perX, height-(float64(row)+0.5)/perZ
				if row < 0 || row >= crowdRows || inside != nil && !inside(x, z) {
					continue
				}
				at := 3 * (row*crowdPixels + (col+crowdPixels)%crowdPixels)
				copy(im.Pix[at:at+3], c[:])
			}
		}
	}
	fill(0, crowdWidth, 0, height, [3]byte{150, 150, 148}, nil)              // the wall itself
	fill(0, crowdWidth, 0, crowdTop-0.4, [3]byte{70, 68, 66}, nil)           // the banks
	for z := bannerTop + 2*rowPitch; z > bannerTop-rowPitch; z -= rowPitch { // from the last row to the first, which hides it
		for x := 0.0; x < crowdWidth; x += seatPitch {
			if random.Float64() < 0.12 {
				continue // an empty seat
			}
			at, sits := x+0.12*random.Float64(), z+0.1*random.Float64()
			fill(at, at+0.46, sits, sits+0.55, bright(), nil)
			skin := byte(90 + random.IntN(130))
			head := func(x, z float64) bool { return math.Hypot(x-at-0.23, z-sits-0.68) < 0.14 }
			fill(at, at+0.46, sits+0.5, sits+0.9, [3]byte{skin, skin / 4 * 3, skin / 5 * 3}, head)
		}
	}
	for x := 0.0; x < crowdWidth; {
		w := math.Min(1.5+2.5*random.Float64(), crowdWidth-x)
		fill(x, x+w, 0.1, bannerTop, bright(), nil)
		fill(x+0.2*w, x+0.8*w, 0.4, 0.7, bright(), nil) // a name that nobody can read
		x += w
	}
	return im
}
