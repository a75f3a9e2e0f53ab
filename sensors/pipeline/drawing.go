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

// Drawers is the number of renderers. While one renderer prepares or reads back the images of one instant, the other
// renderer can render the images of another instant. The value was found by measurement on two cores without a GPU.
const Drawers = 2

// drawJob is the work of rendering the images of one instant. The goroutine that steps builds the job. Once the job is
// submitted, it belongs to a renderer.
type drawJob struct {
	batch      render.Batch
	deliveries []*delivery
	of         *drawJob // the whole job of which this job is a part; nil if this is a whole job

	// a hash: jobs with the same hash render frames of the same kinds of sensors at the same levels
	kind        uint64
	left        atomic.Int32 // number of deliveries that are not complete
	begun, done atomic.Int64 // wall times at which rendering began and the last image was complete; 0 before that
}

func (p *Pipeline) newJob() *drawJob {
	return &drawJob{batch: render.Batch{PosesWB: p.cfg.Poses(p.cfg.State, nil), Shading: p.cfg.Shading()}}
}

// shading returns the given shading of a batch, or the scene's shading if the batch has none, that is, if the argument
// is nil.
func (p *Pipeline) shading(of *render.Shading) *render.Shading {
	if of == nil {
		return &p.cfg.Scene.Shading
	}
	return of
}

// shot is the data that is needed to render one image, apart from the data in its drawJob that all images of the job
// share.
type shot struct {
	poseWC spatial.Pose
	// the poses at the preceding frame, for optical flow; nil unless the camera records ground truth of its images
	before *render.Before
	state  physics.Snapshot // state at the capture; set only if several samples are averaged into the image
}

// draw adds a frame that is captured in the present state to a job, and records the frame's shot.
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

// take adds a frame to a job. The frame's shot must be set.
func (p *Pipeline) take(d *delivery, j *drawJob) {
	in := d.in
	view := in.camera.View(d.obs.Level, p.instant(in))
	view.PoseWC = d.shot.poseWC
	view.Color, view.Depth = d.obs.Color, d.obs.Depth
	light := &p.shading(j.batch.Shading).Light
	view.Chip, view.NoiseKey = in.camera.Chip(d.obs, p.cfg.Scene, light)
	var right render.View // of a stereo pair, whose depth is not drawn
	if in.camera.Stereo() != nil {
		right, view.Depth = in.camera.RightView(view), nil
		right.Color = d.obs.Right
		right.Chip, right.NoiseKey = in.camera.RightChip(d.obs, p.cfg.Scene, light)
	}
	if d.exposure = p.expose(d, j); d.exposure != nil {
		d.exposure.left.chip, d.exposure.left.noiseKey = view.Chip, view.NoiseKey
		d.exposure.right.chip, d.exposure.right.noiseKey = right.Chip, right.NoiseKey
		view.Color, right.Color = nil, nil
	}
	if d.obs.Truth != nil {
		view.Truth, view.Before = d.obs.Truth, d.shot.before
	}
	d.view = len(j.batch.Views)
	if view.Color != nil || view.Depth != nil || view.Truth != nil {
		j.batch.Views = append(j.batch.Views, view)
	}
	if right.Color != nil {
		j.batch.Views = append(j.batch.Views, right)
	}
	d.views = len(j.batch.Views) - d.view
	j.deliveries = append(j.deliveries, d)
	j.kind += in.tag(d.obs.Level, false)
	d.job = j
}

// drawers draw jobs concurrently with the physics. Each renderer has a goroutine that takes jobs from a queue. The
// first job creates the renderers, so that a run whose images nobody wants does not pay for them. Within one run they
// are always created from the same scene and settings.
type drawers struct {
	newRenderer func(samples func() *render.Batch) (render.Renderer, error)
	match       render.Matcher
	warmUp      *warmUp

	mu        sync.Mutex // held while renderers are created or closed
	closed    bool
	created   atomic.Int64 // number of times the renderers were created
	renderers []render.Renderer
	jobs      chan *drawJob
	drawing   sync.WaitGroup
	busy      occupancy
}

