package timesync

import (
	"slices"
	"time"
)

// ForecastScore tells how good a run's own forecasts over one horizon were. A forecast does not count if a pause or a
// restart of the pace happened before its end.
type ForecastScore struct {
	Horizon     time.Duration // sim time
	N           int64         // number of finished forecasts
	Median, P90 float64       // median and 90th percentile of the relative errors of the last 512 forecasts
	WithinUpper float64       // fraction of the forecasts whose actual wall time was at most Forecast.Upper
}

// leastScored is the number of forecasts below which a score is not reported.
const leastScored = 20

// score compares consecutive forecasts over a horizon with what happened.
type score struct {
	horizon time.Duration
	pending
	upper  time.Duration
	recent [512]float64 // relative errors
	n      int64
	within int64
}

// newScores returns scores over 0.1 s and 1 s of sim time.
func newScores() [2]score {
	return [2]score{{horizon: 100 * time.Millisecond}, {horizon: time.Second}}
}

// observe is called at the start of each step. When the pending forecast is over, observe scores it and makes the next
// forecast.
func (s *score) observe(p *Pacer) {
	if took, over := s.stepBegan(p.sim, p.began); over && took > 0 {
		s.recent[s.n%int64(len(s.recent))] = (s.likely - took).Abs().Seconds() / took.Seconds()
		if s.n++; took <= s.upper {
			s.within++
		}
	}
	if !s.open {
		f := p.Predict(p.sim, s.horizon)
		s.expect(p.sim, p.sim+s.horizon, p.began, f.Likely)
		s.upper = f.Upper
	}
}

// Forecasts returns how good the run's forecasts were, for each horizon with at least 20 finished forecasts.
func (p *Pacer) Forecasts() (scores []ForecastScore) {
	for i := range p.scores {
		if s := &p.scores[i]; s.n >= leastScored {
			recent := slices.Sorted(slices.Values(s.recent[:min(s.n, int64(len(s.recent)))]))
			n := len(recent)
			scores = append(scores, ForecastScore{s.horizon, s.n, recent[n/2], recent[n*9/10],
				float64(s.within) / float64(s.n)})
		}
	}
	return scores
}
