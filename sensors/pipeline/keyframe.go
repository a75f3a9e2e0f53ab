package pipeline

import (
	"slices"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// Sign adds the sensors with their levels, and the number of bodies, to a fingerprint. A key frame can be restored only
// in a simulation that has the same fingerprint.
func (p *Pipeline) Sign(f *keyframe.Fingerprint) {
	f.AddNumber(uint64(len(p.cfg.Scene.Bodies)))
	for _, in := range p.instances {
		f.Add(in.robotName, in.name, string(in.kind))
		for _, level := range in.levels {
			f.Add(string(level))
		}
	}
}

// Exchange saves or restores the state of all sensors and the frames in flight. It must be called between two steps. It
// does not save images but the data that is needed to render them again. After a restore, it renders an image again if
// a listener may receive the image. Exchange leaves out frames of plugged-in sensors and levels. A restore replaces all
// frames in flight, and does not change the listeners.
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
	if p.trails {
		c.Part("trail", "")
		var posesWB []spatial.Pose
		if c.Restoring() {
			posesWB = p.cfg.Poses(p.cfg.State, nil)
		}
		p.trail.Exchange(c, p.cfg.Scene, posesWB)
	}
	if p.hears {
		c.Part("sounds", "")
		keyframe.Slice(c, &p.sounds, func(s *sensors.Sound, c *keyframe.Codec) { c.Value(s) })
		c.Check(len(p.sounds) <= mostSounds, "has %d sounds: must be at most %d", len(p.sounds), mostSounds)
		c.Uint(&p.sounded)
	}
	c.Part("frames under way", "")
	p.exchangeUnderWay(c)
}

// exchange saves or restores the state of one sensor, without its frames in flight.
func (in *instance) exchange(c *keyframe.Codec, p *Pipeline) {
	in.exchangeSetup(c)
	next := in.next
	c.Uint(&next)
	if c.Restoring() {
		c.Check(next == 0 || in.cfg.Due(next-1) <= p.cfg.State.Time, "has captured frame %d, which is not due yet",
			next-1)
	}
	if c.Err() != nil {
		return
	}
	in.skip(next)
	keyframe.Text(c, &in.level)
	c.Duration(&in.last)
	c.Uint(&in.frozenBy)
	if in.exchangeBefore(c, p, &in.before); in.before != nil {
		c.Check(in.camera != nil && in.cfg.Annotate, "has an image before, and annotates none")
	}
	in.sensor.Exchange(c)
	for _, level := range in.levels {
		if own := in.own[level]; own != nil {
			own.Exchange(c)
		}
	}
}

// exchangeSetup saves or restores a sensor's level and fault. It leaves the listeners as they are. It creates no
// renderers for a level with images: the first wanted image does.
func (in *instance) exchangeSetup(c *keyframe.Codec) {
	x := in.taken
	keyframe.Text(c, &x.level)
	keyframe.Text(c, &x.fault)
	c.Uint(&x.faults)
	if !c.Restoring() || c.Err() != nil {
		return
	}
	c.Fail(in.check(x.level))
	c.Check(x.fault == "" || slices.Contains(in.kind.Faults(), x.fault), "fault = %q: must be one of %v for kind %s",
		x.fault, in.kind.Faults(), in.kind)
	if c.Err() == nil {
		in.change(func(to *setup) { to.setting = x })
		in.taken = x
	}
}

// exchangeBefore saves or restores the poses at the preceding frame, from which optical flow is computed. There may be
// none.
func (in *instance) exchangeBefore(c *keyframe.Codec, p *Pipeline, b **render.Before) {
	known := *b != nil
	c.Bool(&known)
	if c.Restoring() {
		*b = nil
	}
	if !known || c.Err() != nil {
		return
	}
	if c.Restoring() {
		*b = &render.Before{}
	}
	p.exchangePoses(c, &(*b).PosesWB)
	c.Pose(&(*b).PoseWC.Pos, &(*b).PoseWC.Rot)
}

// exchangePoses saves or restores the poses of the scene's bodies.
func (p *Pipeline) exchangePoses(c *keyframe.Codec, posesWB *[]spatial.Pose) {
	keyframe.Slice(c, posesWB, func(b *spatial.Pose, c *keyframe.Codec) { c.Pose(&b.Pos, &b.Rot) })
	c.Check(len(*posesWB) == len(p.cfg.Scene.Bodies), "shows %d bodies of %d", len(*posesWB), len(p.cfg.Scene.Bodies))
}
