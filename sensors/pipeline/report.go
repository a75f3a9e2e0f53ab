package pipeline

import "time"

// Report is what one sensor delivered.
type Report struct {
	Robot, Sensor, Level string
	Frames               uint64
	Late                 uint64 // frames that a step had to wait for
	Rate                 float64
	Latency              time.Duration // wall time from capture to delivery, mean
	Delay                time.Duration // sim time from capture to delivery, of late
	// Cost is the wall time of one core that computing a frame takes, of late, and 0 while it is not known: it is
	// measured between Measure(true) and Measure(false). Of images that are drawn together each has the same share.
	Cost time.Duration
}

// costly returns the wall time, and 0 when the cost of frames is not to be measured.
func (p *Pipeline) costly() time.Duration {
	if !p.measured.Load() {
		return 0
	}
	return p.cfg.Wall.Now()
}

// sparse is of how many frames one's cost is measured of devices without images: two looks at the clock take as long as
// a reading. Guess.
const sparse = 16

// note counts a delivery.
func (d *delivery) note(now time.Duration) {
	in := d.in
	in.took.add(float64(now - d.obs.Stamp))
	if j := d.job; j != nil && d.done > 0 { // their times are looked at anyway
		d.cost = (d.done - time.Duration(j.begun.Load())) / time.Duration(max(len(j.deliveries), 1))
	} else if d.perceived {
		d.cost = d.task.cost
	}
	if d.cost > 0 {
		in.spent.add(float64(d.cost))
	}
}

// recently averages the last values.
type recently struct{ mean, n float64 }

func (r *recently) add(x float64) {
	const last = 32
	r.n = min(r.n+1, last)
	r.mean += (x - r.mean) / r.n
}

// CountAnew forgets what has been delivered so far, for Reports of what comes from now on.
func (p *Pipeline) CountAnew() {
	for _, in := range p.instances {
		in.delivered, in.late, in.latency, in.spent, in.took = 0, 0, mean{}, recently{}, recently{}
	}
}

// Reports returns a report of each sensor since CountAnew was called. Rates are over the sim time sim.
func (p *Pipeline) Reports(sim time.Duration) (all []Report) {
	for _, in := range p.instances {
		r := Report{
			Robot: in.robotName, Sensor: in.cfg.Name, Level: string(in.setup.Load().level),
			Frames: in.delivered, Late: in.late, Latency: in.latency.value(),
			Delay: time.Duration(in.took.mean), Cost: time.Duration(in.spent.mean),
		}
		if sim > 0 {
			r.Rate = float64(in.delivered) / sim.Seconds()
		}
		all = append(all, r)
	}
	return all
}

// Delivered is how many frames all sensors have delivered since CountAnew.
func (p *Pipeline) Delivered() (frames uint64) {
	for _, in := range p.instances {
		frames += in.delivered
	}
	return frames
}

// mean averages durations.
type mean struct {
	sum time.Duration
	n   int64
}

func (m *mean) add(d time.Duration) { m.sum, m.n = m.sum+d, m.n+1 }

func (m *mean) value() time.Duration { return m.sum / time.Duration(max(m.n, 1)) }
