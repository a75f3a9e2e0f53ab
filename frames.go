package omnipitch

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/timesync"
)

// frameJob is the pictures of one instant.
type frameJob struct {
	frame      render.Batch
	deliveries []*delivery

	kind        uint64       // jobs of one kind draw the same
	left        atomic.Int32 // deliveries that are not finished
	begun, done atomic.Int64 // wall times at which a renderer began it, and the last delivery was finished; 0 before
}

// add has a camera's view drawn with the job.
func (j *frameJob) add(in *instance, d *delivery, s *Sim) {
	view := in.camera.View(d.obs.Level, s.instant(in))
	view.Color, view.Depth = d.obs.Color, d.obs.Depth
	if d.exposure = in.expose(s, d); d.exposure != nil {
		view.Color = nil
	}
	if d.obs.Truth != nil {
		view.Truth, view.Before = d.obs.Truth, in.before
		if !d.beside {
			in.before = &render.Before{PosesWB: j.frame.PosesWB, PoseWC: view.PoseWC}
		}
	}
	if view.Color != nil || view.Depth != nil || view.Truth != nil {
		j.frame.Views = append(j.frame.Views, view)
	}
	j.deliveries = append(j.deliveries, d)
	j.kind += in.tag(d.obs.Level, false)
	d.job = j
}

// draw draws everything but the exposures.
func (j *frameJob) draw(renderer render.Renderer) error {
	if len(j.frame.Views) == 0 {
		return nil
	}
	return renderer.Render(&j.frame)
}

// drawers is how many renderers share the work: while one prepares or reads an instant's pictures, the other's are
// being filled. Measured on two cores without a GPU.
const drawers = 2

// frameQueue draws jobs beside the physics, each as soon as a renderer is free. The renderers are made when they are
// first needed, by whoever needs them: what they are made from does not change while the world goes on.
type frameQueue struct {
	newRenderer func() (render.Renderer, error)
	// warm returns a frame that every renderer draws before the first job: drivers compile shaders at their first use,
	// which would make the first second of a run late.
	warm func() *render.Batch

	mu        sync.Mutex // held while renderers are made or closed
	closed    bool
	renderers []render.Renderer
	jobs      chan *frameJob
	drawing   sync.WaitGroup
	busy      occupancy
}

// jobsAhead bounds how far the physics may run ahead of the pictures; what is in flight is bounded by the latencies
// before that.
const jobsAhead = 64

// open makes the renderers unless they are there. It returns ErrClosed once the queue is closed.
func (q *frameQueue) open() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return ErrClosed
	case q.renderers != nil:
		return nil
	}
	var made []render.Renderer
	for range drawers {
		renderer, err := q.newRenderer()
		if err == nil {
			made = append(made, renderer)
			err = renderer.Render(q.warm())
		}
		if err != nil {
			for _, r := range made {
				r.Close()
			}
			return err
		}
	}
	q.renderers, q.jobs = made, make(chan *frameJob, jobsAhead)
	for _, r := range made {
		q.drawing.Go(func() { q.draw(r, q.jobs) })
	}
	return nil
}

func (q *frameQueue) submit(job *frameJob) {
	q.busy.enter()
	job.left.Store(int32(len(job.deliveries)))
	q.jobs <- job
}

func (q *frameQueue) draw(renderer render.Renderer, jobs <-chan *frameJob) {
	var finishing sync.WaitGroup
	for job := range jobs {
		job.begun.Store(int64(q.busy.wall.Now()))
		jobErr := job.draw(renderer)
		for _, d := range job.deliveries {
			err := jobErr
			if err == nil && d.exposure != nil {
				err = d.exposure.draw(renderer)
			}
			if err != nil {
				d.err = fmt.Errorf("%s.%s at %v: %w", d.obs.Robot, d.obs.Sensor, d.obs.Stamp, err)
				d.finish(q.busy.wall)
				continue
			}
			finishing.Go(func() { // faults of one camera while the next is drawn
				if d.exposure != nil {
					d.exposure.finish()
				}
				d.in.camera.ApplyFaults(d.obs)
				d.finish(q.busy.wall)
			})
		}
		q.busy.leave()
	}
	finishing.Wait()
}

// finish tells that a delivery's pictures are there.
func (d *delivery) finish(wall timesync.Wall) {
	d.done = wall.Now()
	if d.job.left.Add(-1) == 0 {
		d.job.done.Store(int64(d.done))
	}
	close(d.ready)
}

func (q *frameQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.renderers == nil {
		return
	}
	close(q.jobs)
	q.drawing.Wait()
	for _, r := range q.renderers {
		r.Close()
	}
	q.renderers = nil
}

// occupancy is how long something was being done, by one or by several.
type occupancy struct {
	wall  timesync.Wall
	mu    sync.Mutex
	n     int
	since time.Duration
	sum   time.Duration
}

func (o *occupancy) enter() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n++; o.n == 1 {
		o.since = o.wall.Now()
	}
}

func (o *occupancy) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n--; o.n == 0 {
		o.sum += o.wall.Now() - o.since
	}
}

// total returns how long until now.
func (o *occupancy) total() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n == 0 {
		return o.sum
	}
	return o.sum + o.wall.Now() - o.since
}

// buffers are the images of one frame.
type buffers struct {
	color *render.Image
	depth *render.Depth
	truth *render.Truth // nil for a camera that does not annotate
}

// buffers returns the images that a device needs, until they are put back.
func (in *instance) buffers() *buffers {
	if b := in.pool.get(); b != nil {
		return b
	}
	return newBuffers(in.camera)
}

// newBuffers returns the images that a device delivers.
func newBuffers(camera *sensors.Camera) *buffers {
	b := &buffers{}
	w, h := camera.Model().Size()
	withColor, withDepth := camera.Streams()
	if withColor {
		b.color = render.NewImage(w, h)
	}
	if withDepth {
		b.depth = render.NewDepth(w, h)
	}
	if camera.Config().Annotate {
		b.truth = render.NewTruth(w, h)
	}
	return b
}
