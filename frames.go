package omnipitch

import (
	"fmt"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// frameJob is the pictures of one instant.
type frameJob struct {
	frame      render.Frame
	deliveries []*delivery // one per view
}

// add has a camera's view drawn with the job.
func (j *frameJob) add(in *instance, d *delivery, at *sensors.Instant) {
	view := in.eyes.View(d.obs.Level, at)
	view.Color, view.Depth = d.obs.Color, d.obs.Depth
	j.frame.Views = append(j.frame.Views, view)
	j.deliveries = append(j.deliveries, d)
}

// frameQueue draws jobs in the order of their submission, beside the physics. The renderer is made when it is first
// needed.
type frameQueue struct {
	newRenderer func() (render.Renderer, error)

	mu       sync.Mutex
	renderer render.Renderer
	jobs     chan *frameJob
	done     chan struct{}
}

// jobsAhead bounds how far the physics may run ahead of the pictures; what is in flight is bounded by the latencies
// before that.
const jobsAhead = 64

func (q *frameQueue) open() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.renderer != nil {
		return nil
	}
	renderer, err := q.newRenderer()
	if err != nil {
		return err
	}
	q.renderer, q.jobs, q.done = renderer, make(chan *frameJob, jobsAhead), make(chan struct{})
	go q.draw(renderer, q.jobs, q.done)
	return nil
}

func (q *frameQueue) submit(job *frameJob) { q.jobs <- job }

func (q *frameQueue) draw(renderer render.Renderer, jobs <-chan *frameJob, done chan<- struct{}) {
	defer close(done)
	var finishing sync.WaitGroup
	for job := range jobs {
		err := renderer.Render(&job.frame)
		for _, d := range job.deliveries {
			if err != nil {
				d.err = fmt.Errorf("%s.%s at %v: %w", d.obs.Robot, d.obs.Sensor, d.obs.Stamp, err)
				close(d.ready)
				continue
			}
			finishing.Go(func() { // faults of one camera while the next is drawn
				d.in.eyes.Finish(d.obs)
				close(d.ready)
			})
		}
	}
	finishing.Wait()
}

func (q *frameQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.renderer == nil {
		return
	}
	close(q.jobs)
	<-q.done
	q.renderer.Close()
	q.renderer = nil
}

// imagePool recycles a camera's buffers.
type imagePool struct {
	mu   sync.Mutex
	free []buffers
}

type buffers struct {
	color *render.Image
	depth *render.Depth
}

// lend gives an observation the buffers that its device needs, until it is released.
func (p *imagePool) lend(eyes sensors.Eyes, obs *sensors.Observation) {
	p.mu.Lock()
	var b buffers
	if n := len(p.free); n > 0 {
		b, p.free = p.free[n-1], p.free[:n-1]
	}
	p.mu.Unlock()
	if b.color == nil && b.depth == nil {
		w, h := eyes.Model().Size()
		color, depth := eyes.Streams()
		if color {
			b.color = render.NewImage(w, h)
		}
		if depth {
			b.depth = render.NewDepth(w, h)
		}
	}
	obs.Color, obs.Depth = b.color, b.depth
	obs.OnRelease(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.free = append(p.free, b)
	})
}
