package pipeline

import (
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// Sign adds what a key frame of the sensors is of to a fingerprint.
func (p *Pipeline) Sign(f *keyframe.Fingerprint) {
	for _, in := range p.instances {
		f.Add(in.robotName, in.name, string(in.kind))
		for _, level := range in.levels {
			f.Add(string(level))
		}
	}
}

// Exchange passes the state of all sensors to a codec, with the frames that are on their way, as they are between two steps. Frames with images
// are left out, and those of sensors and levels that were plugged in: neither those on their way nor one that a broken sensor repeats, in whose place
// it repeats the first one that it captures. What is restored replaces all that is under way; listeners stay.
func (p *Pipeline) Exchange(c *keyframe.Codec) {
	if c.Restoring() {
		p.drop()
		p.now = 0
	} else {
		p.perceiver.drain()
	}
	c.Bool(&p.stepped)
	for _, in := range p.instances {
		c.Part(in.robotName, in.name)
		in.exchange(c, p)
	}
	c.Part("frames on their way", "")
	p.exchangeInFlight(c)
}

// exchange is that of one sensor.
func (in *instance) exchange(c *keyframe.Codec, p *Pipeline) {
	in.exchangeSetup(c, p)
	next := in.next
	c.Uint(&next)
	if c.Check(next == 0 || in.cfg.Due(next-1) <= p.cfg.State.Time, "has captured frame %d, which is not due yet", next-1); c.Err() != nil {
		return
	}
	in.skip(next)
	keyframe.Text(c, &in.level)
	c.Duration(&in.last)
	c.Uint(&in.delivered)
	in.exchangeBefore(c, p)
	in.sensor.Exchange(c)
	for _, level := range in.levels {
		if own := in.own[level]; own != nil {
			own.Exchange(c)
		}
	}
	in.exchangeFrozen(c)
}

// exchangeSetup passes what any goroutine may change. Listeners stay.
func (in *instance) exchangeSetup(c *keyframe.Codec, p *Pipeline) {
	x := in.taken
	keyframe.Text(c, &x.level)
	keyframe.Text(c, &x.fault)
	c.Uint(&x.faults)
	if !c.Restoring() || c.Err() != nil {
		return
	}
	c.Fail(p.check(in, x.level))
	c.Check(x.fault == "" || slices.Contains(in.kind.Faults(), x.fault), "has the fault %q, which sensors of kind %s do not have", x.fault, in.kind)
	if c.Err() == nil {
		in.change(func(to *setup) { to.setting = x })
		in.taken = x
	}
}

// exchangeBefore passes what the flow of the next image is since.
func (in *instance) exchangeBefore(c *keyframe.Codec, p *Pipeline) {
	known := in.before != nil
	if c.Bool(&known); !known || c.Err() != nil {
		in.before = nil
		return
	}
	if c.Restoring() {
		c.Check(in.camera != nil && in.cfg.Annotate, "has an image before, and annotates none")
		in.before = &render.Before{}
	}
	b := in.before
	keyframe.Slice(c, &b.PosesWB, func(p *spatial.Pose, c *keyframe.Codec) { c.Pose(&p.Pos, &p.Rot) })
	c.Pose(&b.PoseWC.Pos, &b.PoseWC.Rot)
	c.Check(len(b.PosesWB) == len(p.cfg.Scene.Bodies), "its image before shows %d bodies of %d", len(b.PosesWB), len(p.cfg.Scene.Bodies))
}

// exchangeFrozen passes the frame that a broken sensor repeats.
func (in *instance) exchangeFrozen(c *keyframe.Codec) {
	if c.Restoring() && in.frozen != nil {
		in.frozen.obs.Release()
		in.frozen = nil
	}
	d := in.repeated()
	known := d != nil && d.kept()
	c.Bool(&known)
	c.Uint(&in.frozenBy)
	if !known || c.Err() != nil {
		return
	}
	if c.Restoring() {
		d = in.newDelivery()
		in.frozen = d
	}
	d.obs.Exchange(c, in.kind)
}

// kept tells whether key frames hold a frame.
func (d *delivery) kept() bool {
	if d.repeats != nil {
		d = d.repeats
	}
	return d.images == nil && d.in.kind != sensors.OwnKind && d.in.own[d.obs.Level] == nil
}

// exchangeInFlight passes the frames that are on their way, in the order of their delivery.
func (p *Pipeline) exchangeInFlight(c *keyframe.Codec) {
	n := 0
	for _, d := range p.inFlight {
		if d.kept() {
			n++
		}
	}
	n = c.Count(n)
	if !c.Restoring() {
		for _, d := range p.inFlight {
			if d.kept() {
				p.exchangeDelivery(c, d)
			}
		}
		return
	}
	last := p.cfg.State.Time
	for range n {
		d := p.exchangeDelivery(c, nil)
		if d == nil {
			return
		}
		p.inFlight = append(p.inFlight, d)
		if c.Check(d.at > 0 && d.at >= last, "one is delivered at %v after one at %v", d.at, last); c.Err() != nil {
			return
		}
		last = d.at
	}
}

// exchangeDelivery passes a frame that is on its way, with the content that it repeats if it repeats another; what is restored is new.
func (p *Pipeline) exchangeDelivery(c *keyframe.Codec, d *delivery) *delivery {
	number, at := 0, time.Duration(0)
	if d != nil {
		number, at = slices.Index(p.instances, d.in), d.at
	}
	c.Index(&number, 0, len(p.instances))
	c.Duration(&at)
	if c.Err() != nil {
		return nil
	}
	in := p.instances[number]
	if d == nil {
		d = in.newDelivery()
		d.at, d.begun = at, p.wallNow()
	} else if d.repeats != nil {
		d.obs.Repeat(d.repeats.obs)
	}
	d.obs.Exchange(c, in.kind)
	return d
}
