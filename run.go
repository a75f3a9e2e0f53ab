package omnipitch

import (
	"context"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// Pace says how long and how fast a run goes.
type Pace struct {
	For   time.Duration // sim time; 0 is until the context ends
	Speed timesync.Speed
	// Progress, if not nil, is called about once a second of wall time.
	Progress func(Progress)
	// Hold, if not nil, is called before each step, which waits for it to return.
	Hold func(context.Context)
}

// Progress is how a run is getting on.
type Progress struct {
	Sim, Wall time.Duration
	Factor    float64 // real-time factor over the last second of wall time
}

// Report is what a run did.
type Report struct {
	Sim     time.Duration
	Wall    time.Duration
	Steps   int64
	Hash    uint64 // of the last state
	Sensors []SensorReport
}

// Factor is the real-time factor of the whole run.
func (r *Report) Factor() float64 { return r.Sim.Seconds() / r.Wall.Seconds() }

// SensorReport is what one sensor delivered.
type SensorReport struct {
	Robot, Sensor, Level string
	Frames               uint64
	Late                 uint64 // frames that a step had to wait for
	Rate                 float64
}

// Run steps until the time is over or ctx ends, which is no error.
func (s *Sim) Run(ctx context.Context, pace Pace) (*Report, error) {
	wall := timesync.SystemWall()
	pacer := timesync.NewPacer(wall, pace.Speed)
	meter := timesync.NewMeter(time.Second)
	begin, first := s.Time(), s.truth.Step
	shown := time.Duration(0)
	for ctx.Err() == nil && (pace.For == 0 || s.Time()-begin < pace.For) {
		if pace.Hold != nil {
			pace.Hold(ctx)
		}
		pacer.Wait(ctx, s.Time())
		if err := s.Step(); err != nil {
			return nil, err
		}
		elapsed := pacer.Elapsed()
		meter.Add(elapsed, s.Time())
		if pace.Progress != nil && elapsed-shown >= time.Second {
			shown = elapsed
			pace.Progress(Progress{Sim: s.Time(), Wall: elapsed, Factor: meter.Factor()})
		}
	}
	return s.report(s.Time()-begin, pacer.Elapsed(), s.truth.Step-first), nil
}

func (s *Sim) report(sim, wall time.Duration, steps int64) *Report {
	r := &Report{Sim: sim, Wall: wall, Steps: steps, Hash: s.truth.Hash()}
	for _, in := range s.instances {
		in.mu.Lock()
		sr := SensorReport{Robot: in.robotName, Sensor: in.cfg.Name, Level: string(in.level), Frames: in.delivered, Late: in.late}
		in.mu.Unlock()
		if sim > 0 {
			sr.Rate = float64(in.delivered) / sim.Seconds()
		}
		r.Sensors = append(r.Sensors, sr)
	}
	return r
}
