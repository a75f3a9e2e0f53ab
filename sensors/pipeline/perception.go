package pipeline

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// perceiver fills the observations of cameras at levels without images, concurrently with the physics. One worker
// goroutine takes tasks from the queue. When the goroutine that steps needs an observation that is not complete, that
// goroutine takes tasks from the queue too. If noWorker is set, it runs each task in submit instead. The results do not
// depend on which goroutine runs a task.
type perceiver struct {
	noWorker bool
	now      func() time.Duration // returns the wall time if the cost of frames is measured, otherwise 0
	mu       sync.Mutex
	changed  sync.Cond // a task was added or done, or the perceiver was closed
	queue    []*task   // tasks in the order of capture; those from index head on have not been started
	head     int
	version  atomic.Int32 // incremented by each change that mu guards; may be read without holding mu
	sleeping int          // number of goroutines that wait for the condition changed
	closed   bool
	worker   sync.WaitGroup
	started  bool
	labelers labelers
	contours contours
	views    pool[abstraction.TargetViews]
	instants []*instant // reused once all their tasks are done; the list belongs to the goroutine that steps
	targets  *sensors.Targets
}

// instant is a copy of the state of the world at one time, with the tasks for the camera frames that were captured
// then.
type instant struct {
	snapshot physics.Snapshot
	targets  *sensors.Targets
	posesWB  []spatial.Pose // poses of all bodies; empty unless a task needs them for level features or an overlay
	tasks    []*task
	left     int // number of tasks that are not done; guarded by perceiver.mu
}

// task is a camera frame to be perceived, or an image whose overlay is to be computed.
type task struct {
	in          *instance
	obs         *sensors.Observation
	viewpoint   abstraction.Viewpoint
	view        render.View // set only for level features and overlays
	env         abstraction.Environment
	instant     *instant
	submitted   bool
	done        atomic.Bool
	offSchedule bool
	cost        time.Duration        // wall time that the task took; 0 if not measured
	parts       sensors.OverlayParts // parts of an image's Overlay to compute; 0 if the task is to perceive the frame
	err         error
}

func (p *perceiver) init(cfg *Config) {
	p.changed.L = &p.mu
	p.noWorker = cfg.NoWorker
	p.targets = cfg.Targets
	p.labelers.init(cfg)
	p.contours.init(cfg)
}

// restart prepares the perceiver for a restarted world. The caller must have called drain. The argument anotherScene is
// true if the restarted world has another scene.
func (p *perceiver) restart(cfg *Config, anotherScene bool) {
	p.targets, p.instants = cfg.Targets, nil
	if anotherScene {
		p.labelers, p.contours = labelers{}, contours{}
		p.labelers.init(cfg)
		p.contours.init(cfg)
	}
}

// newInstant returns an instant with a copy of the present state and without tasks. If the tasks of an earlier instant
// are all done, it reuses that instant's memory.
func (p *perceiver) newInstant(now *physics.Snapshot) *instant {
	p.mu.Lock()
	defer p.mu.Unlock()
	var s *instant
	for i, done := range p.instants {
		if done.left == 0 {
			s = done
			p.instants = append(p.instants[:i], p.instants[i+1:]...)
			break
		}
	}
	if s == nil {
		s = &instant{targets: p.targets.Clone()}
	}
	p.instants = append(p.instants, s)
	now.CopyTo(&s.snapshot)
	s.targets.SetLight(p.targets.Light())
	s.posesWB, s.tasks = s.posesWB[:0], s.tasks[:0]
	return s
}

// add adds a task to the instant. The perceiver's method submit then queues the tasks of the instant.
func (s *instant) add(t *task) {
	t.submitted = true
	s.tasks = append(s.tasks, t)
}

