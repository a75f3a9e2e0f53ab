package dashboard

import (
	"net/http"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/timesync"
)

// Durations of wall time, except forecastTime.
const (
	paceEvery = 500 * time.Millisecond // length of a sample
	paceIdle  = 5 * time.Second        // sampling stops after this time without a viewer or a request
	paceKept  = 120                    // number of samples kept: a minute
	// least time between two forecasts: each forecast costs the goroutine that steps up to 0.1 ms
	forecastEvery = 250 * time.Millisecond
	forecastTime  = time.Second // sim time that forecasts cover, as robots' programs request it
)

// paceSampleJSON is the speed of the run during an interval of wall time. Times in ms are mean wall times of a step.
type paceSampleJSON struct {
	Number  int64   `json:"number"`
	Time    float64 `json:"time_s"` // sim time at the end of the interval
	Wall    float64 `json:"wall_s"` // wall time since the first sample
	Factor  float64 `json:"factor"` // real-time factor
	Target  float64 `json:"target"` // target real-time factor; 0: as fast as possible
	Steps   int64   `json:"steps"`
	Step    float64 `json:"step_ms"`
	Worst   float64 `json:"worst_ms"` // longest step
	Physics float64 `json:"physics_ms"`
	Sensors float64 `json:"sensors_ms"`
	Waiting float64 `json:"waiting_ms"`       // time spent waiting for images
	Rest    float64 `json:"rest_ms"`          // time spent on commands, events, rules and messages
	Paused  bool    `json:"paused,omitempty"` // the run was paused just before the interval
	// forecast of the wall time of the second of sim time that ended in this sample: the median
	Forecast *float64 `json:"forecast_s,omitempty"`
	Upper    *float64 `json:"upper_s,omitempty"` // forecast of the same time: the 95th percentile
	Took     *float64 `json:"took_s,omitempty"`  // the actual wall time
}

// paceJSON is the answer with the newest samples.
type paceJSON struct {
	Step    float64          `json:"step_s"` // sim time of a step
	Samples []paceSampleJSON `json:"samples"`
	Next    *float64         `json:"next_s,omitempty"` // median forecast for the next second of sim time
	Most    *float64         `json:"next_upper_s,omitempty"`
}

// pace samples the run's speed while clients watch.
type pace struct {
	sim      *omnipitch.Sim
	sampling demand

	mu    sync.Mutex
	kept  []paceSampleJSON // the newest samples
	count int64
	next  forecast // the newest
}

// forecast is a prediction of the wall time of the next forecastTime.
type forecast struct {
	from          time.Duration // sim time at which the forecast was made
	began         time.Duration // wall time at which the sim time reached the field from; 0 before
	made          time.Duration // wall time at which the forecast was made; 0: there is no forecast
	likely, upper time.Duration
	took          time.Duration // actual wall time of the interval; 0: the interval is not over
}

func newPace(sim *omnipitch.Sim) *pace {
	p := &pace{sim: sim}
	p.sampling = demand{idle: paceIdle, begin: func() (func(), error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.kept, p.next = nil, forecast{}
		return sim.Clock().OnCost((&sampler{pace: p}).stepped), nil
	}}
	return p
}

// add keeps a sample.
func (p *pace) add(s paceSampleJSON, next forecast) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	s.Number = p.count
	p.kept, p.next = append(p.kept, s), next
	if n := len(p.kept) - paceKept; n > 0 {
		p.kept = append(p.kept[:0], p.kept[n:]...)
	}
}

// since returns the samples whose index is greater than the given one, and the newest forecast.
func (p *pace) since(number int64) *paceJSON {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := &paceJSON{Step: p.sim.World().Time.Step.Seconds(), Samples: []paceSampleJSON{}}
	for i := range p.kept {
		if p.kept[i].Number > number {
			j.Samples = append(j.Samples, p.kept[i])
		}
	}
	if p.next.made > 0 {
		j.Next, j.Most = seconds(p.next.likely), seconds(p.next.upper)
	}
	return j
}

// sampler makes samples. It belongs to the goroutine that steps.
type sampler struct {
	*pace
	zero     time.Duration // wall time of the first sample
	sum      timesync.StepCost
	steps    int64
	worst    time.Duration
	paused   bool
	forecast forecast      // the forecast whose interval is not over; possibly none
	over     forecast      // the forecast that ended in the present sample; over.took is 0 if there is none
	foreseen time.Duration // wall time of the last forecast; 0: none
}

// stepped adds a step's cost.
func (s *sampler) stepped(c *timesync.StepCost) {
	if s.zero == 0 {
		s.zero = c.Began
	}
	if c.Anew { // the run continues after a pause: discard the sample and the forecast in progress
		s.steps, s.forecast, s.paused = 0, forecast{}, true
	}
	if s.steps > 0 && c.Began-s.sum.Began >= paceEvery {
		s.pass(c)
	}
	if s.steps == 0 {
		s.sum, s.worst = timesync.StepCost{Sim: c.Sim, Began: c.Began}, 0
	}
	s.steps++
	s.sum.Whole += c.Whole
	s.sum.Physics += c.Physics
	s.sum.Sensors += c.Sensors
	s.sum.Waiting += c.Waiting
	s.worst = max(s.worst, c.Whole)
	s.foresee(c)
}

// foresee compares a forecast whose interval is over with the actual wall time, and makes the next forecast.
func (s *sampler) foresee(c *timesync.StepCost) {
	f := &s.forecast
	if f.made > 0 && f.began == 0 && c.Sim >= f.from {
		f.began = c.Began
	}
	if f.made > 0 && f.began > 0 && c.Sim >= f.from+forecastTime {
		f.took = c.Began - f.began
		s.over = *f
		*f = forecast{}
	}
	if f.made > 0 || s.foreseen > 0 && c.Began-s.foreseen < forecastEvery {
		return
	}
	s.foreseen = c.Began
	if p := s.sim.Clock().Predict(forecastTime); p.Likely > 0 {
		*f = forecast{from: s.sim.Truth().Time, made: c.Began + c.Whole, likely: p.Likely, upper: p.Upper}
	}
}

// pass ends a sample at the beginning of a step, and keeps it.
func (s *sampler) pass(c *timesync.StepCost) {
	mean := func(d time.Duration) float64 { return rounded(d.Seconds() * 1e3 / float64(s.steps)) }
	j := paceSampleJSON{
		Time: c.Sim.Seconds(), Wall: rounded((c.Began - s.zero).Seconds()),
		Factor: rounded((c.Sim - s.sum.Sim).Seconds() / (c.Began - s.sum.Began).Seconds()),
		Target: s.sim.Clock().Factor().Target, Steps: s.steps, Step: mean(s.sum.Whole),
		Worst:   rounded(s.worst.Seconds() * 1e3),
		Physics: mean(s.sum.Physics), Sensors: mean(s.sum.Sensors), Waiting: mean(s.sum.Waiting),
		Rest: mean(s.sum.Rest()), Paused: s.paused,
	}
	if o := s.over; o.took > 0 {
		j.Forecast, j.Upper, j.Took = seconds(o.likely), seconds(o.upper), seconds(o.took)
	}
	s.add(j, s.forecast)
	s.steps, s.paused, s.over = 0, false, forecast{}
}

func (s *simServer) samples(r *http.Request) (any, error) {
	after, err := numberOf(r, "after", 0, 1<<62)
	if err == nil {
		err = s.pace.sampling.renew()
	}
	return s.pace.since(int64(after)), err
}
