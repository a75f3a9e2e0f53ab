package page

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

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
