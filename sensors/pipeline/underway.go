package pipeline

import (
	"slices"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/sensors"
)

// underWay is the frames that a key frame holds: those to be delivered, in their order, then others whose content
// broken sensors repeat; and the jobs that draw them.
type underWay struct {
	frames  []*delivery
	toCome  int // of the frames are to be delivered
	jobs    []*drawJob
	frozen  []int // of each sensor, the frame that it repeats; −1: none
	repeats []int // of each frame, the one whose content it repeats; −1: none
}

// kept tells whether key frames hold a frame.
func (d *delivery) kept() bool { return d.in.kind != sensors.OwnKind && d.in.own[d.obs.Level] == nil }

// underWay lists what is under way, in the memory of the last time.
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
	for i := 0; i < len(u.frames); i++ { // u.add adds to the end
		u.repeats = append(u.repeats, u.add(u.frames[i].repeats))
	}
	for _, d := range u.frames {
		if d.images != nil && !slices.Contains(u.jobs, d.job) {
			u.jobs = append(u.jobs, d.job)
		}
	}
	return u
}

// add returns the place of a frame among the others, at their end unless it is there; −1 of none, or of one that key
// frames do not hold.
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

// exchangeUnderWay passes the frames under way.
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

// exchangeJob passes what a job draws besides its views.
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

// exchangeFrame passes a frame, and restores it as one that nobody has captured.
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

// exchangeShot passes what a frame's images are taken of.
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

// exchangeDrifting passes what bodies drift by: their poses and velocities, and extensions.
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

// check fails unless frames follow each other, and repeat what their own sensors have captured.
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

// resume has what was restored go on. Images are drawn again that a listener may get.
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
		if d.ready != nil { // who repeats it takes it to be there
			<-d.ready
			c.Fail(d.err)
		}
	}
}

// drawn tells whether a frame that was restored has images.
func (d *delivery) drawn() bool { return d.job != nil }

// retake has a frame's images drawn anew, by its job.
func (p *Pipeline) retake(d *delivery) {
	j := d.job
	d.ready, d.images = make(chan struct{}), d.in.newImages()
	d.obs.Color, d.obs.Depth, d.obs.Truth = d.images.color, d.images.depth, d.images.truth
	p.take(d, j)
	if d.exposure == nil {
		return
	}
	// What hung elsewhere then hangs there in all images that make one.
	for i, now := range p.cfg.Poses(&d.shot.state, nil) {
		for k := range d.exposure.batches {
			if then := j.batch.PosesWB[i]; now != then {
				d.exposure.batches[k].PosesWB[i] = then
			}
		}
	}
}
