package recording

import (
	"errors"
	"math"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// errSlow says that there was no room in time.
var errSlow = errors.New("the disk is too slow")

// errClosed says that nothing is taken any more.
var errClosed = errors.New("closed")

// forever is a patience without end.
const forever = time.Duration(math.MaxInt64)

// budget bounds bytes that wait for somebody.
type budget struct {
	wall     timesync.Wall
	patience time.Duration
	limit    int

	mu     sync.Mutex
	room   sync.Cond // signalled when bytes were released, at every tick, when it is another's turn, and on close
	used   int
	closed bool

	calls, served uint64 // of acquire: who comes first is served first
}

func (b *budget) init(o Options) {
	b.wall, b.patience, b.limit = o.Wall, o.Patience, o.Queue
	b.room.L = &b.mu
}

// acquire waits for room for n bytes, which there is at any rate in an empty budget; b.mu is held. It fails with
// errClosed, or with errSlow when patience has ended.
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

// release gives bytes back.
func (b *budget) release(n int) {
	b.mu.Lock()
	b.used -= n
	b.mu.Unlock()
	b.room.Broadcast()
}

// close has acquire fail from now on.
func (b *budget) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.room.Broadcast()
}
