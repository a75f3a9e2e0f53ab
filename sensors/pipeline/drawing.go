package pipeline

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/timesync"
)

// Drawers is how many renderers share the work: while one prepares or reads an instant's images, the other's are being
// drawn. Measured on two cores without a GPU.
const Drawers = 2

// drawJob is the images of one instant.
type drawJob struct {
	batch      render.Batch
	deliveries []*delivery
	of         *drawJob // that this one draws a part of; nil: it is the whole

	kind        uint64       // jobs of one kind draw the same
	left        atomic.Int32 // deliveries that are not finished
	begun, done atomic.Int64 // wall times at which a renderer began it, and the last delivery was finished; 0 before
}

func (p *Pipeline) newJob() *drawJob {
	return &drawJob{batch: render.Batch{PosesWB: p.cfg.Poses(p.cfg.State, nil), Shading: p.cfg.Shading()}}
}

// shading returns that of a batch: the scene's, where it brings none.
func (p *Pipeline) shading(of *render.Shading) *render.Shading {
	if of == nil {
		return &p.cfg.Scene.Shading
	}
	return of
}

// shot is what an image is taken of besides what its job draws.
type shot struct {
	poseWC spatial.Pose
	before *render.Before   // of a camera that annotates
	state  physics.Snapshot // of an image that is made of several
}

// draw has a frame of the present state drawn with a job.
func (p *Pipeline) draw(d *delivery, j *drawJob) {
	in := d.in
	d.shot.poseWC, d.shot.before = p.cfg.State.Robots[in.robot].PoseWB.Mul(d.obs.PoseBC), nil
	if len(in.camera.ExposureSamples(d.obs.Level)) > 0 {
		p.cfg.State.CopyTo(&d.shot.state)
	}
	if d.obs.Truth != nil {
		d.shot.before = in.before
		if !d.offSchedule {
			in.before = &render.Before{PosesWB: j.batch.PosesWB, PoseWC: d.shot.poseWC}
		}
	}
	p.take(d, j)
}

// take has a frame drawn with a job.
func (p *Pipeline) take(d *delivery, j *drawJob) {
	in := d.in
	view := in.camera.View(d.obs.Level, p.instant(in))
	view.PoseWC = d.shot.poseWC
	view.Color, view.Depth = d.obs.Color, d.obs.Depth
	view.Chip, view.NoiseKey = in.camera.Chip(d.obs, p.cfg.Scene, &p.shading(j.batch.Shading).Light)
	if d.exposure = p.expose(d, j); d.exposure != nil {
		d.exposure.chip, d.exposure.noiseKey = view.Chip, view.NoiseKey
		view.Color = nil
	}
	if d.obs.Truth != nil {
		view.Truth, view.Before = d.obs.Truth, d.shot.before
	}
	d.view = -1
	if view.Color != nil || view.Depth != nil || view.Truth != nil {
		d.view = len(j.batch.Views)
		j.batch.Views = append(j.batch.Views, view)
	}
	j.deliveries = append(j.deliveries, d)
	j.kind += in.tag(d.obs.Level, false)
	d.job = j
}

// drawers draw jobs beside the physics, each as soon as a renderer is free. The renderers are made when they are first
// needed, by the goroutine that needs them: what they are made from does not change while the world goes on.
type drawers struct {
	newRenderer func() (render.Renderer, error)
	warmUp      *warmUp

	mu        sync.Mutex // held while renderers are made or closed
	closed    bool
	renderers []render.Renderer
	jobs      chan *drawJob
	drawing   sync.WaitGroup
	busy      occupancy
}

// jobsAhead bounds how far the physics may run ahead of the images; what is in flight is bounded by the latencies
// before that.
const jobsAhead = 64

// open makes the renderers unless they are there. It returns ErrClosed once the drawers are closed.
func (q *drawers) open() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return ErrClosed
	case q.renderers != nil:
		return nil
	}
	var made []render.Renderer
	for range Drawers {
		renderer, err := q.newRenderer()
		if err == nil {
			made = append(made, renderer)
			if _, ok := renderer.(render.Unwarmed); !ok {
				err = renderer.Render(q.warmUp.batch())
			}
		}
		if err != nil {
			for _, r := range made {
				r.Close()
			}
			return err
		}
	}
	q.renderers, q.jobs = made, make(chan *drawJob, jobsAhead)
	for _, r := range made {
		q.drawing.Go(func() { q.draw(r, q.jobs) })
	}
	return nil
}

// warm sets what renderers draw first that are not there yet.
func (q *drawers) warm(with *warmUp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.warmUp = with
}

// restart makes the renderers anew for another scene, if they are there. Nothing may be under way.
func (q *drawers) restart(cfg *Config, with *warmUp) error {
	q.mu.Lock()
	had := q.renderers != nil
	q.end()
	q.newRenderer, q.warmUp = cfg.NewRenderer, with
	q.mu.Unlock()
	if !had {
		return nil
	}
	return q.open()
}

func (q *drawers) submit(job *drawJob) {
	q.busy.enter()
	job.left.Store(int32(len(job.deliveries)))
	q.jobs <- job
}

// add has a part of a job drawn, in any goroutine. It returns ErrClosed once the drawers are closed.
func (q *drawers) add(part *drawJob) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.renderers == nil {
		return ErrClosed
	}
	q.busy.enter()
	q.jobs <- part
	return nil
}

// begin notes that something draws a job, or a part of it.
func (j *drawJob) begin(wall timesync.Wall) {
	if j.of != nil {
		j = j.of
	}
	j.begun.CompareAndSwap(0, int64(wall.Now()))
}

func (q *drawers) draw(renderer render.Renderer, jobs <-chan *drawJob) {
	var finishing sync.WaitGroup
	for job := range jobs {
		job.begin(q.busy.wall)
		var jobErr error
		if len(job.batch.Views) > 0 {
			jobErr = renderer.Render(&job.batch)
		}
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
			if d.exposure == nil && d.obs.Fault == "" {
				d.finish(q.busy.wall)
				continue
			}
			finishing.Go(func() { // while the next is drawn
				if d.exposure != nil {
					d.exposure.merge()
				}
				d.in.camera.BreakImages(d.obs)
				d.finish(q.busy.wall)
			})
		}
		q.busy.leave()
	}
	finishing.Wait()
}

// finish notes that a delivery's images are there.
func (d *delivery) finish(wall timesync.Wall) {
	d.done = wall.Now()
	if d.watch != nil {
		d.watch(d.err)
	}
	if d.job.left.Add(-1) == 0 {
		d.job.done.Store(int64(d.done))
	}
	close(d.ready)
}

func (q *drawers) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.end()
}

// end closes the renderers that are there. mu is held.
func (q *drawers) end() {
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

// occupancy is how long something was being done, by one goroutine or by several.
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
