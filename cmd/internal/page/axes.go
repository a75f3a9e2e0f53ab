package page

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/omnipitch/omnipitch/physics/experiment"
)

// axes draws all curves of p on common axes. If legend is not nil, it adds an entry for each curve to the legend.
func axes(p *experiment.Plot, legend *plot.Legend) (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.Title, p.XLabel, p.YLabel
	out.X.Tick.Marker, out.Y.Tick.Marker = plot.TickerFunc(ticks), plot.TickerFunc(ticks)
	for _, style := range []*draw.TextStyle{&out.Title.TextStyle, &out.X.Label.TextStyle, &out.Y.Label.TextStyle,
		&out.X.Tick.Label, &out.Y.Tick.Label} {
		style.Font.Variant = sans
	}
	out.Add(plotter.NewGrid())
	var above []plot.Plotter // marks, which are drawn last, over every line
	drawn := false
	curves := make([][]*plotter.Line, len(p.Curves))
	for i := range p.Curves {
		if len(p.Curves[i].X) == 0 {
			continue
		}
		if p.Bars {
			bar, err := drawBars(out, p, i)
			if err != nil {
				return nil, err
			}
			if legend != nil {
				legend.Add(p.Curves[i].Name, bar)
			}
			drawn = drawn || len(finiteParts(&p.Curves[i])) > 0
			continue
		}
		lines, marks, err := drawCurve(p, i)
		if err != nil {
			return nil, err
		}
		var samples []plot.Thumbnailer
		for _, line := range lines {
			out.Add(line)
			samples, drawn = []plot.Thumbnailer{line}, true
		}
		if marks != nil {
			above, samples, drawn = append(above, marks), append(samples, marks), true
		} else {
			curves[i] = lines
		}
		if legend != nil {
			legend.Add(p.Curves[i].Name, samples...)
		}
	}
	out.Add(above...)
	switch {
	case !drawn: // no curve has values, for example because runs were too short
		out.X.Min, out.X.Max, out.Y.Min, out.Y.Max = 0, 1, 0, 1
	case p.Square:
		square(out)
	case p.LogY:
		out.Y.Scale, out.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
		room := math.Pow(out.Y.Max/out.Y.Min, 0.03)
		out.Y.Min, out.Y.Max = out.Y.Min/room, out.Y.Max*room
	default:
		widen(&out.Y, 0.05)
	}
	if p.Bars {
		out.Y.Min = 0
	}
	if len(p.Names) > 0 {
		out.NominalX(p.Names...)
		out.X.Min, out.X.Max = -0.5, float64(len(p.Names))-0.5
	}
	for i, dashes := range dashPatterns(out, p.LogY, curves) {
		for _, line := range curves[i] {
			line.Dashes = dashes
		}
	}
	return out, nil
}

// widen extends an axis at both ends by a fraction of its length.
func widen(a *plot.Axis, share float64) {
	room := share * (a.Max - a.Min)
	a.Min, a.Max = a.Min-room, a.Max+room
}

// square extends one of the two axes so that a metre is equally long in both directions. It neglects the space that
// labels take.
func square(p *plot.Plot) {
	const aspect = 1.61 // width over height of the drawing area of a plot of plotWidth and plotHeight
	widen(&p.Y, 0.05)
	w, h := p.X.Max-p.X.Min, p.Y.Max-p.Y.Min
	if grow := h*aspect - w; grow > 0 {
		p.X.Min, p.X.Max = p.X.Min-grow/2, p.X.Max+grow/2
	} else {
		grow = w/aspect - h
		p.Y.Min, p.Y.Max = p.Y.Min-grow/2, p.Y.Max+grow/2
	}
}

// intervals is the approximate number of labelled intervals of an axis.
const intervals = 5

// ticks returns the ticks of a linear axis: at multiples of 1, 2 or 5 times a power of ten, with enough digits to
// distinguish neighbours.
func ticks(least, most float64) (all []plot.Tick) {
	if !(most > least) || math.IsInf(most-least, 0) {
		return []plot.Tick{{Value: least, Label: strconv.FormatFloat(least, 'g', -1, 64)}}
	}
	power := math.Pow(10, math.Floor(math.Log10((most-least)/intervals)))
	apart, between := power, 5
	for _, n := range []struct {
		times   float64
		between int // number of unlabelled ticks per labelled tick
	}{{2, 4}, {5, 5}, {10, 5}} {
		if (most-least)/apart > intervals+1 {
			apart, between = n.times*power, n.between
		}
	}
	digits := max(0, -int(math.Floor(math.Log10(apart)+1e-9)))
	fine := apart / float64(between)
	for i := math.Ceil(least/fine - 1e-9); i*fine <= most+1e-9*apart; i++ {
		tick := plot.Tick{Value: i * fine}
		if math.Mod(i, float64(between)) == 0 {
			tick.Label = strconv.FormatFloat(tick.Value+0, 'f', digits, 64) // + 0 turns -0 into 0
		}
		all = append(all, tick)
	}
	return all
}

// logTicks returns the ticks of a logarithmic axis, with labels in decimal notation. Powers of ten have labels. If at
// most two powers of ten are on the axis, their multiples by two and five have labels as well.
func logTicks(least, most float64) (all []plot.Tick) {
	first, last := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	powers := math.Floor(math.Log10(most)+1e-9) - math.Ceil(math.Log10(least)-1e-9) + 1
	for e := first; e <= last; e++ {
		for n := 1.0; n < 10; n++ {
			value := n * math.Pow(10, e)
			if value < least*(1-1e-9) || value > most*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: value}
			if n == 1 || powers <= 2 && (n == 2 || n == 5) {
				tick.Label = strconv.FormatFloat(value, 'f', max(0, -int(e)), 64)
			}
			all = append(all, tick)
		}
	}
	return all
}

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
