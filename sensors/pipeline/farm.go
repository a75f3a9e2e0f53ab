package pipeline

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/sensors"
)

// Farm decides who draws images: this process, or others that have a Pipeline of the same world.
type Farm interface {
	// Draw is given the images of an instant by the goroutine that steps. Each frame has to be drawn once, by
	// Sensors.DrawHere or with the images that another Pipeline has drawn (Frame.Fill), in any goroutine: a step waits
	// for it when its time of delivery has come.
	Draw(o *Order)
}

// Order is the images of one instant that are to be drawn.
type Order struct {
	Frames []Frame // valid during Farm.Draw, but each Frame until it is drawn

	p   *Pipeline
	job *drawJob
}

// Frame is one sensor's images of an Order.
type Frame struct {
	p *Pipeline
	d *delivery
}

// Sensor returns the number of the frame's sensor, among all of the world in their order.
func (f Frame) Sensor() int { return f.d.in.number }

// String names the frame's sensor, its level and its stamp.
func (f Frame) String() string {
	return fmt.Sprintf("%s.%s at %s at %v", f.d.obs.Robot, f.d.obs.Sensor, f.d.obs.Level, f.d.obs.Stamp)
}

// Tag returns a number for the frame's level and fault: frames of a sensor with the same one are drawn alike.
func (f Frame) Tag() uint64 {
	return hashText(hashText(0, string(f.d.obs.Level)), string(f.d.obs.Fault))
}

// Pixels returns how many pixels are drawn, with those of all exposure samples.
func (f Frame) Pixels() int {
	w, h := f.d.in.camera.Model().Size()
	return w * h * max(1, len(f.d.in.camera.ExposureSamples(f.d.obs.Level)))
}

// Watch has done called by the goroutine that has drawn the frame, with its error, before anybody gets it. It must be
// called before the frame is drawn.
func (f Frame) Watch(done func(Frame, error)) {
	f.d.watch = func(err error) { done(f, err) }
}

// offer has a job drawn by the farm.
func (p *Pipeline) offer(j *drawJob) {
	j.left.Store(int32(len(j.deliveries)))
	j.begin(p.cfg.Wall)
	o := &p.order
	o.p, o.job, o.Frames = p, j, o.Frames[:0]
	for _, d := range j.deliveries {
		o.Frames = append(o.Frames, Frame{p, d})
	}
	p.cfg.Farm.Draw(o)
	clear(o.Frames)
}

// Append appends to a buffer what another Pipeline's Draw needs to draw some of the order's frames. It belongs to
// Farm.Draw.
func (o *Order) Append(to []byte, frames []Frame) []byte {
	c := keyframe.Append(to)
	u := &o.p.ordered
	*u = underWay{frames: u.frames[:0], jobs: append(u.jobs[:0], o.job), repeats: u.repeats[:0]}
	for _, f := range frames {
		u.frames, u.repeats = append(u.frames, f.d), append(u.repeats, -1)
	}
	o.p.exchangeOrder(c, u)
	return c.Data()
}

// sign finds what orders are of: the world, without what was plugged in here.
func (p *Pipeline) sign() {
	f := keyframe.NewFingerprint()
	f.AddNumber(p.cfg.Seed)
	f.AddNumber(uint64(len(p.cfg.Scene.Bodies)))
	for _, in := range p.instances {
		if in.kind != sensors.OwnKind {
			f.Add(in.robotName, in.name, string(in.kind))
		}
	}
	p.signature = f
}

// exchangeOrder passes frames that one job draws.
func (p *Pipeline) exchangeOrder(c *keyframe.Codec, u *underWay) {
	c.Part("order", "")
	of := p.signature
	c.Uint((*uint64)(&of))
	c.Check(of == p.signature, "is of another world or seed, or of another version of Omnipitch")
	if c.Err() != nil {
		return
	}
	p.exchangeJob(c, u.jobs[0])
	n := c.Count(len(u.frames))
	for i := range n {
		if c.Restoring() {
			u.frames, u.repeats = append(u.frames, nil), append(u.repeats, -1)
		}
		if p.exchangeFrame(c, u, i); c.Err() != nil {
			return
		}
		c.Check(u.repeats[i] < 0 && u.frames[i].drawn(), "has a frame without images")
	}
}

