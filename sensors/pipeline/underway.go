package pipeline

import (
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/sensors"
)

// underWay lists the frames that a key frame contains. First come the frames in flight, in their order of delivery.
// Then come delivered frames whose content frozen sensors repeat. It also lists the jobs that render the images of all
// these frames.
type underWay struct {
	frames  []*delivery
	toCome  int // number of frames in flight, at the start of frames
	jobs    []*drawJob
	frozen  []int // for each sensor, the index of the frame whose content the sensor repeats; −1 if there is none
	repeats []int // for each frame, the index of the earlier frame that it repeats; −1 if there is none
}

// kept reports whether key frames contain the frame d. It returns false for frames of plugged-in sensors and levels.
func (d *delivery) kept() bool { return d.in.kind != sensors.OwnKind && d.in.own[d.obs.Level] == nil }

// underWay lists the frames and jobs for a key frame. The result is valid until the next call.
func (p *Pipeline) underWay() *underWay {
	u := &p.saved
	clear(u.frames)
	clear(u.jobs)
	*u = underWay{frames: u.frames[:0], jobs: u.jobs[:0], frozen: u.frozen[:0], repeats: u.repeats[:0]}
	for _, d := range p.inFlight {
		if d.kept() {
			u.frames = append(u.frames, d)
		}
	}
	u.toCome = len(u.frames)
	for _, in := range p.instances {
		u.frozen = append(u.frozen, u.add(in.repeated()))
	}
	for i := 0; i < len(u.frames); i++ { // u.add may append to u.frames
		u.repeats = append(u.repeats, u.add(u.frames[i].repeats))
	}
	for _, d := range u.frames {
		if d.images != nil && !slices.Contains(u.jobs, d.job) {
			u.jobs = append(u.jobs, d.job)
		}
	}
	return u
}

// add returns the index of the frame d in u.frames. If u.frames does not contain d, add appends it. It returns −1 if d
// is nil, or if key frames do not contain d.
func (u *underWay) add(d *delivery) int {
	if d == nil || !d.kept() {
		return -1
	}
	i := slices.Index(u.frames, d)
	if i < 0 {
		i, u.frames = len(u.frames), append(u.frames, d)
	}
	return i
}

// exchangeUnderWay saves or restores the frames in flight.
func (p *Pipeline) exchangeUnderWay(c *keyframe.Codec) {
	u := &underWay{frozen: make([]int, len(p.instances))}
	if !c.Restoring() {
		u = p.underWay()
	}
	n := c.Count(len(u.jobs))
	for i := range n {
		if c.Restoring() {
			u.jobs = append(u.jobs, &drawJob{})
		}
		p.exchangeJob(c, u.jobs[i])
	}
	n = c.Count(len(u.frames))
	for i := range n {
		if c.Restoring() {
			u.frames, u.repeats = append(u.frames, nil), append(u.repeats, -1)
		}
		if p.exchangeFrame(c, u, i); c.Err() != nil {
			return
		}
	}
	for i := range u.frozen {
		c.Index(&u.frozen[i], -1, n)
	}
	c.Index(&u.toCome, 0, n+1)
	if c.Restoring() {
		p.resume(c, u)
	}
}

// exchangeJob saves or restores the poses and the shading of a job. The views of the job are exchanged with the frames,
// by exchangeFrame.
func (p *Pipeline) exchangeJob(c *keyframe.Codec, j *drawJob) {
	p.exchangePoses(c, &j.batch.PosesWB)
	changed := j.batch.Shading != nil
	if c.Bool(&changed); !changed {
		return
	}
	if c.Restoring() {
		j.batch.Shading = p.cfg.Scene.Shading.Clone()
	}
	j.batch.Shading.Exchange(c)
}

// exchangeFrame saves or restores the frame of index i in u. A restored frame has everything that a capture sets,
// except for images, which must be rendered again.
func (p *Pipeline) exchangeFrame(c *keyframe.Codec, u *underWay, i int) {
	number := 0
	if !c.Restoring() {
		number = slices.Index(p.instances, u.frames[i].in)
	}
	if c.Index(&number, 0, len(p.instances)); c.Err() != nil {
		return
	}
	in := p.instances[number]
	if c.Restoring() {
		u.frames[i] = in.newDelivery()
		u.frames[i].begun = p.wallNow()
	}
	d := u.frames[i]
	c.Part(in.robotName, in.name)
	c.Duration(&d.at)
	keyframe.Text(c, &d.obs.Level)
	keyframe.Text(c, &d.obs.Fault)
	c.Uint(&d.obs.Frame)
	c.Duration(&d.obs.Stamp)
	if c.Int(&u.repeats[i]); c.Err() != nil || u.repeats[i] >= 0 {
		return
	}
	c.Pose(&d.obs.PoseBC.Pos, &d.obs.PoseBC.Rot)
	if in.camera != nil && in.camera.Automatic() {
		d.obs.Settings.Exchange(c)
	} else if in.camera != nil {
		d.obs.Settings = in.camera.Settings()
	}
	if in.camera != nil && d.obs.Level.Rendered() {
		p.exchangeShot(c, u, d)
	} else {
		d.obs.Exchange(c, in.kind)
	}
}