// submit queues the tasks of an instant for the worker. Without a worker it runs them.
func (p *perceiver) submit(s *instant) {
	if p.noWorker {
		for _, t := range s.tasks {
			p.perceive(t)
			t.done.Store(true)
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.started {
		p.started = true
		p.worker.Go(p.work)
	}
	s.left = len(s.tasks)
	// remove the started tasks, because the queue would otherwise grow as long as tasks are in flight
	if 2*p.head >= len(p.queue) {
		p.queue, p.head = p.queue[:copy(p.queue, p.queue[p.head:])], 0
	}
	p.queue = append(p.queue, s.tasks...)
	p.wake()
}

// wake wakes the goroutines that wait for a change. The caller must hold mu.
func (p *perceiver) wake() {
	p.version.Add(1)
	if p.sleeping > 0 {
		p.changed.Broadcast()
	}
}

// spins is the number of times that a goroutine polls for a change before it sleeps. Polling that often takes about 100
// µs. At full speed the next tasks usually arrive within that time, and waking a sleeping goroutine costs as much as a
// step. Without polling, a simulation of ten robots at level objects runs 8 % slower.
const spins = 2000

// wait waits for a change of the queue or of a task. It may also return without a change. The caller must hold mu,
// which wait unlocks while it waits.
func (p *perceiver) wait() {
	version := p.version.Load()
	p.mu.Unlock()
	for i := 0; i < spins && p.version.Load() == version; i++ {
		runtime.Gosched()
	}
	p.mu.Lock()
	if p.version.Load() == version {
		p.sleeping++
		p.changed.Wait()
		p.sleeping--
	}
}

// work runs tasks until the perceiver is closed.
func (p *perceiver) work() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		if !p.doNext() {
			p.wait()
		}
	}
}

// finish returns when the given task is done. While it waits, it runs other tasks of the queue. If the given task was
// not submitted, finish runs it at once.
func (p *perceiver) finish(t *task) {
	if !t.submitted { // the camera's preceding frames were delivered, so they are done
		p.perceive(t)
		return
	}
	if t.done.Load() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for !t.done.Load() {
		if !p.doNext() {
			p.wait()
		}
	}
}

// drain returns when all submitted tasks are done. While it waits, it runs tasks of the queue.
func (p *perceiver) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.instants {
		for s.left > 0 {
			if !p.doNext() {
				p.wait()
			}
		}
	}
}

// doNext runs the first queued task whose camera has no task in progress. If there is no such task, doNext returns
// false. The tasks of one camera run in the order of capture, because perception depends on the camera's earlier
// frames. The caller must hold mu, which doNext unlocks while the task runs.
func (p *perceiver) doNext() bool {
	for i := p.head; i < len(p.queue); i++ {
		t := p.queue[i]
		if t.in.perceiving {
			continue
		}
		copy(p.queue[p.head+1:i+1], p.queue[p.head:i])
		p.head++
		t.in.perceiving = true
		p.mu.Unlock()
		p.perceive(t)
		p.mu.Lock()
		t.in.perceiving = false
		t.done.Store(true)
		t.instant.left--
		p.wake()
		return true
	}
	return false
}

// perceive runs a task. The worker or the goroutine that steps calls it. If the task fails, perceive sets the task's
// err.
func (p *perceiver) perceive(t *task) {
	var err error
	if begun := p.now(); begun > 0 && !t.offSchedule {
		defer func() { t.cost = p.now() - begun }()
	}
	views := p.views.get()
	if views == nil {
		views = &abstraction.TargetViews{}
	}
	defer p.views.put(views)
	t.viewpoint.Views = views
	switch {
	case t.parts != 0:
		err = p.overlay(t)
	case t.obs.Level != abstraction.Features:
		t.in.camera.Perceive(&t.viewpoint, &t.env, nil, t.obs, t.offSchedule)
	case t.in.cfg.Vision.FeaturesFromPixels:
		var l *labeler
		if l, err = p.labelers.take(); err == nil {
			t.in.camera.Perceive(&t.viewpoint, &t.env, p.labelers.label(t, l), t.obs, t.offSchedule)
			p.labelers.idle.put(l)
		}
	default:
		image := p.contours.take()
		if err = p.draw(t, image, p.contours.scene, t.in.cfg.Vision.MaxRange); err == nil {
			t.in.camera.Perceive(&t.viewpoint, &t.env, image, t.obs, t.offSchedule)
		}
		p.contours.idle.put(image)
	}
	if err != nil {
		t.err = fmt.Errorf("%s.%s at %v: %w", t.obs.Robot, t.obs.Sensor, t.obs.Stamp, err)
	}
}

// close stops the worker, and returns after the worker has finished its present task.
func (p *perceiver) close() {
	p.mu.Lock()
	p.closed = true
	p.wake()
	p.mu.Unlock()
	p.worker.Wait()
}
