package pipeline

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
)

// capture starts a frame of every sensor whose next frame is due. One drawJob renders all images that are captured in
// this step, and one instant holds all perception tasks of this step.
func (p *Pipeline) capture() {
	now := p.cfg.State.Time
	var job *drawJob
	var perceived *instant
	for _, in := range p.instances {
		if in.due > now {
			continue
		}
		frame := in.next
		in.skip(frame + 1)
		x := in.setup.Load()
		level := in.taken.level
		wanted := x.wanted(level) && !p.skips(in, level, frame)
		if in.camera != nil {
			wanted = in.controlHead(level) || wanted
		}
		if in.camera != nil && in.camera.Automatic() && p.delivers(in) {
			p.control(in)
		}
		if level != in.level {
			in.level = level
			for _, f := range p.onLevel {
				if p.unseen == seen {
					f(LevelChange{in.robotName, in.cfg.Name, level, frame, now})
				}
			}
		}
		observe, deliver := p.needs(in, frame, wanted)
		if !observe {
			continue
		}
		p.work.Kind += in.tag(level, false)
		if !deliver {
			p.update(in, level, frame)
			continue
		}
		d := p.begin(in, level, in.taken.fault, frame)
		if in.taken.fault == sensors.Frozen {
			in.freeze(d)
		} else if parts := x.overlay(); parts != 0 {
			p.overlay(d, parts)
		}
		if d.perceived || d.overlaid {
			if perceived == nil {
				perceived = p.perceiver.newInstant(p.cfg.State)
			}
			// if the frame is due at once, deliver runs the task in this step
			if t := p.describe(d, perceived); d.at > now {
				perceived.add(t)
			}
		}
		if d.ready != nil {
			if job == nil {
				job = p.newJob()
			}
			p.draw(d, job)
		}
		p.enqueue(d)
	}
	if job != nil {
		if p.cfg.Farm != nil {
			p.offer(job)
		} else {
			p.drawers.submit(job)
		}
		p.plan.drawing = append(p.plan.drawing, job)
	}
	if perceived != nil && len(perceived.tasks) > 0 {
		p.perceiver.submit(perceived)
	}
}

// due calls the hook Config.Due for a sensor. The argument stamp is the capture time of the frame.
func (p *Pipeline) due(in *instance, stamp time.Duration) {
	if p.cfg.Due != nil {
		p.cfg.Due(in.robotName, in.cfg.Name, stamp)
	}
}

// controlHead reports whether the controller of a camera's head needs the next frame. At levels with images the robot's
// own software controls the head, so at such a level controlHead switches the head to HeadHold and returns false.
func (in *instance) controlHead(level abstraction.Level) bool {
	mode := in.camera.Head().Mode()
	if mode != sensors.HeadHold && level.Rendered() {
		in.camera.Head().Release()
		return false
	}
	return mode.NeedsObservations()
}

// control adapts the exposure and white balance of a camera. It also runs for frames that no listener wants. So images
// do not depend on when listeners subscribed.
func (p *Pipeline) control(in *instance) {
	if p.meter == nil {
		p.meter = sensors.NewMeter(p.cfg.Scene, p.cfg.Targets)
	}
	in.env = p.cfg.Targets.Of(in.robot, p.cfg.State)
	in.camera.Control(p.meter, p.instant(in), p.shading(p.cfg.Shading()))
}

// begin starts a frame of a sensor and returns it as a delivery. If the frame needs neither an image nor perception,
// its observation is complete when begin returns.
func (p *Pipeline) begin(in *instance, level abstraction.Level, fault sensors.Fault, frame uint64) *delivery {
	d := in.newDelivery()
	d.at, d.begun = p.deliveryTime(in, level, frame), p.wallNow()
	d.obs.Level, d.obs.Fault, d.obs.Frame, d.obs.Stamp = level, fault, frame, p.cfg.State.Time
	if in.camera != nil {
		d.obs.PoseBC, d.obs.Settings = in.camera.PoseBC(), in.camera.Settings()
	}
	sensor := in.sensor
	if own := in.own[level]; own != nil {
		sensor = own
	} else if in.camera != nil && level.Rendered() {
		d.ready = make(chan struct{})
		d.images = in.newImages()
		d.images.passTo(d.obs)
		return d
	} else if in.camera != nil {
		d.perceived = true
		return d
	}
	begun := time.Duration(0)
	if frame%sparse == 0 {
		begun = p.costly()
	}
	p.observe(in, sensor, d.obs, false)
	sensor.Break(d.obs)
	if begun > 0 {
		d.cost = p.cfg.Wall.Now() - begun
	}
	return d
}

