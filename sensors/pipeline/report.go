package pipeline

import "time"

// Report is what one sensor delivered.
type Report struct {
	Robot, Sensor, Level string
	Frames               uint64
	Late                 uint64 // frames that a step had to wait for
	Rate                 float64
	Latency              time.Duration // wall time from capture to delivery, mean
}

// CountAnew forgets what has been delivered so far, for Reports of what comes from now on.
func (p *Pipeline) CountAnew() {
	for _, in := range p.instances {
		in.delivered, in.late, in.latency = 0, 0, mean{}
	}
}

// Reports returns a report of each sensor since CountAnew, in a run of some sim time.
func (p *Pipeline) Reports(sim time.Duration) (all []Report) {
	for _, in := range p.instances {
		r := Report{
			Robot: in.robotName, Sensor: in.cfg.Name, Level: string(in.setup.Load().level),
			Frames: in.delivered, Late: in.late, Latency: in.latency.value(),
		}
		if sim > 0 {
			r.Rate = float64(in.delivered) / sim.Seconds()
		}
		all = append(all, r)
	}
	return all
}

// mean averages durations.
type mean struct {
	sum time.Duration
	n   int64
}

func (m *mean) add(d time.Duration) { m.sum, m.n = m.sum+d, m.n+1 }

func (m *mean) value() time.Duration { return m.sum / time.Duration(max(m.n, 1)) }
