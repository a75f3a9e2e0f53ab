package zenoh

import (
	"cmp"
	"encoding/binary"
	"sync"
	"time"
)

// buffers holds encoded messages that have been written, for their memory.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// send queues a message. It returns ErrFull if too many bytes wait and the message is not needed.
func (l *link) send(m *message, needed bool) error {
	buf := buffers.Get().(*[]byte)
	*buf = m.append((*buf)[:0])
	l.mu.Lock()
	defer l.mu.Unlock()
	if !needed && l.queued+len(*buf) > l.maxBytes {
		buffers.Put(buf)
		return ErrFull
	}
	l.queue, l.queued = append(l.queue, buf), l.queued+len(*buf)
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return nil
}

// goodbye is how long a link may still write what waits when the session ends. It is a guess.
const goodbye = 500 * time.Millisecond

// finish limits the time of the current write and of those that follow.
func (l *link) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = time.Now().Add(goodbye)
	_ = l.conn.SetWriteDeadline(l.end)
}

// write sends what is queued, and keep alives, until done is closed or an error occurs. At the end it says goodbye.
func (l *link) write(done <-chan struct{}, lease time.Duration) error {
	tick := time.NewTicker(lease / 4)
	defer tick.Stop()
	w := writer{l: l, lease: lease, start: -1}
	for {
		var err error
		select {
		case <-l.wake:
			err = w.flush()
		case <-tick.C:
			err = w.batch(transportKeepAlive)
		case <-done:
			return cmp.Or(w.flush(), w.batch(transportClose|flagSession, 0))
		}
		if err != nil {
			return err
		}
	}
}

// writer packs messages in batches and writes them to a link.
type writer struct {
	l     *link
	lease time.Duration
	queue []*[]byte // empty, for its memory
	buf   []byte
	start int // of the batch with the frame to which messages can be added, in buf; -1 for none
}

// minWrite is the number of bytes that a write gathers if enough wait. It is a guess.
const minWrite = 1 << 16

// flush writes all messages that wait.
func (w *writer) flush() error {
	w.l.mu.Lock()
	queue := w.l.queue
	w.l.queue = w.queue
	w.l.mu.Unlock()
	for _, m := range queue {
		if err := w.add(*m); err != nil {
			return err
		}
		w.l.mu.Lock()
		w.l.queued -= len(*m)
		w.l.mu.Unlock()
		buffers.Put(m)
	}
	clear(queue)
	w.queue = queue[:0]
	return w.drain()
}

// add packs a message: in the current frame, in a new one, or in fragments.
func (w *writer) add(m []byte) error {
	switch {
	case w.start >= 0 && len(w.buf)-w.start-2+len(m) <= w.l.batch:
		w.buf = append(w.buf, m...)
	case len(m)+maxHeader <= w.l.batch:
		w.begin(transportFrame | flagReliable)
		w.buf = append(w.buf, m...)
	default:
		return w.fragments(m)
	}
	if len(w.buf) < minWrite {
		return nil
	}
	return w.drain()
}

// maxHeader is the length of the longest header of a frame or fragment: its first byte, its number and an extension.
const maxHeader = 1 + 4 + 1

// begin starts a batch with a frame or a fragment.
func (w *writer) begin(header byte) {
	w.finish()
	w.start = len(w.buf)
	w.buf = appendUint(append(w.buf, 0, 0, header), uint64(w.l.sn))
	w.l.sn = (w.l.sn + 1) & sequenceMask
}

// finish sets the length of the current batch.
func (w *writer) finish() {
	if w.start >= 0 {
		binary.LittleEndian.PutUint16(w.buf[w.start:], uint16(len(w.buf)-w.start-2))
	}
	w.start = -1
}

func (w *writer) fragments(m []byte) error {
	for first := w.l.markers; len(m) > 0; first = false {
		n := min(len(m), w.l.batch-maxHeader)
		header := withMore(transportFragment|flagReliable, first)
		if n < len(m) {
			header |= flagMore
		}
		w.begin(header)
		if first {
			w.buf = append(w.buf, fragmentFirst)
		}
		w.buf = append(w.buf, m[:n]...)
		m = m[n:]
		w.finish()
		if len(w.buf) >= minWrite {
			if err := w.drain(); err != nil {
				return err
			}
		}
	}
	return nil
}

// batch writes a batch with a message that belongs to no frame.
func (w *writer) batch(message ...byte) error {
	w.finish()
	w.buf = append(append(w.buf, byte(len(message)), 0), message...)
	return w.drain()
}

// drain writes what is packed.
func (w *writer) drain() error {
	w.finish()
	if len(w.buf) == 0 {
		return nil
	}
	w.l.mu.Lock()
	if w.l.end.IsZero() {
		_ = w.l.conn.SetWriteDeadline(time.Now().Add(w.lease))
	}
	w.l.mu.Unlock()
	_, err := w.l.conn.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}
