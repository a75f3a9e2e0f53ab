package recording

import (
	"errors"
	"math"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// errSlow is returned when space has not become free in time.
var errSlow = errors.New("the disk is too slow")

// errClosed is returned when the budget is closed.
var errClosed = errors.New("closed")

// forever is the patience of callers that wait without a limit.
const forever = time.Duration(math.MaxInt64)

// budget limits the number of bytes in a queue. A caller that needs more bytes than are free waits.
type budget struct {
	wall     timesync.Wall
	patience time.Duration
	limit    int

	mu     sync.Mutex
	room   sync.Cond // wakes callers when bytes are released, at every tick, for the next caller in turn, and on close
	used   int
	closed bool

	// number of calls of acquire that have begun, and that have ended: they end in the order in which they began
	calls, served uint64
}

func (b *budget) init(o Options) {
	b.wall, b.patience, b.limit = o.Wall, o.Patience, o.Queue
	b.room.L = &b.mu
}

// acquire waits until n more bytes are free, and takes them. If no bytes are in use, any n is accepted. acquire returns
// errClosed if the budget is closed, and errSlow if it has waited longer than the patience. The caller holds b.mu.
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

// serve ends a call of acquire, so that the next call in turn continues.
func (b *budget) serve() {
	if b.served++; b.served < b.calls {
		b.room.Broadcast()
	}
}

// release makes n bytes free again.
func (b *budget) release(n int) {
	b.mu.Lock()
	b.used -= n
	b.mu.Unlock()
	b.room.Broadcast()
}

// close makes all calls of acquire return an error from now on.
func (b *budget) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.room.Broadcast()
}
