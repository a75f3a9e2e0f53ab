package chip

import "github.com/omnipitch/omnipitch/render"

// ColumnNumbers is what a CCD's columns do with too much light, as the arithmetic has it.
//
// A pixel holds a full well. Of the charge beyond it a share spills, half of it up the column and half down, into the
// wells that have room, the nearest first: blooming. Between columns there are channel stops. The rest goes into the
// overflow drain (Theuwissen, "Solid-State Imaging with Charge-Coupled Devices", 1995). While charge is shifted down a
// column, light falls on it, in proportion to all light of the column: smear, a number for each column (Powell et al.,
// "Restoration and frequency analysis of smeared CCD images", Applied Optics 38, 1999). Data sheets give the smear that
// a white patch makes which is a tenth as high as the image. Each colour is treated by itself.
type ColumnNumbers struct {
	On    bool
	Spill float32 // half of the share that spills
	Full  float32 // light that fills a well
	Smear float32 // of each pixel's light in its column
}

func newColumnNumbers(c *render.Chip, height int) ColumnNumbers {
	if c.Spill == 0 && c.Smear == 0 {
		return ColumnNumbers{}
	}
	return ColumnNumbers{On: true, Spill: float32(c.Spill / 2), Full: float32(1 / c.Exposure),
		Smear: float32(c.Smear * 10 / float64(height))}
}

// ColumnsRoom returns how many numbers it takes to apply them to an image: what spills, in 16 columns.
func ColumnsRoom(height int) int { return 16 * height }

// apply makes of the light of a colour's plane that which its columns hold. The memory has ColumnsRoom numbers.
func (n *ColumnNumbers) apply(plane []float32, width, height int, spilt []float32) {
	for x := range width {
		var sum, flow float32
		for y := range height { // down
			l := plane[y*width+x]
			sum += l
			spilt[y] = float32(n.Spill * max(l-n.Full, 0))
			plane[y*width+x] = n.fill(min(l, n.Full), &flow, spilt[y])
		}
		flow = 0
		for y := height - 1; y >= 0; y-- {
			plane[y*width+x] = n.fill(plane[y*width+x], &flow, spilt[y])
		}
		smear := float32(n.Smear * sum)
		for y := range height {
			plane[y*width+x] += smear
		}
	}
}

// fill returns what a well holds which has held light, once it has given some to a flow along the column and taken what
// it has room for.
func (n *ColumnNumbers) fill(light float32, flow *float32, spilt float32) float32 {
	*flow += spilt
	taken := min(*flow, n.Full-light)
	*flow -= taken
	return light + taken
}
