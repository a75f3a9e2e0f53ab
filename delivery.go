package omnipitch

import (
	"cmp"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// delivery is an observation on its way.
type delivery struct {
	in     *instance
	obs    *sensors.Observation
	at     time.Duration
	begun  time.Duration // wall time of the capture
	beside bool          // captured beside the schedule
	// exposure is not nil when the colour picture is made of several.
	exposure *exposure
	ready    chan struct{} // closed when the pictures are there; nil when there is nothing to wait for
	done     time.Duration // wall time of that, set before
	job      *frameJob     // that draws them
	err      error         // set before ready is closed
	images   *buffers      // lent
	look     look          // at levels without pictures
	looks    bool
}

// take returns a delivery without content.
func (in *instance) take() *delivery {
	if d := in.idle.get(); d != nil {
		d.obs.Reset()
		return d
	}
	d := &delivery{in: in, obs: &sensors.Observation{Robot: in.robotName, Sensor: in.cfg.Name}}
	d.obs.OnRelease(d.recycle)
	return d
}

// recycle takes a delivery back whose observation nobody holds any more.
func (d *delivery) recycle() {
	if d.images != nil {
		d.in.pool.put(d.images)
		d.images = nil
	}
	d.in.idle.put(d)
}

// begin starts a frame; what needs neither picture nor perception is complete at once.
func (in *instance) begin(s *Sim, level abstraction.Level, frame uint64) *delivery {
	d := in.take()
	d.at, d.beside, d.exposure, d.ready, d.job, d.err, d.looks = s.truth.Time+in.delay(level, frame), false, nil, nil, nil, nil, false
	d.obs.Level, d.obs.Frame, d.obs.Stamp = level, frame, s.truth.Time
	d.begun = s.now()
	if in.camera != nil {
		d.obs.PoseBC = in.camera.PoseBC()
	}
	if own := in.own[level]; own != nil {
		in.scene = s.around.Of(in.robot, &s.truth)
		own.Observe(s.instant(in), d.obs)
		return d
	}
	if in.camera != nil && level.Rendered() {
		d.ready = make(chan struct{})
		d.images = in.buffers()
		d.obs.Color, d.obs.Depth, d.obs.Truth = d.images.color, d.images.depth, d.images.truth
		return d
	}
	if in.camera != nil {
		d.looks = true
		return d
	}
	if in.surveys {
		in.scene = s.around.Of(in.robot, &s.truth)
	}
	in.sensor.Observe(s.instant(in), d.obs)
	return d
}

// delay returns how long a frame takes from capture to delivery.
func (in *instance) delay(level abstraction.Level, frame uint64) time.Duration {
	d := in.cfg.Delay(level)
	if in.cfg.Jitter == 0 || level == abstraction.Truth {
		return d
	}
	n, _ := in.jitter.Frame(frame).Normal(0)
	return max(0, d+time.Duration(n*float64(in.cfg.Jitter)))
}

// enqueue keeps what is in flight sorted by time of delivery, and the order of capture among equals.
func (s *Sim) enqueue(d *delivery) {
	d.at = max(d.at, d.in.last)
	d.in.last = d.at
	i, _ := slices.BinarySearchFunc(s.inFlight, d, func(have, d *delivery) int {
		if have.at <= d.at {
			return -1
		}
		return cmp.Compare(have.at, d.at)
	})
	s.inFlight = slices.Insert(s.inFlight, i, d)
}

// deliver hands over what is due, and waits for pictures that are not ready yet.
func (s *Sim) deliver() error {
	for len(s.inFlight) > 0 && s.inFlight[0].at <= s.truth.Time {
		d := s.inFlight[0]
		s.inFlight = slices.Delete(s.inFlight, 0, 1)
		if d.looks {
			if s.looking.finish(&d.look); d.look.err != nil {
				return d.look.err
			}
		}
		if err := s.await(d); err != nil {
			return err
		}
		s.did += d.in.tag(d.obs.Level, true)
		d.in.delivered++
		now := s.now()
		d.in.latency.add(now - d.begun)
		if d.in.camera != nil {
			d.in.camera.Head().Notice(d.obs)
		}
		listeners := d.in.setup.Load().listeners
		if len(listeners) > 0 {
			if s.lockstep {
				s.gate.Owe(d.in.robotName, d.in.cfg.Name, d.obs.Stamp)
			}
			s.post.gave(d.in.robot, now)
		}
		for _, l := range listeners {
			l.Observe(d.obs)
		}
		d.obs.Release()
	}
	return nil
}

// now returns the wall time, looked up once for all that a step captures and delivers without waiting.
func (s *Sim) now() time.Duration {
	if s.looked == 0 {
		s.looked = s.wall.Now()
	}
	return s.looked
}

// await waits for the pictures of a delivery.
func (s *Sim) await(d *delivery) error {
	if d.ready == nil {
		return nil
	}
	select {
	case <-d.ready:
	default:
		d.in.late++
		begun := s.wall.Now()
		<-d.ready
		s.idle += s.wall.Now() - begun
		s.looked = 0
	}
	if may := d.at - d.obs.Stamp; may > 0 {
		s.tight = max(s.tight, (d.done-d.begun).Seconds()/may.Seconds())
	}
	return d.err
}
