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
	room   sync.Cond // signalled when bytes were released, at every tick, and on close
	used   int
	closed bool
}

func (b *budget) init(o Options) {
	b.wall, b.patience, b.limit = o.Wall, o.Patience, o.Queue
	b.room.L = &b.mu
}

// acquire waits for room for n bytes, which there is at any rate in an empty budget; b.mu is held. It fails with errClosed, or with
// errSlow when patience has ended.
func (b *budget) acquire(n int) error {
	if fits := b.used == 0 || b.used+n <= b.limit; !fits && !b.closed {
		for since := b.wall.Now(); b.used > 0 && b.used+n > b.limit && !b.closed; b.room.Wait() {
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
