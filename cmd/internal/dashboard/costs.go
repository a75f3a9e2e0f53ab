package dashboard

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors/pipeline"
)

// sensorReportJSON is the timing of a sensor's frames. Times are sim time unless they say wall time.
type sensorReportJSON struct {
	Robot  string   `json:"robot"`
	Sensor string   `json:"sensor"`
	Level  string   `json:"level"`
	Frames uint64   `json:"frames"`             // delivered so far
	Rate   *float64 `json:"rate_measured_hz"`   // over the recent past; null while unknown
	Delay  float64  `json:"delay_modelled_s"`   // from capture to delivery, by the model of its level
	Jitter float64  `json:"jitter_s,omitempty"` // standard deviation of delay_modelled_s
	// sim time until the step that delivered it; null before the first frame
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
	sim *omnipitch.Sim

	mu     sync.Mutex // held while a report is made
	idle   *time.Timer
	made   time.Time // wall time of the last report
	at     time.Duration
	frames map[[2]string]uint64
	report []sensorReportJSON
	closed bool
}

// close stops measuring.
func (c *costs) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.idle != nil {
		c.idle.Stop()
	}
}

// get returns the newest report.
func (c *costs) get(ctx context.Context) ([]sensorReportJSON, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, omnipitch.ErrClosed
	}
	if c.idle == nil {
		c.idle = time.AfterFunc(costIdle, func() { c.sim.Sensors().Measure(false) })
	}
	c.idle.Reset(costIdle)
	c.sim.Sensors().Measure(true)
	if time.Since(c.made) < costEvery {
		return c.report, nil
	}
	type all struct {
		at      time.Duration
		reports []pipeline.Report
	}
	done := make(chan all, 1)
	c.sim.After(0, func(time.Duration) { done <- all{c.sim.Truth().Time, c.sim.Sensors().Reports()} })
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	select {
	case a := <-done:
		c.take(a.at, a.reports)
		return c.report, nil
	case <-ctx.Done():
		return nil, errWaits
	}
}

// take makes a report from the pipeline's figures. The argument at is the sim time of the figures.
func (c *costs) take(at time.Duration, reports []pipeline.Report) {
	since := at - c.at
	recent := since > 0 && time.Since(c.made) < costIdle
	world := c.sim.World()
	found := map[[2]string]*pipeline.Report{}
	for i := range reports {
		found[[2]string{reports[i].Robot, reports[i].Sensor}] = &reports[i]
	}
	c.report = []sensorReportJSON{}
	before := c.frames
	c.frames = map[[2]string]uint64{}
	for i := range world.Robots {
		for k := range world.Robots[i].Sensors {
			cfg := &world.Robots[i].Sensors[k]
			name := [2]string{world.Robots[i].Name, cfg.Name}
			r := found[name]
			if r == nil {
				continue
			}
			level := abstraction.Level(r.Level)
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
				rate := rounded(float64(r.Frames-n) / since.Seconds())
				j.Rate = &rate
			}
			c.frames[name] = r.Frames
			c.report = append(c.report, j)
		}
	}
	c.at, c.made = at, time.Now()
}

func seconds(d time.Duration) *float64 {
	s := d.Seconds()
	return &s
}

func (s *simServer) serveSensors(w http.ResponseWriter, r *http.Request) {
	report, err := s.costs.get(r.Context())
	if err != nil {
		refuse(w, err)
		return
	}
	answer(w, http.StatusOK, report)
}
