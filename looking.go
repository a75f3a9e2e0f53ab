package omnipitch

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/sensors"
)

// looking sees for cameras at levels without pictures, beside the physics: a helper begins at once with what is submitted, and the
// goroutine that steps takes its share when frames are due that are not seen yet. Who sees a frame does not show in it.
type looking struct {
	mu      sync.Mutex
	waiting sync.Cond
	queue   []*look // in the order of capture, from head on
	head    int
	closed  bool
	helper  sync.WaitGroup
	started bool

	moments []*moment // idle; they belong to the goroutine that steps
}

// look is a camera's frame that is to be seen.
type look struct {
	in     *instance
	obs    *sensors.Observation
	eye    abstraction.Eye
	scene  abstraction.Scene
	moment *moment
	beside bool
	turn   uint64 // which of its camera's looks it is: one follows the other
	seen   atomic.Bool
}

// moment is the state of the world that looks see.
type moment struct {
	truth  physics.Snapshot
	around *sensors.Surroundings
	looks  atomic.Int32 // not seen yet
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
	s.engine.Snapshot(&m.truth)
	m.around.Forget()
	return m
}

// submit has looks seen.
func (l *looking) submit(looks []*look) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.started {
		l.started = true
		l.waiting.L = &l.mu
		l.helper.Go(l.help)
	}
	if l.head == len(l.queue) {
		l.queue, l.head = l.queue[:0], 0
	}
	l.queue = append(l.queue, looks...)
	l.waiting.Signal()
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
	return k
}

// help sees until the end.
func (l *looking) help() {
	for {
		l.mu.Lock()
		k := l.pop()
		for k == nil && !l.closed {
			l.waiting.Wait()
			k = l.pop()
		}
		l.mu.Unlock()
		if k == nil {
			return
		}
		k.see()
	}
}

// finish returns when a look is seen; until then it sees others that come first.
func (l *looking) finish(k *look) {
	for !k.seen.Load() {
		if other := l.next(); other != nil {
			other.see()
		} else {
			runtime.Gosched() // the helper is at it
		}
	}
}

// drain returns when all looks are seen.
func (l *looking) drain() {
	for {
		k := l.next()
		if k == nil {
			break
		}
		k.see()
	}
	for _, m := range l.moments {
		for m.looks.Load() > 0 {
			runtime.Gosched()
		}
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

func (k *look) see() {
	for k.in.looked.Load() != k.turn { // the one before has begun, elsewhere
		runtime.Gosched()
	}
	k.in.eyes.See(&k.eye, &k.scene, k.obs, k.beside)
	k.in.looked.Add(1)
	k.moment.looks.Add(-1)
	k.seen.Store(true)
}
