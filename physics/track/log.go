package track

import (
	"sync/atomic"

	"github.com/omnipitch/omnipitch/physics"
)

// Log takes the states of a run and codes them, or hashes of them, beside it, in a goroutine of its own.
type Log struct {
	// ring holds states on their way: the goroutine that steps fills ring[written%room], and the other one codes
	// ring[coded%room].
	ring           [room]logged
	written, coded atomic.Uint64
	work           chan struct{} // there may be something to do
	space          chan struct{} // there may be space in the ring
	waiting        atomic.Bool   // somebody waits for space
	flush, closed  atomic.Bool
	done           chan struct{}

	// of the goroutine that codes:
	coder coder
	of    *Recorder // whose states the coder gets
	last  int64     // step of the newest of them
	err   error
}

// coder makes what a Log keeps of states.
type coder interface {
	// begin begins an episode.
	begin(model *physics.Model, episode int)
	// add adds a state, and tells whether what there is should go to the sink.
	add(s *physics.Snapshot, settled bool) (full bool, err error)
	// end gives what there is to the sink, if anything.
	end()
}

// logged is a state on its way.
type logged struct {
	state   physics.Snapshot
	settled bool // it came after Settle
	of      *Recorder
}

const (
	// room is how many states can be on their way: coding them takes a tenth of the time of their steps, and the
	// goroutine that codes may not get a processor for some milliseconds.
	room = 64
	// batch is how many states wait until the other goroutine is woken, which takes as long as coding one or two.
	batch = 16
	// BlockStates is how many states a Log's blocks have: half a second of steps of 5 ms. Half as many take 3 % more
	// room, twice as many 1 % less.
	BlockStates = 100
)

// NewLog returns a log, which calls sink with each block, from its own goroutine. The block is valid during the call.
// While sink works, room is limited: when it is used up, the goroutine that steps waits. The log knows no wall time:
// who wants all states of the last half second in sink calls Flush twice a second.
func NewLog(sink func(Header, []byte)) *Log { return newLog(&blockCoder{sink: sink}) }

// NewHashLog returns a log of hashes alone (physics.Snapshot.Hash): of each step's state, as it was observed. It calls
// sink as NewLog does, with those of the steps First to Last of the header.
func NewHashLog(sink func(Header, []uint64)) *Log { return newLog(&hashCoder{sink: sink}) }

func newLog(c coder) *Log {
	l := &Log{coder: c, work: make(chan struct{}, 1), space: make(chan struct{}, 1), done: make(chan struct{})}
	go l.run()
	return l
}

// Flush has the block that is open closed and given to sink soon, with the states of all steps of calls before but the
// newest. It may be called from any goroutine.
func (l *Log) Flush() {
	l.flush.Store(true)
	poke(l.work)
}

// Close has all states coded and given to sink, and waits for that; states that come later are left out. It returns why
// states are missing before, if any are. It may be called from any goroutine but sink's, and more than once.
func (l *Log) Close() error {
	l.closed.Store(true)
	poke(l.work)
	<-l.done
	return l.err
}

// put logs a state. It belongs to the goroutine that steps.
func (l *Log) put(s *physics.Snapshot, settled bool, of *Recorder) {
	n := l.written.Load()
	for n-l.coded.Load() == room {
		if !l.awaitSpace(n) {
			return
		}
	}
	if l.closed.Load() {
		return
	}
	to := &l.ring[n%room]
	s.CopyTo(&to.state)
	to.settled, to.of = settled, of
	l.written.Store(n + 1)
	if (n+1)%batch == 0 {
		poke(l.work)
	}
}

// awaitSpace waits until the ring may have space, and returns false when the log has been closed.
func (l *Log) awaitSpace(written uint64) bool {
	l.waiting.Store(true)
	if written-l.coded.Load() < room { // it has been made meanwhile, and perhaps nobody told
		return true
	}
	poke(l.work)
	select {
	case <-l.space:
		return true
	case <-l.done:
		return false
	}
}

// poke wakes who waits on a channel, or has it not wait when it does next.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (l *Log) run() {
	defer close(l.done)
	for range l.work {
		flush, closed := l.flush.Swap(false), l.closed.Load() // before the states, so that all of those are in
		for n := l.coded.Load(); n < l.due(n, closed); n++ {
			l.code(&l.ring[n%room])
			l.coded.Store(n + 1)
			if l.written.Load()-n <= room/2 && l.waiting.Swap(false) {
				poke(l.space)
			}
		}
		if flush || closed {
			l.coder.end()
		}
		if closed {
			return
		}
	}
}

// due returns up to which state, of those from the first on, there is to be coded: the newest step's states wait for
// the next step, or the end. As long as something may be placed in that step, a block that ended with it might have a
// state that nobody observed for the last one of a run that was killed then.
func (l *Log) due(first uint64, closed bool) uint64 {
	n := l.written.Load()
	if closed || n == first {
		return n
	}
	newest := &l.ring[(n-1)%room]
	for least := max(first, n-min(n, room/4)); n > least; n-- { // few enough to leave space to who waits for some
		if e := &l.ring[(n-1)%room]; e.of != newest.of || e.state.Step != newest.state.Step {
			break
		}
	}
	return n
}

func (l *Log) code(e *logged) {
	if e.of != l.of {
		l.coder.end()
		l.of = e.of
		l.coder.begin(e.of.model, e.of.episode)
	} else if e.state.Step > l.last+1 { // those between went elsewhere
		l.coder.end()
	}
	l.last = e.state.Step
	full, err := l.coder.add(&e.state, e.settled)
	if err != nil && l.err == nil {
		l.err = err
	}
	if full {
		l.coder.end()
	}
}

// blockCoder makes blocks.
type blockCoder struct {
	sink    func(Header, []byte)
	encoder *Encoder
}

func (c *blockCoder) begin(model *physics.Model, episode int) {
	c.encoder = NewEncoder(model, episode, BlockStates)
}

func (c *blockCoder) add(s *physics.Snapshot, settled bool) (full bool, err error) {
	return c.encoder.Add(s, settled)
}

func (c *blockCoder) end() {
	if c.encoder != nil && c.encoder.Len() > 0 {
		c.sink(c.encoder.Block())
	}
}

// hashCoder makes hashes.
type hashCoder struct {
	sink   func(Header, []uint64)
	header Header
	hashes []uint64
}

func (c *hashCoder) begin(_ *physics.Model, episode int) { c.header.Episode = episode }

func (c *hashCoder) add(s *physics.Snapshot, settled bool) (full bool, err error) {
	switch n := len(c.hashes); {
	case settled: // nobody observed it
		return false, nil
	case n > 0 && s.Step == c.header.Last: // something was placed
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

// end gives what there is. If something is placed yet in the last step, what follows begins with that step again.
func (c *hashCoder) end() {
	if len(c.hashes) > 0 {
		c.sink(c.header, c.hashes)
		c.hashes = c.hashes[:0]
	}
}
