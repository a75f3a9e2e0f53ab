package pipeline

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/sensors"
)

// Farm decides where images are drawn: in this process, or in others that have a Pipeline of the same world.
type Farm interface {
	// Draw receives the order for the images of one instant. The goroutine that steps calls it. The farm must complete
	// each frame of the order exactly once, from any goroutine. It does so with Sensors.DrawHere, or with Frame.Fill if
	// another Pipeline has rendered the images. The step in which a frame is to be delivered waits until the frame is
	// complete.
	Draw(o *Order)
}

// Order lists the images of one instant that are to be drawn.
type Order struct {
	Frames []Frame // the slice is valid only during Farm.Draw; each Frame is valid until it is complete

	p   *Pipeline
	job *drawJob
}

// Frame represents the images of one sensor in an Order.
type Frame struct {
	p *Pipeline
	d *delivery
}

// Sensor returns the index of the frame's sensor among all sensors of the world.
func (f Frame) Sensor() int { return f.d.in.number }

// String returns a text with the frame's sensor, level and capture time, for messages.
func (f Frame) String() string {
	return fmt.Sprintf("%s.%s at %s at %v", f.d.obs.Robot, f.d.obs.Sensor, f.d.obs.Level, f.d.obs.Stamp)
}

// Tag returns a hash of the frame's level and fault. Frames of a sensor that have the same tag are drawn in the same
// way.
func (f Frame) Tag() uint64 {
	return hashText(hashText(0, string(f.d.obs.Level)), string(f.d.obs.Fault))
}

// Pixels returns the number of pixels to draw, including those of all exposure samples.
func (f Frame) Pixels() int {
	w, h := f.d.in.camera.Model().Size()
	n := w * h * max(1, len(f.d.in.camera.ExposureSamples(f.d.obs.Level)))
	if f.d.in.camera.Stereo() != nil {
		n *= 2
	}
	return n
}

// Watch sets a callback. The goroutine that completes the frame calls the callback with the frame and its error, before
// the frame is delivered. The error is nil if the images were rendered. Watch must be called before the frame is passed
// to Sensors.DrawHere or filled.
func (f Frame) Watch(done func(Frame, error)) {
	f.d.watch = func(err error) { done(f, err) }
}

// offer passes a job to the farm.
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

// Append appends an encoding of the given frames of the order to a buffer and returns the extended buffer. Another
// process passes the encoding to Sensors.DrawOrder. Append may be called only during Farm.Draw.
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

// sign computes the fingerprint of the world that orders contain. The fingerprint leaves out plugged-in sensors,
// because only this process has them.
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

// exchangeOrder encodes or decodes an order: one job and the frames that u lists.
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
		part.batch.Views = append(part.batch.Views, whole.batch.Views[f.d.view:][:f.d.views]...)
	}
	if err := p.drawers.add(part); err != nil {
		part.fail(err, p.cfg.Wall)
	}
}

// planes calls the given functions with the parts of a frame's images, in the order in which they are encoded. The
// function bytes gets the colour images, the function singles gets each part that consists of float32 numbers, and the
// function labels gets the uint16 labels. The encoding of numbers is little-endian.
func (b *images) planes(bytes func([]byte), singles func([]float32), labels func([]uint16)) {
	bytes(b.color.Pix)
	if b.right != nil {
		bytes(b.right.Pix)
	}
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

// Size returns the length of the data that Fill takes, in bytes.
func (f Frame) Size() (n int) {
	f.d.images.planes(func(b []byte) { n += len(b) }, func(s []float32) { n += 4 * len(s) },
		func(l []uint16) { n += 2 * len(l) })
	return n
}

// Fill completes the frame with images that another Pipeline has rendered. The argument data must be what Drawn.Append
// has appended in the other process: Size bytes. Any goroutine may call Fill.
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

// Sum returns the SHA-256 checksum of the frame's images in the encoding that Fill takes. It may be called only in the
// callback that Watch sets.
func (f Frame) Sum() [sha256.Size]byte { return sha256.Sum256(f.d.images.append(nil)) }

// append appends the encoding of the images.
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

// Drawn holds the images that Sensors.DrawOrder renders for an order of another process.
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

// Wait waits until the frame of the given index is complete. It returns an error if the frame could not be rendered.
// It may be called from any goroutine.
func (x *Drawn) Wait(frame int) error {
	d := x.deliveries[frame]
	<-d.ready
	return d.err
}

// Append appends the images of the frame of the given index to a buffer, in the encoding that Frame.Fill takes. Wait
// must have returned for the frame.
func (x *Drawn) Append(to []byte, frame int) []byte { return x.deliveries[frame].images.append(to) }

// Release returns the memory of all frames for reuse. Wait must have returned for each frame.
func (x *Drawn) Release() {
	for _, d := range x.deliveries {
		d.obs.Release()
	}
	x.deliveries = nil
}
