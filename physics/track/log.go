package track

import (
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Log receives the states of a run and codes them, or their hashes, in a goroutine of its own.
type Log struct {
	// ring is a queue. The goroutine that steps fills ring[written%ringSize], and the coding goroutine reads
	// ring[coded%ringSize].
	ring           [ringSize]logged
	written, coded atomic.Uint64
	work           chan struct{} // a value wakes the coding goroutine
	space          chan struct{} // a value wakes the goroutine that steps
	waiting        atomic.Bool   // the goroutine that steps waits for space
	flush, closed  atomic.Bool
	done           chan struct{}

	// Only the coding goroutine uses the following fields.
	collector collector
	source    *Recorder // the Recorder whose states the collector receives
	last      int64     // step of the newest state that the collector has received
	err       error
}

// collector makes blocks of states, or of hashes, and passes them to the sink.
type collector interface {
	// begin begins an episode.
	begin(model *physics.Model, episode int)
	// add adds a state, and reports whether the block is full.
	add(s *physics.Snapshot, settled bool) (full bool, err error)
	// end passes the block to the sink if the block is not empty.
	end()
}

// logged is a state in the queue.
type logged struct {
	state   physics.Snapshot
	settled bool // the state came after Settle
	source  *Recorder
}

const (
	// ringSize is the capacity of the queue in states. Coding takes a tenth of the time of stepping, but the coding
	// goroutine may not get a processor for some milliseconds.
	ringSize = 64
	// wakeEvery is the number of states after which the coding goroutine is woken. Waking it takes as long as coding
	// one or two states.
	wakeEvery = 16
	// BlockStates is the number of states in a Log's blocks: half a second of steps of 5 ms.
	BlockStates = 100
)

// NewLog returns a log that calls sink with each block, from its own goroutine. The block is valid during the call. If
// sink is slow and the queue fills, the goroutine that steps waits. The log does not use wall time: to bound the age of
// states that sink has not received, call Flush regularly.
func NewLog(sink func(Header, []byte)) *Log { return newLog(&blockCollector{sink: sink}) }

// NewHashLog returns a log of hashes (physics.Snapshot.Hash). It keeps one hash per step: the hash of the observed
// state. It calls sink as NewLog does, with the hashes of the steps First to Last of the header.
func NewHashLog(sink func(Header, []uint64)) *Log { return newLog(&hashCollector{sink: sink}) }

func newLog(c collector) *Log {
	l := &Log{collector: c, work: make(chan struct{}, 1), space: make(chan struct{}, 1), done: make(chan struct{})}
	go l.run()
	return l
}

// Flush makes the log pass its incomplete block to the sink soon. The sink then has the states of all steps before the
// newest step. Any goroutine may call Flush.
func (l *Log) Flush() {
	l.flush.Store(true)
	wake(l.work)
}

// Close codes all states, and returns when the sink has received them. Later states are ignored. Close returns the
// first error that made states go missing. Any goroutine may call it, also more than once, except the goroutine that
// calls the sink.
func (l *Log) Close() error {
	l.closed.Store(true)
	wake(l.work)
	<-l.done
	return l.err
}

// put queues a state. Only the goroutine that steps calls it.
func (l *Log) put(s *physics.Snapshot, settled bool, source *Recorder) {
	n := l.written.Load()
	for n-l.coded.Load() == ringSize {
		if !l.awaitSpace(n) {
			return
		}
	}
	if l.closed.Load() {
		return
	}
	to := &l.ring[n%ringSize]
	s.CopyTo(&to.state)
	to.settled, to.source = settled, source
	l.written.Store(n + 1)
	if (n+1)%wakeEvery == 0 {
		wake(l.work)
	}
}

// awaitSpace waits until the ring may have space, and returns false if the log is closed.
func (l *Log) awaitSpace(written uint64) bool {
	l.waiting.Store(true)
	// space may have appeared after put tested for it, and then nothing may be sent on l.space
	if written-l.coded.Load() < ringSize {
		return true
	}
	wake(l.work)
	select {
	case <-l.space:
		return true
	case <-l.done:
		return false
	}
}

// wake wakes the goroutine that waits on a channel. If no goroutine waits, the next wait on the channel returns at
// once.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (l *Log) run() {
	defer close(l.done)
	for range l.work {
		// Load these before the states: a flush includes all states that were put before Flush.
		flush, closed := l.flush.Swap(false), l.closed.Load()
		for n := l.coded.Load(); n < l.finished(n, closed); n++ {
			l.code(&l.ring[n%ringSize])
			l.coded.Store(n + 1)
			if l.written.Load()-n <= ringSize/2 && l.waiting.Swap(false) {
				wake(l.space)
			}
		}
		if flush || closed {
			l.collector.end()
		}
		if closed {
			return
		}
	}
}