// update lets a sensor that integrates observe a frame that is not delivered.
func (p *Pipeline) update(in *instance, level abstraction.Level, frame uint64) {
	sensor := in.sensor
	if own := in.own[level]; own != nil {
		sensor = own
	}
	d := in.newDelivery() // for the memory of its observation
	d.obs.Level, d.obs.Fault, d.obs.Frame, d.obs.Stamp = level, in.taken.fault, frame, p.cfg.State.Time
	p.observe(in, sensor, d.obs, true)
	d.obs.Release()
}

// observe lets a sensor without images observe the present state. The sensor is that of the instance, or its own.
func (p *Pipeline) observe(in *instance, sensor sensors.Sensor, obs *sensors.Observation, unread bool) {
	if in.needsEnv || sensor != in.sensor {
		in.env = p.cfg.Targets.Of(in.robot, p.cfg.State)
	}
	at := p.instant(in)
	at.Unread = unread
	sensor.Observe(at, obs)
}

// instant returns the present state in the form that the sensors' methods take. The result lies in memory that the
// sensor's next call of instant overwrites.
func (p *Pipeline) instant(in *instance) *sensors.Instant {
	in.at = sensors.Instant{Snapshot: p.cfg.State, Robot: in.robot, Gravity: p.cfg.Gravity, Environment: &in.env,
		Trail: &p.trail, Sounds: p.sounds}
	return &in.at
}

// describe fills the frame's task with the part of the instant s that perception needs, and returns the task.
func (p *Pipeline) describe(d *delivery, s *instant) *task {
	t := &d.task
	if !d.overlaid {
		t.parts = 0
	}
	t.in, t.obs, t.instant, t.offSchedule, t.submitted, t.err = d.in, d.obs, s, d.offSchedule, false, nil
	t.done.Store(false)
	t.viewpoint, t.env = d.in.camera.Viewpoint(p.instant(d.in)), s.targets.Of(d.in.robot, &s.snapshot)
	if d.obs.Level == abstraction.Features || d.overlaid {
		t.view = d.in.camera.View(abstraction.Ideal, p.instant(d.in))
		if len(s.posesWB) == 0 {
			s.posesWB = p.cfg.Poses(&s.snapshot, s.posesWB)
		}
	}
	return t
}

// captureNow captures a frame of the present state outside the camera's schedule, and waits until the frame is
// complete. See Sensors.Capture.
func (p *Pipeline) captureNow(robot, sensor string, level abstraction.Level,
	parts sensors.OverlayParts) (*sensors.Observation, error) {
	in, err := p.instance(robot, sensor)
	if err != nil {
		return nil, err
	}
	if in.camera == nil {
		return nil, fmt.Errorf("sensor = %q: only cameras can be captured", robot+"."+sensor)
	}
	if err := p.check(in, level); err != nil {
		return nil, err
	}
	fault := in.taken.fault
	if fault == sensors.Frozen || fault == sensors.Off {
		fault = ""
	}
	d := p.begin(in, level, fault, in.next)
	d.offSchedule = true
	if parts != 0 {
		p.overlay(d, parts)
	}
	if d.perceived || d.overlaid {
		p.perceiver.drain()
		t := p.describe(d, p.perceiver.newInstant(p.cfg.State))
		p.perceiver.finish(t)
		if d.err = t.err; d.overlaid && d.err != nil {
			d.obs.Overlay, d.err = nil, nil // deliver the image without its overlay
		}
	}
	if d.ready != nil {
		job := p.newJob()
		p.draw(d, job)
		p.drawers.submit(job)
		<-d.ready
	}
	return d.obs, d.err
}
