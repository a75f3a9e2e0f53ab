package pipeline

import "time"

// Report holds statistics of the frames that one sensor has delivered.
type Report struct {
	Robot, Sensor, Level string
	Frames               uint64
	Late                 uint64 // frames that a step had to wait for
	Rate                 float64
	Latency              time.Duration // mean wall time from capture to delivery
	Delay                time.Duration // sim time from capture to delivery, mean over about the last 32 frames
	// Cost is the wall time that one core takes to compute a frame, averaged over about the last 32 measured frames.
	// For frames without images it is measured only between Measure(true) and Measure(false). It is 0 as long as
	// nothing was measured. The time of a drawing job is divided equally among the frames of the job.
	Cost time.Duration
}

// costly returns the wall time if Measure has switched on the measuring of costs. Otherwise it returns 0.
func (p *Pipeline) costly() time.Duration {
	if !p.measured.Load() {
		return 0
	}
	return p.cfg.Wall.Now()
}

// sparse is the number of frames of a device without images from one measurement of the cost to the next. It is not 1,
// because reading the clock twice takes as long as computing a reading. The value 16 is a guess.
const sparse = 16

// note adds a delivery to the sensor's statistics. The argument now is the sim time of the delivery.
func (d *delivery) note(now time.Duration) {
	in := d.in
	in.took.add(float64(now - d.obs.Stamp))
	if j := d.job; j != nil && d.done > 0 { // the times of jobs are measured even if Measure is off
		d.cost = (d.done - time.Duration(j.begun.Load())) / time.Duration(max(len(j.deliveries), 1))
	} else if d.perceived {
		d.cost = d.task.cost
	}
	if d.cost > 0 {
		in.spent.add(float64(d.cost))
	}
}

// recently is a running mean. The first 32 values have equal weight. After that each new value has the weight 1/32.
type recently struct{ mean, n float64 }

func (r *recently) add(x float64) {
	const last = 32
	r.n = min(r.n+1, last)
	r.mean += (x - r.mean) / r.n
}

// CountAnew resets the statistics of all sensors.
func (p *Pipeline) CountAnew() {
	for _, in := range p.instances {
		in.delivered, in.late, in.latency, in.spent, in.took = 0, 0, mean{}, recently{}, recently{}
	}
}

// Reports returns a report of each sensor for the time since the last CountAnew. The argument sim is the sim time that
// has passed since then. Rates are in frames per second of sim time.
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

// Delivered returns the number of frames that all sensors have delivered since the last CountAnew.
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