// finished returns the index after the last queued state that can be coded now; the argument first is the index of the
// first queued state. The states of the newest step wait for the next step or for Close, because a body may still be
// placed in that step. Otherwise, if the run were killed at that time, the last state of the recording could be a state
// that nobody observed.
func (l *Log) finished(first uint64, closed bool) uint64 {
	n := l.written.Load()
	if closed || n == first {
		return n
	}
	newest := &l.ring[(n-1)%ringSize]
	least := max(first, n-min(n, ringSize/4)) // holds back at most a quarter of the ring
	for ; n > least; n-- {
		if e := &l.ring[(n-1)%ringSize]; e.source != newest.source || e.state.Step != newest.state.Step {
			break
		}
	}
	return n
}

func (l *Log) code(e *logged) {
	if e.source != l.source {
		l.collector.end()
		l.source = e.source
		l.collector.begin(e.source.model, e.source.episode)
	} else if e.state.Step > l.last+1 { // the states between these two went to another log
		l.collector.end()
	}
	l.last = e.state.Step
	full, err := l.collector.add(&e.state, e.settled)
	if err != nil && l.err == nil {
		l.err = err
	}
	if full {
		l.collector.end()
	}
}

// blockCollector collects blocks of exact states.
type blockCollector struct {
	sink    func(Header, []byte)
	encoder *Encoder
}

func (c *blockCollector) begin(model *physics.Model, episode int) {
	c.encoder = NewEncoder(model, episode, BlockStates)
}

func (c *blockCollector) add(s *physics.Snapshot, settled bool) (full bool, err error) {
	return c.encoder.Add(s, settled)
}

func (c *blockCollector) end() {
	if c.encoder != nil && c.encoder.Len() > 0 {
		c.sink(c.encoder.Block())
	}
}

// hashCollector collects hashes.
type hashCollector struct {
	sink   func(Header, []uint64)
	header Header
	hashes []uint64
}

func (c *hashCollector) begin(_ *physics.Model, episode int) { c.header.Episode = episode }

func (c *hashCollector) add(s *physics.Snapshot, settled bool) (full bool, err error) {
	switch n := len(c.hashes); {
	case settled: // nobody observed this state
		return false, nil
	case n > 0 && s.Step == c.header.Last: // a body was placed
		c.hashes[n-1] = s.Hash()
		return false, nil
	case n == 0:
		c.header.First, c.header.From = s.Step, s.Time
	}
	c.header.Last, c.header.To = s.Step, s.Time
	c.hashes = append(c.hashes, s.Hash())
	c.header.States = len(c.hashes)
	return c.header.States > BlockStates, nil
}

func (c *hashCollector) end() {
	if len(c.hashes) > 0 {
		c.sink(c.header, c.hashes)
		c.hashes = c.hashes[:0]
	}
}

// Recorder is an engine that wraps another engine and passes its states to a log. These are the states after each step
// and after bodies were placed, as the first call of Snapshot returns them.
type Recorder struct {
	physics.Engine
	model   *physics.Model
	episode int
	next    atomic.Pointer[Log] // the log for later steps
	log     *Log
	changed bool // the state is not logged yet
	settled bool
}

var _ physics.Settler = (*Recorder)(nil)

// NewRecorder returns a recorder that wraps an engine of a model. The engine must be at its start. The recorder's
// states are an episode of the log, with a higher index than the log's last episode. The log may be nil.
func NewRecorder(engine physics.Engine, model *physics.Model, episode int, log *Log) *Recorder {
	r := &Recorder{Engine: engine, model: model, episode: episode, log: log, changed: true}
	r.next.Store(log)
	return r
}

// To sends the states of later steps to another log. If the argument is nil, these states are sent to no log. All
// states of one step go to the same log. Any goroutine may call it.
func (r *Recorder) To(log *Log) { r.next.Store(log) }

// Step implements physics.Engine.
func (r *Recorder) Step(commands []physics.Command) error {
	err := r.Engine.Step(commands)
	if err == nil {
		r.log, r.changed, r.settled = r.next.Load(), true, false
	}
	return err
}

// Snapshot implements physics.Engine.
func (r *Recorder) Snapshot(s *physics.Snapshot) {
	r.Engine.Snapshot(s)
	if !r.changed {
		return
	}
	r.changed = false
	if r.log != nil {
		r.log.put(s, r.settled, r)
	}
}

// Settle implements physics.Settler.
func (r *Recorder) Settle() bool {
	changed := false
	if s, ok := r.Engine.(physics.Settler); ok {
		changed = s.Settle()
		r.changed = r.changed || changed
	}
	r.settled = !changed // otherwise the next state is the observed state
	return changed
}

// PlaceRobot implements physics.Engine.
func (r *Recorder) PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist) error {
	return r.placed(r.Engine.PlaceRobot(robot, poseWB, twistWBInW))
}

// PlaceObstacle implements physics.Engine.
func (r *Recorder) PlaceObstacle(obstacle int, poseWO spatial.Pose, twistWOInW spatial.Twist) error {
	return r.placed(r.Engine.PlaceObstacle(obstacle, poseWO, twistWOInW))
}

// PlaceBall implements physics.Engine.
func (r *Recorder) PlaceBall(posW mgl64.Vec3, twistInW spatial.Twist) error {
	return r.placed(r.Engine.PlaceBall(posW, twistInW))
}

func (r *Recorder) placed(err error) error {
	r.changed = r.changed || err == nil
	return err
}