// exchangeShot saves or restores what is needed to draw a frame's images again.
func (p *Pipeline) exchangeShot(c *keyframe.Codec, u *underWay, d *delivery) {
	job := slices.Index(u.jobs, d.job)
	if c.Index(&job, 0, len(u.jobs)); c.Err() != nil {
		return
	}
	if c.Restoring() {
		c.Fail(p.check(d.in, d.obs.Level))
		d.job, d.shot.before = u.jobs[job], nil
	}
	c.Pose(&d.shot.poseWC.Pos, &d.shot.poseWC.Rot)
	d.in.exchangeBefore(c, p, &d.shot.before)
	if len(d.in.camera.ExposureSamples(d.obs.Level)) > 0 {
		p.exchangeDrifting(c, &d.shot.state)
	}
}

// exchangeDrifting saves or restores the state from which poses during an exposure are extrapolated: the poses and
// velocities of bodies, and the extensions of robots.
func (p *Pipeline) exchangeDrifting(c *keyframe.Codec, s *physics.Snapshot) {
	const fast = 1e4 // m/s and rad/s
	if c.Restoring() {
		p.cfg.State.CopyTo(s)
	}
	twist := func(v ...[]float64) {
		for _, v := range v {
			for i := range v {
				c.FloatIn(&v[i], -fast, fast)
			}
		}
	}
	c.Pose(&s.Ball.PosW, &s.Ball.RotW)
	twist(s.Ball.TwistInW.Lin[:], s.Ball.TwistInW.Ang[:])
	for i := range s.Robots {
		r := &s.Robots[i]
		c.Pose(&r.PoseWB.Pos, &r.PoseWB.Rot)
		twist(r.TwistWBInW.Lin[:], r.TwistWBInW.Ang[:])
		c.Value(&r.Extension)
		c.Check(r.Extension <= physics.ExtendUp, "extension = %d: must be at most %d", r.Extension, physics.ExtendUp)
	}
	for i := range s.Obstacles {
		o := &s.Obstacles[i]
		c.Pose(&o.PoseWO.Pos, &o.PoseWO.Rot)
		twist(o.TwistWOInW.Lin[:], o.TwistWOInW.Ang[:])
	}
}

// check makes the codec fail if the restored deliveries are not in order of time, or if a sensor repeats a frame of
// another sensor.
func (u *underWay) check(c *keyframe.Codec, p *Pipeline) {
	c.Part("frames under way", "")
	own := func(of int, in *instance) bool {
		return of == -1 || of >= 0 && of < len(u.frames) && u.repeats[of] == -1 && u.frames[of].in == in
	}
	last := p.cfg.State.Time
	for i, d := range u.frames {
		c.Check(own(u.repeats[i], d.in), "one repeats a frame that is none of its sensor's")
		if i < u.toCome {
			c.Check(d.at >= last, "one is delivered at %v after one at %v", d.at, last)
			last = d.at
		}
	}
	for i, of := range u.frozen {
		c.Check(own(of, p.instances[i]), "a sensor repeats a frame that is none of its own")
	}
}

// resume puts restored frames into the queue of frames in flight. It starts rendering an image again if a listener may
// receive the image or a frozen sensor repeats it.
func (p *Pipeline) resume(c *keyframe.Codec, u *underWay) {
	if u.check(c, p); c.Err() != nil {
		return
	}
	held := make([]bool, len(u.frames))
	for i, d := range u.frames[:u.toCome] {
		held[i] = !d.drawn() || len(d.in.setup.Load().listeners) > 0 && d.at > p.unseen
	}
	hold := func(of int) *delivery {
		if of < 0 {
			return nil
		}
		if held[of] {
			u.frames[of].obs.Retain()
		}
		held[of] = true
		return u.frames[of]
	}
	for i, in := range p.instances {
		if in.frozen != nil {
			in.frozen.obs.Release()
		}
		in.frozen = hold(u.frozen[i])
	}
	for i, d := range u.frames[:u.toCome] {
		d.repeats = hold(u.repeats[i])
	}
	for i, d := range u.frames {
		if held[i] && d.drawn() {
			p.retake(d)
		}
		if held[i] && i < u.toCome {
			p.inFlight = append(p.inFlight, d)
		}
	}
	for _, j := range u.jobs {
		if len(j.deliveries) > 0 {
			p.drawers.submit(j)
			p.plan.drawing = append(p.plan.drawing, j)
		}
	}
	for _, d := range u.frames[u.toCome:] {
		if d.ready != nil { // a frame that repeats d needs the complete images of d
			<-d.ready
			c.Fail(d.err)
		}
	}
}

// drawn reports whether a restored frame has images.
func (d *delivery) drawn() bool { return d.job != nil }

// retake adds a restored frame to its job, so that the job renders the frame's images again.
func (p *Pipeline) retake(d *delivery) {
	j := d.job
	d.ready, d.images = make(chan struct{}), d.in.newImages()
	d.images.passTo(d.obs)
	p.take(d, j)
	if d.exposure == nil {
		return
	}
	// A snapshot lacks some bodies, such as boards. For these bodies cfg.Poses returns the present pose. If such a body
	// was moved after the capture, all exposure samples use its pose at the capture.
	for i, now := range p.cfg.Poses(&d.shot.state, nil) {
		for k := range d.exposure.batches {
			if then := j.batch.PosesWB[i]; now != then {
				d.exposure.batches[k].PosesWB[i] = then
			}
		}
	}
}
