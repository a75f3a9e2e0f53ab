package recording

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
)

// queue is the queue of messages for the file. It stores the messages one after the other in blocks. The memory of the
// blocks is used again.
type queue struct {
	budget
	blocks [][]byte      // blocks with messages, oldest first; the last block is being filled. mu guards these fields.
	spare  [][]byte      // the list that take swaps with blocks
	free   [][]byte      // empty blocks
	wake   chan struct{} // receives a value when a block is full
}

// blockSize is the maximum size of a block that holds several messages, in bytes. It is a guess: the block fits into
// the cache of the processor, and the file's goroutine is rarely woken.
const blockSize = 256 << 10

// headSize is the size of the fields of a message before its data, in bytes: channel, log time, publish time and
// length.
const headSize = 4 + 8 + 8 + 4

var le = binary.LittleEndian

func (q *queue) init(o Options) {
	q.budget.init(o)
	q.wake = make(chan struct{}, 1)
}

// message is a message of a channel.
type message struct {
	channel              uint32
	logTime, publishTime time.Duration
	data                 []byte
}

// put copies a message into the queue. It returns an error in the same cases as budget.acquire.
func (q *queue) put(m message) error {
	n := headSize + len(m.data)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.used+n > q.limit {
		q.signal() // the goroutine that writes the file will make space
	}
	if err := q.acquire(n); err != nil {
		return err
	}
	last := len(q.blocks) - 1
	if last < 0 || cap(q.blocks[last])-len(q.blocks[last]) < n {
		if last >= 0 {
			q.signal()
		}
		q.blocks = append(q.blocks, q.block(n))
		last++
	}
	b := le.AppendUint32(q.blocks[last], m.channel)
	b = le.AppendUint64(b, uint64(m.logTime))
	b = le.AppendUint64(b, uint64(m.publishTime))
	b = le.AppendUint32(b, uint32(len(m.data)))
	q.blocks[last] = append(b, m.data...)
	return nil
}

// signal wakes the goroutine that writes the file.
func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// block returns an empty block with space for at least n bytes. The caller holds q.mu.
func (q *queue) block(n int) []byte {
	for i, b := range q.free {
		if cap(b) >= n {
			last := len(q.free) - 1
			q.free[i], q.free[last] = q.free[last], nil
			q.free = q.free[:last]
			return b
		}
	}
	return make([]byte, 0, max(n, blockSize))
}

// take removes the filled blocks from the queue and returns them. After writing a block, the caller must return it with
// giveBack, in the same order.
func (q *queue) take() [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.blocks
	q.blocks, q.spare = q.spare[:0], all
	return all
}

// giveBack frees a block that has been written.
func (q *queue) giveBack(b []byte) {
	q.mu.Lock()
	kept := cap(b)
	for _, f := range q.free {
		kept += cap(f)
	}
	if kept <= q.limit {
		q.free = append(q.free, b[:0])
	}
	q.mu.Unlock()
	q.release(len(b))
}

// next returns the first message in a block, and the rest of the block after this message.
func next(block []byte) (m message, rest []byte) {
	end := headSize + int(le.Uint32(block[20:]))
	return message{le.Uint32(block), time.Duration(le.Uint64(block[4:])), time.Duration(le.Uint64(block[12:])),
		block[headSize:end]}, block[end:]
}

// errSlow means that the queue was full for longer than the patience.
var errSlow = errors.New("the disk is too slow")

// errClosed means that the budget was closed.
var errClosed = errors.New("closed")

// forever is the patience of callers that wait without a limit.
const forever = time.Duration(math.MaxInt64)

// budget limits the number of bytes in a queue. A caller waits until enough bytes are free.
type budget struct {
	wall     timesync.Wall
	patience time.Duration
	limit    int

	mu sync.Mutex
	// wakes the waiting callers: when bytes are released, at every tick, when it is the turn of the next caller, and on
	// close
	room   sync.Cond
	used   int
	closed bool

	// number of calls of acquire that have begun, and number that have ended; calls end in the order in which they
	// began
	calls, served uint64
}

func (b *budget) init(o Options) {
	b.wall, b.patience, b.limit = o.Wall, o.Patience, o.Queue
	b.room.L = &b.mu
}

// acquire waits until n bytes are free, and reserves them. If no bytes are in use, acquire accepts any n. It returns
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
