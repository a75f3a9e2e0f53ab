package pipeline

import (
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/sensors"
)

// SetFault breaks a sensor, or heals it with an empty fault, between two of its frames: those captured after the next
// TakeSettings have the fault. It may be called from any goroutine. It fails for a fault that sensors of the kind do
// not have.
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

// tellFault tells of the fault that frames of a sensor get from now on.
func (p *Pipeline) tellFault(in *instance) {
	if p.unseen != seen {
		return
	}
	for _, f := range p.onFault {
		f(in.robotName, in.name, in.taken.fault)
	}
}

// needs tells whether a frame that is due must be observed, and whether it is then delivered. It repeats the frame of a
// frozen sensor.
func (p *Pipeline) needs(in *instance, frame uint64, wanted bool) (observe, deliver bool) {
	integrates, repeated := in.kind.Integrates(), in.repeated()
	switch {
	case in.taken.fault == sensors.Off: // nobody owes an answer
		return integrates, false
	case in.taken.fault == sensors.Frozen &&
		repeated == nil: // also while nobody listens: who listens later gets this one's content
		return true, true
	case wanted && repeated != nil:
		p.repeat(in, repeated, frame)
		return integrates, false
	case !wanted && (!integrates || repeated != nil):
		p.due(in, p.cfg.State.Time)
		return integrates, false
	}
	return true, true
}

// freeze keeps a frame to be repeated.
func (in *instance) freeze(d *delivery) {
	in.frozen, in.frozenBy = d, in.taken.faults
	d.obs.Retain()
}

// repeated returns the frame whose content a sensor repeats, or nil. It forgets one that is not repeated any more: a
// frame has content at one level alone.
func (in *instance) repeated() *delivery {
	x := &in.taken
	if d := in.frozen; d != nil && (x.fault != sensors.Frozen || in.frozenBy != x.faults || d.obs.Level != x.level) {
		in.frozen = nil
		d.obs.Release()
	}
	return in.frozen
}

// repeat delivers the content of a frame anew.
func (p *Pipeline) repeat(in *instance, of *delivery, frame uint64) {
	p.work.Kind += in.repeatTag(of.obs.Level)
	d := in.newDelivery()
	d.at, d.begun = p.deliveryTime(in, of.obs.Level, frame), p.wallNow()
	d.obs.Level, d.obs.Fault, d.obs.Frame, d.obs.Stamp = of.obs.Level, sensors.Frozen, frame, p.cfg.State.Time
	of.obs.Retain()
	d.repeats = of
	p.enqueue(d)
}
