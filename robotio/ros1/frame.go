package ros1

import (
	"sync"
	"sync/atomic"
)

// frame is one message on its way to several subscribers: head holds the length and the encoded bytes, tail what
// follows without having been copied. Whoever holds a frame holds one of its references.
type frame struct {
	head    []byte
	tail    []byte
	release func() // called when the last reference is dropped; may be nil
	refs    atomic.Int32
	home    *framePool
}

// size is the number of bytes on the wire.
func (f *frame) size() int { return len(f.head) + len(f.tail) }

func (f *frame) drop() {
	if f.refs.Add(-1) > 0 {
		return
	}
	release := f.release
	f.tail, f.release = nil, nil
	f.home.put(f)
	if release != nil {
		release()
	}
}

// framePool keeps frames and their buffers for reuse.
type framePool struct {
	mu   sync.Mutex
	free []*frame
}

// maxFree bounds the frames kept for reuse: some queues' worth.
const maxFree = 64

// get returns a frame with an empty head of four bytes, the message's length to come.
func (p *framePool) get() *frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		f := p.free[n-1]
		p.free = p.free[:n-1]
		f.head = f.head[:4]
		return f
	}
	return &frame{head: make([]byte, 4, 256), home: p}
}

func (p *framePool) put(f *frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxFree {
		p.free = append(p.free, f)
	}
}
