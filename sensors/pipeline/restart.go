package pipeline

import (
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/sensors"
)

// Restart resets the Pipeline, so that every sensor starts again with its first frame, at the level of its
// configuration. The slice made holds the new sensors in the order of Add. They must have the same robots and the
// same configurations, apart from levels, as the old sensors. Listeners, plugged-in sensors and plugged-in levels
// remain. Restart drops the frames in flight. The argument cfg replaces the configuration that was passed to New. If it
// has another Scene, Restart closes the renderers. The goroutine that steps must call Restart, between two steps.
func (p *Pipeline) Restart(cfg Config, made []sensors.Sensor) {
	p.drop()
	another := cfg.Scene != p.cfg.Scene
	p.cfg, p.meter = cfg, nil
	p.trail.Clear()
	p.sounds, p.sounded = p.sounds[:0], 0
	p.perceiver.restart(&p.cfg, another)
	for i, in := range p.instances {
		sensor := in.sensor
		if i < len(made) {
			sensor = made[i]
		} else {
			sensor = sensors.NewOwn(in.cfg, in.whole, cfg.Seed, in.robotName)
		}
		in.restart(sensor, cfg.Seed)
	}
	p.stepped, p.now = false, 0
	p.sign()
	if another {
		p.drawers.restart(&p.cfg, p.newWarmUp())
	} else {
		p.drawers.warm(p.newWarmUp())
	}
}

// drop waits for the frames in flight and releases them without delivery.
func (p *Pipeline) drop() {
	p.perceiver.drain()
	for _, d := range p.inFlight {
		if d.ready != nil {
			<-d.ready
		}
		d.obs.Release()
	}
	p.inFlight = p.inFlight[:0]
	p.plan.drawing = p.plan.drawing[:0]
}

// restart replaces the sensor of an instance and resets the instance to its first frame. The listeners remain.
func (in *instance) restart(sensor sensors.Sensor, seed uint64) {
	in.sensor, in.cfg = sensor, sensor.Config()
	in.camera, _ = sensor.(*sensors.Camera)
	in.eye = eye{}
	for level, own := range in.plugged {
		in.own[level] = sensors.NewOwn(in.cfg, own, seed, in.robotName)
	}
	in.jitter = random.New(seed, in.robotName, in.name+".latency", 0)
	in.level, in.last, in.before = "", 0, nil
	in.env = abstraction.Environment{}
	in.change(func(x *setup) {
		x.level, x.fault = in.cfg.Level, ""
		in.taken = x.setting
	})
	in.repeated()
	in.skip(0)
}
