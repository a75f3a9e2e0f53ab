package recording

import (
	"encoding/binary"
	"time"
)

// queue holds messages on their way to the file, one behind the other in blocks that are used again.
type queue struct {
	budget
	blocks [][]byte      // what waits, oldest first; the last one is being filled. Guarded by mu, like those below.
	spare  [][]byte      // the list that blocks is when it was taken last
	free   [][]byte      // empty blocks
	wake   chan struct{} // holds a token when a block is full
}

// blockSize bounds a block of several messages, bytes. A guess: few enough to fill the cache, enough to wake the file's
// goroutine seldom.
const blockSize = 256 << 10

// headSize is what stands before a message's data in a block: channel, log time, publish time and length.
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

// put copies a message into the queue. It fails as budget.acquire does.
func (q *queue) put(m message) error {
	n := headSize + len(m.data)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.used+n > q.limit {
		q.signal() // before waiting for the one who makes room
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

// signal wakes the file's goroutine.
func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// block returns an empty block with room for n bytes; q.mu is held.
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

// take returns what waits; the caller gives back each block, in order, when it has been written.
func (q *queue) take() [][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.blocks
	q.blocks, q.spare = q.spare[:0], all
	return all
}

// giveBack makes room: a block has been written.
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

// next splits the first message off a block.
func next(block []byte) (m message, rest []byte) {
	end := headSize + int(le.Uint32(block[20:]))
	return message{le.Uint32(block), time.Duration(le.Uint64(block[4:])), time.Duration(le.Uint64(block[12:])),
		block[headSize:end]}, block[end:]
}
