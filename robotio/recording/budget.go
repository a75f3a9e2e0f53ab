package recording

import (
	"errors"
	"math"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// errSlow says that space did not become free in time.
var errSlow = errors.New("the disk is too slow")

// errClosed says that the budget is closed.
var errClosed = errors.New("closed")

// forever is a patience without limit.
const forever = time.Duration(math.MaxInt64)

// budget bounds the bytes in a queue. Callers that need more wait.
type budget struct {
	wall     timesync.Wall
	patience time.Duration
	limit    int

	mu     sync.Mutex
	room   sync.Cond // signalled when bytes are released, at every tick, for the next caller in turn, and on close
	used   int
	closed bool

	calls, served uint64 // number of calls of acquire that came and that are done: first come, first served
}

func (b *budget) init(o Options) {
	b.wall, b.patience, b.limit = o.Wall, o.Patience, o.Queue
	b.room.L = &b.mu
}

// acquire waits until n more bytes fit. An empty budget accepts any n. The caller holds b.mu. acquire fails with
// errClosed, or with errSlow after its patience.
func (b *budget) acquire(n int) error {
	turn := b.calls
	b.calls++
	defer b.serve()
	ready := func() bool { return turn == b.served && (b.used == 0 || b.used+n <= b.limit) || b.closed }
	if !ready() {
		for since := b.wall.Now(); !ready(); b.room.Wait() {
			if b.wall.Now()-since >= b.patience {
				return errSlow
			}
		}
	}
	if b.closed {
		return errClosed
	}
	b.used += n
	return nil
}

// serve ends a call of acquire.
func (b *budget) serve() {
	if b.served++; b.served < b.calls {
		b.room.Broadcast()
	}
}

// release frees bytes.
func (b *budget) release(n int) {
	b.mu.Lock()
	b.used -= n
	b.mu.Unlock()
	b.room.Broadcast()
}

// close makes acquire fail from now on.
func (b *budget) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.room.Broadcast()
}
