package timesync

import (
	"math"
	"slices"
	"time"
)

// Outlook is forecasts of several distances that were made at one sim time, for who asks between them, later, or from
// another goroutine. The zero value knows nothing. Nothing changes one that was made.
type Outlook struct {
	From      time.Duration   // sim time
	Ahead     []time.Duration // sim time from then on, ascending, above 0
	Forecasts []Forecast      // of each
}

// Wall returns how much wall time it will take from a sim time on, which is From or later, until so much sim time has
// gone by. It is 0 where the Outlook knows nothing.
func (o *Outlook) Wall(now, sim time.Duration) Forecast {
	begin, end := o.until(now-o.From), o.until(now-o.From+sim)
	return Forecast{end.Likely - begin.Likely, end.Upper - begin.Likely}
}

// Sim returns how much sim time will go by in so much wall time, likely, and at least in nineteen of twenty cases. Both
// are 0 where the Outlook knows nothing.
func (o *Outlook) Sim(now, wall time.Duration) (likely, least time.Duration) {
	begin := o.until(now - o.From).Likely
	inverse := func(takes func(Forecast) time.Duration) time.Duration {
		return max(o.invert(begin+wall, takes)-(now-o.From), 0)
	}
	return inverse(func(f Forecast) time.Duration { return f.Likely }),
		inverse(func(f Forecast) time.Duration { return f.Upper })
}

// until returns how much wall time goes by from From until so much sim time has: in proportion between two forecasts,
// and beyond the last one as between the last two.
func (o *Outlook) until(sim time.Duration) Forecast {
	if len(o.Ahead) == 0 {
		return Forecast{}
	}
	i, _ := slices.BinarySearch(o.Ahead, sim)
	from, to, a, b := o.part(i)
	share := (sim - from).Seconds() / (to - from).Seconds()
	between := func(a, b time.Duration) time.Duration { return a + time.Duration(math.Round(share*float64(b-a))) }
	return Forecast{between(a.Likely, b.Likely), between(a.Upper, b.Upper)}
}

// part returns the ends of the part before a forecast, or of the last one.
func (o *Outlook) part(i int) (from, to time.Duration, a, b Forecast) {
	i = min(i, len(o.Ahead)-1)
	if i > 0 {
		from, a = o.Ahead[i-1], o.Forecasts[i-1]
	}
	return from, o.Ahead[i], a, o.Forecasts[i]
}

// invert returns the sim time that takes so much wall time.
func (o *Outlook) invert(wall time.Duration, takes func(Forecast) time.Duration) time.Duration {
	if len(o.Ahead) == 0 {
		return 0
	}
	i := slices.IndexFunc(o.Forecasts, func(f Forecast) bool { return takes(f) >= wall })
	if i < 0 {
		i = len(o.Ahead) - 1
	}
	from, to, a, b := o.part(i)
	if takes(b) <= takes(a) {
		return to
	}
	return from + time.Duration(math.Round((wall-takes(a)).Seconds()/(takes(b)-takes(a)).Seconds()*float64(to-from)))
}
