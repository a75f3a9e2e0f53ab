package chip

import "github.com/omnipitch/omnipitch/render"

// ColumnNumbers holds the parameters of blooming and smear in a CCD's columns, as the arithmetic uses them.
//
// A pixel holds at most the charge of a full well. A fraction of the charge beyond that spills, half up and half down
// the column, into the nearest wells that have room: blooming. The rest flows into the overflow drain. Channel stops
// keep charge from spilling into other columns (Theuwissen, "Solid-State Imaging with Charge-Coupled Devices", 1995).
// While charge is shifted down a column, light of the whole column falls on it: smear. It adds the same charge to all
// pixels of a column, in proportion to the column's total light (Powell et al., "Restoration and frequency analysis of
// smeared CCD images", Applied Optics 38, 1999). Data sheets state the smear that a white patch a tenth as high as the
// image causes. Each colour is computed separately.
type ColumnNumbers struct {
	On    bool
	Spill float32 // half of the fraction that spills
	Full  float32 // light that fills a well
	Smear float32 // fraction of each pixel's light that smears over its column
}

func newColumnNumbers(c *render.Chip, height int) ColumnNumbers {
	if c.Spill == 0 && c.Smear == 0 {
		return ColumnNumbers{}
	}
	return ColumnNumbers{On: true, Spill: float32(c.Spill / 2), Full: float32(1 / c.Exposure),
		Smear: float32(c.Smear * 10 / float64(height))}
}

// ColumnsRoom returns how many numbers of scratch memory apply needs for an image: the spilt charge of 16 columns.
func ColumnsRoom(height int) int { return 16 * height }

// apply applies blooming and smear to a colour's plane. spilt must have ColumnsRoom numbers.
func (n *ColumnNumbers) apply(plane []float32, width, height int, spilt []float32) {
	for x := range width {
		var sum, flow float32
		for y := range height { // downwards
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

// fill returns the content of a well that received light, after it exchanged charge with flow. A well with too much
// charge adds its excess to flow; a well with room takes charge from flow.
func (n *ColumnNumbers) fill(light float32, flow *float32, spilt float32) float32 {
	*flow += spilt
	taken := min(*flow, n.Full-light)
	*flow -= taken
	return light + taken
}
