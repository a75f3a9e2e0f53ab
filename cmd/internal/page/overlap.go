package page

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// cells is the number of grid cells along each axis with which overlapping curves are found. A cell is about as wide as
// a line.
const cells = 400

// coincident is the fraction of a curve's cells that must overlap other curves before the curve is dashed. 0.6 is a
// guess.
const coincident = 0.6

// dashes returns the dash pattern of a curve that covers the given number of other curves, or nil for none. The gaps
// let every curve below show.
func dashes(below int) []vg.Length {
	const period = 14
	if below == 0 {
		return nil
	}
	on := vg.Length(period * max(math.Pow(0.65, float64(below)), 0.18)) // shorter dashes are hardly visible
	return []vg.Length{on, period - on}
}

// dashPatterns returns the dash pattern of each curve, or nil for a curve that is not dashed. The argument curves
// contains the lines of each curve. A curve is dashed if most of its cells lie on earlier curves.
func dashPatterns(p *plot.Plot, logY bool, curves [][]*plotter.Line) [][]vg.Length {
	all := make([][]vg.Length, len(curves))
	taken := map[[2]int]int{} // number of curves through each cell so far
	for i, lines := range curves {
		own := map[[2]int]bool{}
		for _, line := range lines {
			walk(p, logY, corners(line), func(cell [2]int) { own[cell] = true })
		}
		under := map[int]int{} // number of this curve's cells, by the number of curves below them
		for cell := range own {
			most := 0
			for x := -1; x <= 1; x++ {
				for y := -1; y <= 1; y++ {
					most = max(most, taken[[2]int{cell[0] + x, cell[1] + y}])
				}
			}
			under[most]++
		}
		below, left := 0, len(own)
		for n := 1; n <= i; n++ {
			// the curve lies on at least n earlier curves
			if left -= under[n-1]; float64(left) > coincident*float64(len(own)) {
				below = n
			}
		}
		all[i] = dashes(below)
		for cell := range own {
			taken[cell]++
		}
	}
	return all
}

// corners returns the points that a line passes through, including the corners of steps.
func corners(line *plotter.Line) plotter.XYs {
	if line.StepStyle != plotter.PostStep {
		return line.XYs
	}
	var all plotter.XYs
	for k, xy := range line.XYs {
		if k > 0 {
			all = append(all, plotter.XY{X: xy.X, Y: line.XYs[k-1].Y})
		}
		all = append(all, xy)
	}
	return all
}

// walk calls f with each grid cell that the line through the given points crosses.
func walk(p *plot.Plot, logY bool, points plotter.XYs, f func(cell [2]int)) {
	place := func(k int) (x, y float64) {
		x, y = (points[k].X-p.X.Min)/(p.X.Max-p.X.Min), points[k].Y
		if logY {
			return cells * x, cells * math.Log(y/p.Y.Min) / math.Log(p.Y.Max/p.Y.Min)
		}
		return cells * x, cells * (y - p.Y.Min) / (p.Y.Max - p.Y.Min)
	}
	for k := range points {
		x, y := place(k)
		fromX, fromY := x, y
		if k > 0 {
			fromX, fromY = place(k - 1)
		}
		n := math.Ceil(max(math.Abs(x-fromX), math.Abs(y-fromY)))
		if !(n < 10*cells) { // the line ends at NaN, or far outside the axes
			continue
		}
		for s := 0.0; s <= n; s++ {
			share := s / max(n, 1)
			f([2]int{int(fromX + share*(x-fromX)), int(fromY + share*(y-fromY))})
		}
	}
}
