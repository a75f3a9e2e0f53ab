package omnipitch

import (
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// Report is what a run did.
type Report struct {
	Sim      time.Duration
	Wall     time.Duration
	Steps    int64
	Hash     uint64 // of the last state
	Lateness timesync.Lateness
	// Forecasts is how good those of wall time were, a tenth of a second and a second of sim time ahead; empty when the run was too short.
	Forecasts []timesync.ForecastScore
	Sensors   []SensorReport
	Robots    []RobotReport
}

// Factor is the real-time factor of the whole run.
func (r *Report) Factor() float64 { return r.Sim.Seconds() / r.Wall.Seconds() }

// SensorReport is what one sensor delivered.
type SensorReport struct {
	Robot, Sensor, Level string
	Frames               uint64
	Late                 uint64 // frames that a step had to wait for
	Rate                 float64
	Latency              time.Duration // wall time from capture to delivery, mean
}

// RobotReport is what one robot commanded.
type RobotReport struct {
	Robot    string
	Commands uint64
	Response time.Duration // wall time from the last observation that it got to a command, mean
}

// report sums up.
func (r *run) report() *Report {
	steps := r.truth.Step - r.first
	sim := r.gone()
	rep := &Report{Sim: sim, Wall: r.wall.Now() - r.begun, Steps: steps, Hash: r.truth.Hash(), Lateness: r.pacer.Lateness(), Forecasts: r.pacer.Forecasts()}
	for _, in := range r.instances {
		sr := SensorReport{
			Robot: in.robotName, Sensor: in.cfg.Name, Level: string(in.setup.Load().level),
			Frames: in.delivered, Late: in.late, Latency: in.latency.value(),
		}
		if sim > 0 {
			sr.Rate = float64(in.delivered) / sim.Seconds()
		}
		rep.Sensors = append(rep.Sensors, sr)
	}
	rep.Robots = r.post.report()
	return rep
}

// mean averages durations.
type mean struct {
	sum time.Duration
	n   int64
}

func (m *mean) add(d time.Duration) { m.sum, m.n = m.sum+d, m.n+1 }

func (m *mean) value() time.Duration { return m.sum / time.Duration(max(m.n, 1)) }
