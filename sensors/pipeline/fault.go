package pipeline

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/sensors"
)

// SetFault gives a sensor a fault, or heals the sensor if the fault is empty. Frames that are captured after the next
// TakeSettings have the fault. SetFault may be called from any goroutine. It returns an error if there is no such
// sensor, or if sensors of its kind cannot have the fault.
func (p *Pipeline) SetFault(robot, sensor string, fault sensors.Fault) error {
	in, err := p.instance(robot, sensor)
	if err != nil {
		return err
	}
	if all := in.kind.Faults(); fault != "" && !slices.Contains(all, fault) {
		return fmt.Errorf("%s.%s: fault = %q: must be one of %v for kind %s", robot, sensor, fault, all, in.kind)
	}
	in.change(func(x *setup) { x.fault, x.faults = fault, x.faults+1 })
	p.touched.Store(true)
	return nil
}

// tellFault calls the OnFault callbacks with the sensor's present fault. While Skip suppresses deliveries, it does
// nothing.
func (p *Pipeline) tellFault(in *instance) {
	if p.unseen != seen {
		return
	}
	for _, f := range p.onFault {
		f(in.robotName, in.name, in.taken.fault)
	}
}

// delivers reports whether a sensor delivers anything: it is not off, and its robot is in the world.
func (p *Pipeline) delivers(in *instance) bool {
	return in.taken.fault != sensors.Off && !p.cfg.State.Robots[in.robot].PoseWB.Absent()
}

// needs reports whether the sensor must observe a frame that is due, and whether the observation must be delivered. A
// sensor that integrates observes every frame. If the sensor is frozen, it may have a frame to repeat. If a listener
// then wants the new frame, needs itself enqueues the repetition.
func (p *Pipeline) needs(in *instance, frame uint64, wanted bool) (observe, deliver bool) {
	integrates, repeated := in.kind.Integrates(), in.repeated()
	switch {
	case !p.delivers(in): // and Due is not called
		return integrates, false
	case in.taken.fault == sensors.Frozen &&
		repeated == nil: // even without listeners: later listeners receive this frame's content
		return true, true
	case wanted && repeated != nil:
		p.repeat(in, repeated, frame)
		return integrates, false
	case !wanted:
		p.due(in, p.cfg.State.Time)
		return integrates, false
	}
	return true, true
}

// freeze keeps the frame d, so that the frozen sensor can repeat its content.
func (in *instance) freeze(d *delivery) {
	in.frozen, in.frozenBy = d, in.taken.faults
	d.obs.Retain()
}

// repeated returns the frame whose content a frozen sensor repeats, or nil if there is no such frame. If the fault or
// the level has changed since the frame was captured, the frame cannot be repeated any longer. Then repeated releases
// it.
func (in *instance) repeated() *delivery {
	x := &in.taken
	if d := in.frozen; d != nil && (x.fault != sensors.Frozen || in.frozenBy != x.faults || d.obs.Level != x.level) {
		in.frozen = nil
		d.obs.Release()
	}
	return in.frozen
}

// repeat enqueues a new frame with the given index. Its content is that of the earlier frame.
func (p *Pipeline) repeat(in *instance, of *delivery, frame uint64) {
	p.work.Kind += in.repeatTag(of.obs.Level)
	d := in.newDelivery()
	d.at, d.begun = p.deliveryTime(in, of.obs.Level, frame), p.wallNow()
	d.obs.Level, d.obs.Fault, d.obs.Frame, d.obs.Stamp = of.obs.Level, sensors.Frozen, frame, p.cfg.State.Time
	of.obs.Retain()
	d.repeats = of
	p.enqueue(d)
}
