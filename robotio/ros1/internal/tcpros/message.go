package tcpros

import (
	"sync"
	"sync/atomic"
)

// Message is an encoded message for several subscribers, with a count of references.
type Message struct {
	Head    []byte // length and encoded bytes
	Tail    []byte // rest of the message, not copied
	Release func() // called when the last reference is dropped; may be nil
	refs    atomic.Int32
	home    *Pool
}

// size returns the number of bytes on the wire.
func (m *Message) size() int { return len(m.Head) + len(m.Tail) }

// Hold adds n references.
func (m *Message) Hold(n int) { m.refs.Add(int32(n)) }

// Drop drops one reference. With the last one, the message returns to its pool.
func (m *Message) Drop() {
	if m.refs.Add(-1) > 0 {
		return
	}
	release := m.Release
	m.Tail, m.Release = nil, nil
	m.home.put(m)
	if release != nil {
		release()
	}
}

// Pool keeps messages and their buffers for reuse. The zero value is empty.
type Pool struct {
	mu   sync.Mutex
	free []*Message
}

// maxFree bounds the messages kept for reuse: as many as some queues hold.
const maxFree = 64

// Get returns a message with one reference. Its head has four bytes, for the length.
func (p *Pool) Get() *Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	var m *Message
	if n := len(p.free); n > 0 {
		m = p.free[n-1]
		p.free = p.free[:n-1]
		m.Head = m.Head[:4]
	} else {
		m = &Message{Head: make([]byte, 4, 256), home: p}
	}
	m.refs.Store(1)
	return m
}

func (p *Pool) put(m *Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxFree {
		p.free = append(p.free, m)
	}
}
