package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// cells is into how many parts the area of a plot is divided, across and up, to find curves that lie on each other:
// each is about as wide as a line.
const cells = 400

// coincident is the share of a curve that lies on others from which on it is drawn so that they are seen through it. A
// guess.
const coincident = 0.6

// dashes returns how a curve is drawn that lies on so many others: in dashes that leave gaps for those below, which all
// leave some.
func dashes(below int) []vg.Length {
	const period = 14
	if below == 0 {
		return nil
	}
	on := vg.Length(period * max(math.Pow(0.65, float64(below)), 0.18)) // shorter ones are hardly seen
	return []vg.Length{on, period - on}
}

// dashesOf returns how each curve of a plot is drawn, by the lines that it consists of: with dashes if it lies on
// curves before it for a good part.
func dashesOf(p *plot.Plot, logY bool, curves [][]*plotter.Line) [][]vg.Length {
	all := make([][]vg.Length, len(curves))
	taken := map[[2]int]int{} // cells that curves have gone through, and how many have
	for i, lines := range curves {
		own := map[[2]int]bool{}
		for _, line := range lines {
			walk(p, logY, corners(line), func(cell [2]int) { own[cell] = true })
		}
		under := map[int]int{} // cells of this curve, by how many curves lie below in them
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
			if left -= under[n-1]; float64(left) > coincident*float64(len(own)) { // on n or more
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

// corners are the points that a line goes through: those of a line of steps too.
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

// walk calls f with the cells that the line through points goes through.
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
		if !(n < 10*cells) { // a number beyond the axes, or none
			continue
		}
		for s := 0.0; s <= n; s++ {
			share := s / max(n, 1)
			f([2]int{int(fromX + share*(x-fromX)), int(fromY + share*(y-fromY))})
		}
	}
}
