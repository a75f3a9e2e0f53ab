package timesync

import (
	"math"
	"slices"
	"time"
)

// Outlook is a set of forecasts made at one sim time. It interpolates between them, and answers questions asked later
// or from another goroutine. The zero value has no forecasts. An Outlook is constant once made.
type Outlook struct {
	From      time.Duration   // sim time at which the forecasts were made
	Ahead     []time.Duration // sim time after From, ascending, positive
	Forecasts []Forecast      // one for each of Ahead
}

// Wall returns how much wall time will pass between sim time now, which is From or later, and now+sim. It returns 0
// without forecasts.
func (o *Outlook) Wall(now, sim time.Duration) Forecast {
	begin, end := o.until(now-o.From), o.until(now-o.From+sim)
	return Forecast{end.Likely - begin.Likely, end.Upper - begin.Likely}
}

// Sim returns how much sim time will pass during a wall time that starts at sim time now: the likely amount, and the
// 5th percentile. Both are 0 without forecasts.
func (o *Outlook) Sim(now, wall time.Duration) (likely, least time.Duration) {
	begin := o.until(now - o.From).Likely
	inverse := func(takes func(Forecast) time.Duration) time.Duration {
		return max(o.invert(begin+wall, takes)-(now-o.From), 0)
	}
	return inverse(func(f Forecast) time.Duration { return f.Likely }),
		inverse(func(f Forecast) time.Duration { return f.Upper })
}

// until returns how much wall time passes between From and From+sim. It interpolates linearly between two forecasts,
// and extrapolates from the last two.
func (o *Outlook) until(sim time.Duration) Forecast {
	if len(o.Ahead) == 0 {
		return Forecast{}
	}
	i, _ := slices.BinarySearch(o.Ahead, sim)
	from, to, a, b := o.segment(i)
	share := (sim - from).Seconds() / (to - from).Seconds()
	between := func(a, b time.Duration) time.Duration { return a + time.Duration(math.Round(share*float64(b-a))) }
	return Forecast{between(a.Likely, b.Likely), between(a.Upper, b.Upper)}
}

// segment returns the ends of the segment that ends at forecast i, or of the last segment.
func (o *Outlook) segment(i int) (from, to time.Duration, a, b Forecast) {
	i = min(i, len(o.Ahead)-1)
	if i > 0 {
		from, a = o.Ahead[i-1], o.Forecasts[i-1]
	}
	return from, o.Ahead[i], a, o.Forecasts[i]
}

// invert returns the sim time after From that takes a wall time.
func (o *Outlook) invert(wall time.Duration, takes func(Forecast) time.Duration) time.Duration {
	if len(o.Ahead) == 0 {
		return 0
	}
	i := slices.IndexFunc(o.Forecasts, func(f Forecast) bool { return takes(f) >= wall })
	if i < 0 {
		i = len(o.Ahead) - 1
	}
	from, to, a, b := o.segment(i)
	if takes(b) <= takes(a) {
		return to
	}
	return from + time.Duration(math.Round((wall-takes(a)).Seconds()/(takes(b)-takes(a)).Seconds()*float64(to-from)))
}
