package pipeline

import (
	"cmp"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// delivery is an observation between its capture and its delivery to the listeners. Until its images and its task are
// complete, the renderer, the worker or the Farm writes the fields obs, done and err. All other fields belong to the
// goroutine that steps.
type delivery struct {
	in          *instance
	obs         *sensors.Observation
	at          time.Duration // sim time of the delivery
	begun       time.Duration // wall time of the capture
	offSchedule bool          // captured by Sensors.Capture, outside the sensor's schedule
	perceived   bool          // the frame has no images; its content comes from the field task
	overlaid    bool          // the frame has an image, and the field task computes its Overlay
	task        task
	images      *images       // memory from the sensor's pool, to which recycle returns it
	shot        shot          // the data that is needed to render the images
	exposure    *exposure     // samples of the colour image; nil for an image with one sample
	ready       chan struct{} // closed when the images are complete; nil for a frame without images
	job         *drawJob      // the job that renders the images
	view, views int           // the index of the frame's first view in the job's batch, and their number
	watch       func(error)   // called with err when the images are complete; may be nil
	done        time.Duration // wall time at which the images were complete; set before ready is closed
	cost        time.Duration // wall time that computing the frame took; 0 if not measured
	err         error         // why the images could not be rendered; set before ready is closed
	// the earlier frame, retained, whose content this frame of a frozen sensor repeats; nil if none
	repeats *delivery
}

// newDelivery returns a delivery without content. It takes the delivery from the sensor's pool unless the pool is
// empty.
func (in *instance) newDelivery() *delivery {
	d := in.deliveries.get()
	if d == nil {
		d = &delivery{in: in, obs: &sensors.Observation{Robot: in.robotName, Sensor: in.cfg.Name}}
		d.obs.OnRelease(d.recycle)
		return d
	}
	d.obs.Reset()
	d.cost, d.done, d.task.cost = 0, 0, 0
	d.offSchedule, d.perceived, d.overlaid, d.exposure, d.ready, d.job, d.watch, d.err = false, false, false, nil, nil,
		nil, nil, nil
	return d
}

// recycle returns a delivery and its images to the sensor's pools. The observation calls recycle when its last holder
// releases it.
func (d *delivery) recycle() {
	if d.images != nil {
		d.in.images.put(d.images)
		d.images = nil
	}
	if d.repeats != nil {
		d.repeats.obs.Release()
		d.repeats = nil
	}
	d.in.deliveries.put(d)
}

// delay returns the sim time between capture and delivery of a frame: the latency with jitter.
func (in *instance) delay(level abstraction.Level, frame uint64) time.Duration {
	d := in.cfg.Delay(level)
	if in.cfg.Jitter == 0 || level == abstraction.Truth {
		return d
	}
	n, _ := in.jitter.Frame(frame).Normal(0)
	return max(0, d+time.Duration(n*float64(in.cfg.Jitter)))
}

// deliveryTime returns when a frame that is captured now is delivered. It is never before the preceding frame's
// delivery.
func (p *Pipeline) deliveryTime(in *instance, level abstraction.Level, frame uint64) time.Duration {
	return max(p.cfg.State.Time+in.delay(level, frame), in.last)
}

// enqueue inserts a frame into inFlight. The frames are sorted by time of delivery, and then by order of capture.
func (p *Pipeline) enqueue(d *delivery) {
	d.in.last = d.at
	i, _ := slices.BinarySearchFunc(p.inFlight, d, func(have, d *delivery) int {
		if have.at <= d.at {
			return -1
		}
		return cmp.Compare(have.at, d.at)
	})
	p.inFlight = slices.Insert(p.inFlight, i, d)
}

// deliver passes each frame whose time of delivery has come to the frame's listeners. It waits for a frame that is not
// complete. It returns the error of the first frame that failed.
func (p *Pipeline) deliver() error {
	for len(p.inFlight) > 0 && p.inFlight[0].at <= p.cfg.State.Time {
		d := p.inFlight[0]
		p.inFlight = slices.Delete(p.inFlight, 0, 1)
		if err := p.await(d); err != nil {
			return err
		}
		p.work.Kind += d.in.tag(d.obs.Level, true)
		now := p.wallNow()
		if d.in.camera != nil {
			d.in.camera.Head().Notice(d.obs)
		}
		if d.at <= p.unseen {
			d.obs.Release()
			continue
		}
		d.in.delivered++
		d.note(p.cfg.State.Time)
		d.in.latency.add(now - d.begun)
		listeners := d.in.setup.Load().listeners
		if len(listeners) > 0 {
			p.due(d.in, d.obs.Stamp)
			if p.cfg.Delivered != nil {
				p.cfg.Delivered(d.in.robot, now)
			}
		}
		for _, l := range listeners {
			l.Observe(d.obs)
		}
		d.obs.Release()
	}
	return nil
}

// await waits until a delivery's observation is complete. It returns an error if the frame could not be computed.
func (p *Pipeline) await(d *delivery) error {
	if d.repeats != nil { // the repeated frame is complete: it was delivered earlier
		d.obs.Repeat(d.repeats.obs)
		return nil
	}
	if d.perceived {
		p.perceiver.finish(&d.task)
		return d.task.err
	}
	if d.ready == nil {
		return nil
	}
	if d.overlaid {
		p.perceiver.finish(&d.task)
		if d.task.err != nil {
			d.obs.Overlay = nil // deliver the image without its overlay
		}
	}
	select {
	case <-d.ready:
	default:
		d.in.late++
		begun := p.cfg.Wall.Now()
		<-d.ready
		p.work.Idle += p.cfg.Wall.Now() - begun
		p.now = 0
	}
	if may := d.at - d.obs.Stamp; may > 0 {
		p.work.Tight = max(p.work.Tight, (d.done-d.begun).Seconds()/may.Seconds())
	}
	return d.err
}
