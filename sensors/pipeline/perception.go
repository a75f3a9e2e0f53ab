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

// perceiver fills the observations of cameras at levels without images beside the physics: one worker, and the
// goroutine that steps when it needs an observation that is not there yet. Without a worker that goroutine does each
// task at once. The result is the same whichever does it.
type perceiver struct {
	noWorker bool
	now      func() time.Duration // wall time, if the cost of frames is measured; else 0
	mu       sync.Mutex
	changed  sync.Cond // a task was added or is done, or the end has come
	queue    []*task   // in the order of capture, from head on those that nobody has begun
	head     int
	version  atomic.Int32 // of all that mu guards, to be compared without it
	sleeping int          // goroutines that wait for changed
	closed   bool
	worker   sync.WaitGroup
	started  bool
	labelers labelers
	contours contours
	instants []*instant // used anew once all their tasks are done; they belong to the goroutine that steps
	targets  *sensors.Targets
}

// instant is a state of the world, and the cameras' frames that are to be perceived of it.
type instant struct {
	snapshot physics.Snapshot
	targets  *sensors.Targets
	posesWB  []spatial.Pose // of all bodies; empty unless a task is at level features
	tasks    []*task
	left     int // tasks that are not done; perceiver.mu
}

// task is a camera's frame that is to be perceived.
type task struct {
	in          *instance
	obs         *sensors.Observation
	viewpoint   abstraction.Viewpoint
	view        render.View // for level features
	env         abstraction.Environment
	instant     *instant
	submitted   bool
	done        atomic.Bool
	offSchedule bool
	cost        time.Duration        // wall time that it took; 0: it was not measured
	parts       sensors.OverlayParts // of an image's Overlay that are to be computed; 0: it is to be perceived
	err         error
}

func (p *perceiver) init(cfg *Config) {
	p.changed.L = &p.mu
	p.noWorker = cfg.NoWorker
	p.targets = cfg.Targets
	p.labelers.init(cfg)
	p.contours.init(cfg)
}

// restart has what follows perceived in a world that has begun again, after drain; its scene may be another.
func (p *perceiver) restart(cfg *Config, anotherScene bool) {
	p.targets, p.instants = cfg.Targets, nil
	if anotherScene {
		p.labelers, p.contours = labelers{}, contours{}
		p.labelers.init(cfg)
		p.contours.init(cfg)
	}
}

// newInstant returns a copy of the present state without tasks, in memory that no task needs any more.
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

// add has a task done beside the physics, with its instant.
func (s *instant) add(t *task) {
	t.submitted = true
	s.tasks = append(s.tasks, t)
}

// submit has the tasks of an instant done.
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
	if 2*p.head >= len(p.queue) { // else what is in flight would push the queue on for ever
		p.queue, p.head = p.queue[:copy(p.queue, p.queue[p.head:])], 0
	}
	p.queue = append(p.queue, s.tasks...)
	p.wake()
}

// wake has goroutines look again that wait.
func (p *perceiver) wake() {
	p.version.Add(1)
	if p.sleeping > 0 {
		p.changed.Broadcast()
	}
}

// spins is how often a goroutine looks for a change before it sleeps, some 100 µs: as fast as the world goes, the next
// tasks come within it, and waking another goroutine costs as much as a step. Ten robots at objects are 8 % slower
// without.
const spins = 2000

// wait returns after a change, or sooner. It unlocks mu meanwhile.
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

// work does tasks until the end.
func (p *perceiver) work() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		if !p.doNext() {
			p.wait()
		}
	}
}

// finish returns when a task is done, and does those before it that nobody has begun.
func (p *perceiver) finish(t *task) {
	if !t.submitted { // the frames before it are done: they have been delivered
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

// drain returns when all tasks are done.
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

// doNext does the first task whose camera has no other task under way, and returns false if there is none: what a
// camera perceives depends on what it perceived before. It unlocks mu meanwhile.
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

func (p *perceiver) perceive(t *task) {
	var err error
	if begun := p.now(); begun > 0 && !t.offSchedule {
		defer func() { t.cost = p.now() - begun }()
	}
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

func (p *perceiver) close() {
	p.mu.Lock()
	p.closed = true
	p.wake()
	p.mu.Unlock()
	p.worker.Wait()
}
