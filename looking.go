package omnipitch

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

// looking sees for cameras at levels without pictures, beside the physics: a helper begins at once with what is submitted, and the
// goroutine that steps takes its share when frames are due that are not seen yet. Who sees a frame does not show in it.
type looking struct {
	mu      sync.Mutex
	waiting sync.Cond
	queue   []*look // in the order of capture, from head on
	head    int
	queued  atomic.Int32 // len(queue) − head, to be looked at without the lock
	asleep  bool         // the helper waits
	closed  bool
	seen    sync.Cond    // broadcast after each look while
	awaited atomic.Int32 // somebody waits for it
	helper  sync.WaitGroup
	started bool

	labelers labelers
	moments  []*moment // used anew once all their looks are seen; they belong to the goroutine that steps
}

// look is a camera's frame that is to be seen.
type look struct {
	in     *instance
	obs    *sensors.Observation
	eye    abstraction.Viewpoint
	view   render.View // for labels, at level features
	scene  abstraction.Environment
	moment *moment
	beside bool
	turn   uint64 // which of its camera's looks it is: one follows the other
	seen   atomic.Bool
	err    error // set before seen
}

// moment is the state of the world that looks see.
type moment struct {
	truth   physics.Snapshot
	around  *sensors.Targets
	posesWB []spatial.Pose // of all bodies; empty unless a look needs labels
	looks   atomic.Int32   // not seen yet
}

// moment returns the present state, in memory that no look needs any more.
func (l *looking) moment(s *Sim) *moment {
	var m *moment
	for i, idle := range l.moments {
		if idle.looks.Load() == 0 {
			m = idle
			l.moments = append(l.moments[:i], l.moments[i+1:]...)
			break
		}
	}
	if m == nil {
		m = &moment{around: s.around.Clone()}
	}
	l.moments = append(l.moments, m)
	s.truth.CopyTo(&m.truth)
	m.around.Invalidate()
	m.posesWB = m.posesWB[:0]
	return m
}

// submit has looks seen.
func (l *looking) submit(looks []*look) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.started {
		l.started = true
		l.waiting.L, l.seen.L = &l.mu, &l.mu
		l.helper.Go(l.help)
	}
	if 2*l.head >= len(l.queue) { // else what is in flight would push the queue on for ever
		l.queue, l.head = l.queue[:copy(l.queue, l.queue[l.head:])], 0
	}
	l.queue = append(l.queue, looks...)
	l.queued.Store(int32(len(l.queue) - l.head))
	if l.asleep {
		l.asleep = false
		l.waiting.Signal()
	}
}

// next takes the first look of the queue, or returns nil.
func (l *looking) next() *look {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pop()
}

func (l *looking) pop() *look {
	if l.head == len(l.queue) {
		return nil
	}
	k := l.queue[l.head]
	l.head++
	l.queued.Store(int32(len(l.queue) - l.head))
	return k
}

// help sees until the end.
func (l *looking) help() {
	alone := runtime.GOMAXPROCS(0) == 1
	for {
		k := l.next()
		if k == nil && !alone && l.watch() {
			k = l.next()
		}
		if k == nil {
			if k = l.sleep(); k == nil {
				return
			}
		}
		l.see(k)
	}
}

// watchful is how long the helper looks for more before it sleeps: as fast as the world goes, the next looks are submitted within it, and
// waking the helper costs the goroutine that steps as much as a step.
const watchful = 50 * time.Microsecond

// watch returns whether something was submitted meanwhile.
func (l *looking) watch() bool {
	for begun := time.Now(); time.Since(begun) < watchful; {
		for range 64 {
			if l.queued.Load() > 0 {
				return true
			}
		}
	}
	return false
}

// sleep waits for something to see; nil is the end.
func (l *looking) sleep() *look {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.pop()
	for k == nil && !l.closed {
		l.asleep = true
		l.waiting.Wait()
		k = l.pop()
	}
	return k
}

// finish returns when a look is seen; until then it sees others that come first.
func (l *looking) finish(k *look) {
	for !k.seen.Load() {
		if other := l.next(); other != nil {
			l.see(other)
		} else { // the helper is at it
			l.await(k.seen.Load)
		}
	}
}

// patience is how long a goroutine spins for another's look, which takes a few microseconds unless the machine has more to do: then the
// other needs the processor that this one holds.
const patience = 20 * time.Microsecond

// await returns once something is so that another goroutine's look brings about.
func (l *looking) await(so func() bool) {
	for begun := time.Now(); time.Since(begun) < patience; runtime.Gosched() {
		if so() {
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.awaited.Add(1)
	for !so() {
		l.seen.Wait()
	}
	l.awaited.Add(-1)
}

// drain returns when all looks are seen.
func (l *looking) drain() {
	for {
		k := l.next()
		if k == nil {
			break
		}
		l.see(k)
	}
	for _, m := range l.moments {
		l.await(func() bool { return m.looks.Load() == 0 })
	}
}

func (l *looking) close() {
	l.mu.Lock()
	l.closed = true
	if l.started {
		l.waiting.Broadcast()
	}
	l.mu.Unlock()
	l.helper.Wait()
}

func (l *looking) see(k *look) {
	if k.in.looked.Load() != k.turn { // the one before has begun, elsewhere
		l.await(func() bool { return k.in.looked.Load() == k.turn })
	}
	if k.obs.Level != abstraction.Features {
		k.in.camera.Perceive(&k.eye, &k.scene, nil, k.obs, k.beside)
	} else if b, err := l.labelers.take(); err != nil {
		k.err = fmt.Errorf("%s.%s at %v: %w", k.obs.Robot, k.obs.Sensor, k.obs.Stamp, err)
	} else {
		k.in.camera.Perceive(&k.eye, &k.scene, l.labelers.label(k, b), k.obs, k.beside)
		l.labelers.idle.put(b)
	}
	k.in.looked.Add(1)
	k.moment.looks.Add(-1)
	k.seen.Store(true)
	if l.awaited.Load() > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.seen.Broadcast()
	}
}
