package pipeline

import (
	"fmt"
	"sync"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/sensors"
)

// perceiver fills the observations of cameras at levels without images beside the physics: one worker, and the goroutine that steps when it
// needs an observation that is not there yet. Which of the two fills it does not show in it.
type perceiver struct {
	mu       sync.Mutex
	changed  sync.Cond // a task was added or is done, or the end has come
	queue    []*task   // that nobody has begun, in the order of capture
	closed   bool
	worker   sync.WaitGroup
	started  bool
	labelers labelers
	states   []*state // used anew once all their tasks are done; they belong to the goroutine that steps
	targets  *sensors.Targets
}

// task is a camera's frame that is to be perceived.
type task struct {
	in          *instance
	obs         *sensors.Observation
	viewpoint   abstraction.Viewpoint
	view        render.View // for labels, at level features
	env         abstraction.Environment
	state       *state
	offSchedule bool
	done        bool
	err         error
}

// state is a state of the world that tasks perceive.
type state struct {
	snapshot physics.Snapshot
	targets  *sensors.Targets
	posesWB  []spatial.Pose // of all bodies; empty unless a task needs labels
	tasks    int            // not done
}

func (p *perceiver) init(cfg *Config) {
	p.changed.L = &p.mu
	p.targets = cfg.Targets
	p.labelers.init(cfg)
}

// state returns a copy of the present state, in memory that no task needs any more.
func (p *perceiver) state(now *physics.Snapshot) *state {
	p.mu.Lock()
	defer p.mu.Unlock()
	var m *state
	for i, idle := range p.states {
		if idle.tasks == 0 {
			m = idle
			p.states = append(p.states[:i], p.states[i+1:]...)
			break
		}
	}
	if m == nil {
		m = &state{targets: p.targets.Clone()}
	}
	p.states = append(p.states, m)
	now.CopyTo(&m.snapshot)
	m.targets.Invalidate()
	m.posesWB = m.posesWB[:0]
	return m
}

// submit adds tasks.
func (p *perceiver) submit(tasks []*task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.started {
		p.started = true
		p.worker.Go(p.work)
	}
	for _, t := range tasks {
		t.state.tasks++
	}
	p.queue = append(p.queue, tasks...)
	p.changed.Broadcast()
}

// work does tasks until the end.
func (p *perceiver) work() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		if !p.doNext() {
			p.changed.Wait()
		}
	}
}

// finish returns when a task is done, and does those before it that nobody has begun.
func (p *perceiver) finish(t *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !t.done {
		if !p.doNext() {
			p.changed.Wait()
		}
	}
}

// drain returns when all tasks are done.
func (p *perceiver) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.states {
		for s.tasks > 0 {
			if !p.doNext() {
				p.changed.Wait()
			}
		}
	}
}

// doNext does the first task whose camera is not at another, and returns false if there is none: what a camera perceives depends on what it
// perceived before. It unlocks mu meanwhile.
func (p *perceiver) doNext() bool {
	for i, t := range p.queue {
		if t.in.perceiving {
			continue
		}
		p.queue = append(p.queue[:i], p.queue[i+1:]...)
		t.in.perceiving = true
		p.mu.Unlock()
		p.perceive(t)
		p.mu.Lock()
		t.in.perceiving, t.done = false, true
		t.state.tasks--
		p.changed.Broadcast()
		return true
	}
	return false
}

func (p *perceiver) perceive(t *task) {
	if t.obs.Level != abstraction.Features {
		t.in.camera.Perceive(&t.viewpoint, &t.env, nil, t.obs, t.offSchedule)
	} else if l, err := p.labelers.take(); err != nil {
		t.err = fmt.Errorf("%s.%s at %v: %w", t.obs.Robot, t.obs.Sensor, t.obs.Stamp, err)
	} else {
		t.in.camera.Perceive(&t.viewpoint, &t.env, p.labelers.label(t, l), t.obs, t.offSchedule)
		p.labelers.idle.put(l)
	}
}

func (p *perceiver) close() {
	p.mu.Lock()
	p.closed = true
	p.changed.Broadcast()
	p.mu.Unlock()
	p.worker.Wait()
}
