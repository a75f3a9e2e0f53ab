package dashboard

import (
	"net/http"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
	"github.com/omnipitch/omnipitch/worlds"
)

// sensorReportJSON is the timing of a sensor's frames. Times are sim time unless they say wall time.
type sensorReportJSON struct {
	Robot  string   `json:"robot"`
	Sensor string   `json:"sensor"`
	Level  string   `json:"level"`
	Frames uint64   `json:"frames"`             // delivered so far
	Rate   *float64 `json:"rate_measured_hz"`   // frames per second of sim time in the recent past; null while unknown
	Delay  float64  `json:"delay_modelled_s"`   // modelled time from capture to delivery at this level
	Jitter float64  `json:"jitter_s,omitempty"` // standard deviation of delay_modelled_s
	// mean sim time from capture to the step that delivered the frame; null before the first frame
	Measured *float64 `json:"delay_measured_s"`
	Wall     *float64 `json:"wall_delay_s"` // wall time from capture to delivery, mean over the run
	Late     uint64   `json:"late_frames"`  // number of frames that a step had to wait for
	Cost     *float64 `json:"frame_cost_s"` // processor time of one frame; null without a listener
}

// Durations of wall time. The values are guesses.
const (
	costEvery = 900 * time.Millisecond // least time between two reports: pages ask once a second
	costIdle  = 5 * time.Second        // measuring stops after this time without a request
)

// costs measures sensor timing. Clients share one report.
type costs struct {
	measuring demand
	report    shared[[]sensorReportJSON]

	// of the last report
	made   time.Time // wall time
	at     time.Duration
	frames map[[2]string]uint64
}

func newCosts(sim *omnipitch.Sim) *costs {
	return &costs{measuring: demand{idle: costIdle, begin: func() (func(), error) {
		sim.Sensors().Measure(true)
		return func() { sim.Sensors().Measure(false) }, nil
	}}}
}

func (s *simServer) sensors(*http.Request) (any, error) {
	if err := s.costs.measuring.renew(); err != nil {
		return nil, err
	}
	return s.costs.report.get(costEvery, func() ([]sensorReportJSON, error) {
		var at time.Duration
		var reports []pipeline.Report
		if err := s.betweenSteps(s.ctx, stepTime, func() error {
			at, reports = s.sim.Truth().Time, s.sim.Sensors().Reports()
			return nil
		}); err != nil {
			return nil, err
		}
		return s.costs.makeReport(s.sim.World(), at, reports), nil
	})
}

// makeReport makes a report from the pipeline's figures. simTime is the sim time of the figures.
func (c *costs) makeReport(world *worlds.World, simTime time.Duration, reports []pipeline.Report) []sensorReportJSON {
	since := simTime - c.at
	recent := since > 0 && time.Since(c.made) < costIdle
	all := []sensorReportJSON{}
	before := c.frames
	c.frames = map[[2]string]uint64{}
	for i := range reports {
		r := &reports[i]
		cfg := configOf(world, r.Robot, r.Sensor)
		if cfg == nil {
			continue
		}
		level, name := abstraction.Level(r.Level), [2]string{r.Robot, r.Sensor}
		j := sensorReportJSON{Robot: r.Robot, Sensor: r.Sensor, Level: r.Level, Frames: r.Frames, Late: r.Late}
		if level.In(cfg.Kind.Levels()) {
			j.Delay = cfg.Delay(level).Seconds()
		}
		if level != abstraction.Truth {
			j.Jitter = cfg.Jitter.Seconds()
		}
		if r.Frames > 0 {
			j.Measured, j.Wall = seconds(r.Delay), seconds(r.Latency)
		}
		if r.Cost > 0 {
			j.Cost = seconds(r.Cost)
		}
		if n, known := before[name]; known && recent && r.Frames >= n {
			j.Rate = new(rounded(float64(r.Frames-n) / since.Seconds()))
		}
		c.frames[name] = r.Frames
		all = append(all, j)
	}
	c.at, c.made = simTime, time.Now()
	return all
}

func seconds(d time.Duration) *float64 { return new(d.Seconds()) }