// drawHere draws frames of one Order in this process, see Sensors.DrawHere.
func (p *Pipeline) drawHere(frames []Frame) {
	whole := frames[0].d.job
	part := &drawJob{of: whole}
	part.batch.PosesWB, part.batch.Shading = whole.batch.PosesWB, whole.batch.Shading
	for _, f := range frames {
		part.deliveries = append(part.deliveries, f.d)
		if f.d.view >= 0 {
			part.batch.Views = append(part.batch.Views, whole.batch.Views[f.d.view])
		}
	}
	if err := p.drawers.add(part); err != nil {
		for _, f := range frames {
			f.d.err = err
			f.d.finish(p.cfg.Wall)
		}
	}
}

// planes calls f with the bytes of a frame's images, of which color is one part and each other number is four or two
// bytes, least first.
func (b *images) planes(bytes func([]byte), singles func([]float32), labels func([]uint16)) {
	bytes(b.color.Pix)
	if b.depth != nil {
		singles(b.depth.Z)
	}
	if t := b.truth; t != nil {
		labels(t.Labels)
		singles(t.Range)
		singles(t.Normals)
		singles(t.Flow)
	}
}

// Size returns how many bytes a frame's images have.
func (f Frame) Size() (n int) {
	f.d.images.planes(func(b []byte) { n += len(b) }, func(s []float32) { n += 4 * len(s) },
		func(l []uint16) { n += 2 * len(l) })
	return n
}

// Fill gives the frame the images that another Pipeline has drawn: what Drawn.Append appends, of Size bytes. It may be
// called from any goroutine.
func (f Frame) Fill(data []byte) {
	f.d.images.planes(
		func(b []byte) { data = data[copy(b, data):] },
		func(s []float32) {
			for i := range s {
				s[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
			}
			data = data[4*len(s):]
		},
		func(l []uint16) {
			for i := range l {
				l[i] = binary.LittleEndian.Uint16(data[2*i:])
			}
			data = data[2*len(l):]
		})
	f.d.finish(f.p.cfg.Wall)
}

// Sum returns a checksum of the frame's images, in the function that Watch is given: that of the bytes that Fill takes.
func (f Frame) Sum() [sha256.Size]byte { return sha256.Sum256(f.d.images.append(nil)) }

// append appends the images' bytes.
func (b *images) append(to []byte) []byte {
	b.planes(
		func(b []byte) { to = append(to, b...) },
		func(s []float32) {
			for _, x := range s {
				to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
			}
		},
		func(l []uint16) {
			for _, x := range l {
				to = binary.LittleEndian.AppendUint16(to, x)
			}
		})
	return to
}

// Drawn is images that another Pipeline has asked for.
type Drawn struct{ deliveries []*delivery }

// drawOrder starts drawing the frames of an order, see Sensors.DrawOrder.
func (p *Pipeline) drawOrder(order []byte) (*Drawn, error) {
	if err := p.drawers.open(); err != nil {
		return nil, err
	}
	c := keyframe.Restore(order)
	u := &underWay{jobs: []*drawJob{{}}}
	p.now = 0
	p.exchangeOrder(c, u)
	if err := c.End(); err != nil {
		for _, d := range u.frames {
			if d != nil {
				d.obs.Release()
			}
		}
		return nil, err
	}
	for _, d := range u.frames {
		p.retake(d)
	}
	if len(u.frames) > 0 {
		p.drawers.submit(u.jobs[0])
	}
	return &Drawn{u.frames}, nil
}

// Len returns the number of frames.
func (x *Drawn) Len() int { return len(x.deliveries) }

// Wait waits for a frame, and returns its error. It may be called from any goroutine.
func (x *Drawn) Wait(frame int) error {
	d := x.deliveries[frame]
	<-d.ready
	return d.err
}

// Append appends a frame's images to a buffer, when it has been waited for: what Frame.Fill takes.
func (x *Drawn) Append(to []byte, frame int) []byte { return x.deliveries[frame].images.append(to) }

// Release gives all frames back, when they have been waited for.
func (x *Drawn) Release() {
	for _, d := range x.deliveries {
		d.obs.Release()
	}
	x.deliveries = nil
}
