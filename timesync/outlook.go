package timesync

import (
	"math"
	"slices"
	"time"
)

// Outlook is a set of forecasts made at one sim time. Its methods interpolate between the forecasts. They may be called
// at a later sim time, and by any goroutine, because an Outlook does not change. The zero value has no forecasts.
type Outlook struct {
	From      time.Duration   // sim time at which the forecasts were made
	Ahead     []time.Duration // sim times after From at which the forecasts end; ascending, positive
	Forecasts []Forecast      // one forecast for each element of Ahead
}

// Wall returns how much wall time will pass during the duration sim of sim time. The argument now is the sim time at
// which this duration starts: From or later. Without forecasts Wall returns 0.
func (o *Outlook) Wall(now, sim time.Duration) Forecast {
	begin, end := o.until(now-o.From), o.until(now-o.From+sim)
	return Forecast{end.Likely - begin.Likely, end.Upper - begin.Likely}
}

// Sim returns how much sim time will pass during the duration wall of wall time: the likely sim time, and the 5th
// percentile. The argument now is the sim time at the start of this duration. Without forecasts Sim returns 0, 0.
func (o *Outlook) Sim(now, wall time.Duration) (likely, least time.Duration) {
	begin := o.until(now - o.From).Likely
	inverse := func(takes func(Forecast) time.Duration) time.Duration {
		return max(o.invert(begin+wall, takes)-(now-o.From), 0)
	}
	return inverse(func(f Forecast) time.Duration { return f.Likely }),
		inverse(func(f Forecast) time.Duration { return f.Upper })
}

// until returns how much wall time passes between the sim times From and From+sim. It interpolates linearly between two
// forecasts. After the last forecast it extrapolates from the last two forecasts.
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

// segment returns the two ends of a segment of the interpolation: the sim times after From, and the forecasts. The
// segment ends at the forecast with index i; if there is no such forecast, it is the last segment.
func (o *Outlook) segment(i int) (from, to time.Duration, a, b Forecast) {
	i = min(i, len(o.Ahead)-1)
	if i > 0 {
		from, a = o.Ahead[i-1], o.Forecasts[i-1]
	}
	return from, o.Ahead[i], a, o.Forecasts[i]
}

// invert is the inverse of until: it returns the duration of sim time after From that takes a given wall time. The
// function takes selects the likely or the upper wall time of a forecast.
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