// jobsAhead is the length of the queue of jobs. When the queue is full, the physics waits. Usually the queue does not
// become full, because a step waits for the images that it delivers, so that the cameras' latencies limit the number of
// jobs in flight.
const jobsAhead = 64

// open creates the renderers if they do not exist yet. After close it returns ErrClosed.
func (q *drawers) open() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.create()
}

// create is open for callers that hold mu.
func (q *drawers) create() error {
	switch {
	case q.closed:
		return ErrClosed
	case q.renderers != nil:
		return nil
	}
	var made []render.Renderer
	for range Drawers {
		renderer, err := q.newRenderer(q.warmUp.samples)
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
	q.created.Add(1)
	for _, r := range made {
		q.drawing.Go(func() { q.draw(r, q.jobs) })
	}
	return nil
}

// warm sets the images that renderers created from now on render first, to warm up.
func (q *drawers) warm(with *warmUp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.warmUp = with
}

// restart closes the renderers. The next job creates them for another scene, whose images warm them up. No job may be
// in flight.
func (q *drawers) restart(cfg *Config, with *warmUp) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end()
	q.newRenderer, q.match, q.warmUp = cfg.NewRenderer, cfg.Match, with
}

// submit queues a whole job. It blocks while the queue is full. The first job creates the renderers. If that fails, all
// frames of the job fail. Only the goroutine that steps may call it.
func (q *drawers) submit(job *drawJob) {
	job.left.Store(int32(len(job.deliveries)))
	if err := q.open(); err != nil {
		job.fail(err, q.busy.wall)
		return
	}
	q.busy.enter()
	q.jobs <- job
}

// fail completes all frames of a job with an error.
func (j *drawJob) fail(err error, wall timesync.Wall) {
	j.begin(wall)
	for _, d := range j.deliveries {
		d.err = fmt.Errorf("%s.%s at %v: %w", d.obs.Robot, d.obs.Sensor, d.obs.Stamp, err)
		d.finish(wall)
	}
}

// add queues a part of a job. It creates the renderers if they do not exist yet. Any goroutine may call it. After close
// it returns ErrClosed.
func (q *drawers) add(part *drawJob) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.create(); err != nil {
		return err
	}
	q.busy.enter()
	q.jobs <- part
	return nil
}

// begin records the present wall time as the time at which rendering of the whole job began. Only the first call for a
// job, or for any of its parts, has an effect.
func (j *drawJob) begin(wall timesync.Wall) {
	if j.of != nil {
		j = j.of
	}
	j.begun.CompareAndSwap(0, int64(wall.Now()))
}

// draw renders jobs from the queue with one renderer. It returns when the queue is closed and empty.
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
			stereo := d.in.camera.Stereo()
			if d.exposure == nil && stereo == nil && d.obs.Fault == "" {
				d.finish(q.busy.wall)
				continue
			}
			finishing.Go(func() { // runs concurrently with the next rendering
				if d.exposure != nil {
					d.exposure.merge()
				}
				if stereo != nil {
					d.err = q.match(d.obs.Color, d.obs.Right, stereo, d.obs.Depth)
				}
				d.in.camera.BreakImages(d.obs)
				d.finish(q.busy.wall)
			})
		}
		q.busy.leave()
	}
	finishing.Wait()
}

// finish marks a delivery's images as complete: it records the wall time, calls the function watch and closes ready.
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

// end waits until the queued jobs are done and closes the renderers, if they exist. The caller must hold mu.
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

// occupancy measures the wall time during which at least one goroutine was busy.
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

// total returns the busy time so far.
func (o *occupancy) total() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n == 0 {
		return o.sum
	}
	return o.sum + o.wall.Now() - o.since
}
