package ros1

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// link is one subscriber's connection to a topic that we publish. Its queue is a ring of frames that drops the
// oldest when full; one goroutine writes, one notices that the peer has gone. A large frame that finds nothing
// before it is written by its publisher as far as the socket takes it, see directBytes.
type link struct {
	id    int
	topic string // that it is a connection to
	peer  string // the subscriber's name
	conn  *net.TCPConn
	turns atomic.Pointer[Turns] // that it takes part in, or nil

	mu    sync.Mutex
	ring  []*frame
	first int  // the oldest frame's place in ring
	n     int  // frames in ring
	busy  bool // a frame is being written
	dead  bool
	rest  *frame // begun by its publisher; the goroutine writes what is left
	begun int    // bytes of rest that are written

	wake chan struct{} // holds one token when there may be work
	gone chan struct{} // closed when the connection is over

	direct               direct
	bufs                 net.Buffers
	vec                  [2][]byte
	sent, bytes, dropped atomic.Int64

	acked   int64     // bytes that the peer's machine has taken, as watchLinks saw it last
	moved   time.Time // when that changed, or nothing waited; both are watchLinks's
	stalled atomic.Bool
}

// stallTime is how long a subscriber may take nothing of what waits for it until others have its place before it. Wall
// time; a guess, above any pause of a robot's program.
const stallTime = 2 * time.Second

// note says how far a connection was at a moment. A peer that takes nothing and whose machine has said nothing since is
// out of reach, and not stalled.
func (l *link) note(s sendState, now time.Time) {
	if !s.waiting || s.acked != l.acked || l.moved.IsZero() {
		l.acked, l.moved = s.acked, now
	}
	since := now.Sub(l.moved)
	l.stalled.Store(since >= stallTime && s.quiet < since)
}

func newLink(id int, peer string, conn *net.TCPConn, depth int) *link {
	l := &link{id: id, peer: peer, conn: conn, ring: make([]*frame, depth),
		wake: make(chan struct{}, 1), gone: make(chan struct{})}
	l.direct.open(conn)
	return l
}

// claim says whether the caller is to write a frame himself, by start, because nothing is before it.
func (l *link) claim() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead || l.busy || l.n > 0 || l.rest != nil || !l.direct.ok() {
		return false
	}
	l.busy = true
	return true
}

// start writes as much of f as the socket takes at once, after claim, and leaves the rest to the goroutine.
func (l *link) start(f *frame) {
	n, err := l.direct.write(f)
	l.bytes.Add(int64(n))
	l.mu.Lock()
	l.busy = false
	left := err == nil && n < f.size() && !l.dead
	if left {
		l.rest, l.begun = f, n
	}
	if left || l.n > 0 {
		l.poke()
	}
	l.mu.Unlock()
	switch {
	case left:
		return
	case err != nil:
		l.conn.Close() // what watches and writes will notice
	case n == f.size():
		l.sent.Add(1)
	}
	f.drop()
}

// push queues f and returns the frame that is to be dropped instead: the oldest, f itself where the link is
// over, or nil. It never waits.
func (l *link) push(f *frame) (out *frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return f
	}
	if l.n == len(l.ring) {
		out = l.pop()
		l.dropped.Add(1)
	}
	l.ring[(l.first+l.n)%len(l.ring)] = f
	l.n++
	if !l.busy {
		l.poke()
	}
	return out
}

// poke lets the goroutine look for work.
func (l *link) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// pop returns the oldest frame, or nil; the caller holds mu.
func (l *link) pop() *frame {
	if l.n == 0 {
		return nil
	}
	f := l.ring[l.first]
	l.ring[l.first] = nil
	l.first = (l.first + 1) % len(l.ring)
	l.n--
	return f
}

// next returns what the goroutine is to write, and how many bytes of it are written, or nil.
func (l *link) next() (f *frame, begun int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if f, begun = l.rest, l.begun; f != nil {
		l.rest, l.begun = nil, 0
	} else if !l.busy { // else start pokes
		f = l.pop()
	}
	l.busy = l.busy || f != nil
	return f, begun
}

// written says that the goroutine is done with a frame.
func (l *link) written() {
	l.mu.Lock()
	l.busy = false
	l.mu.Unlock()
}

// write sends frames until the connection ends, then drops what is queued.
func (l *link) write() {
	for {
		f, begun := l.next()
		if f == nil {
			select {
			case <-l.wake:
				continue
			case <-l.gone:
			}
			break
		}
		err := l.send(f, begun)
		l.written()
		f.drop()
		if err != nil {
			break
		}
	}
	l.mu.Lock()
	l.dead, l.busy = true, false // a publisher who is writing looks at dead
	l.mu.Unlock()
	for f, _ := l.next(); f != nil; f, _ = l.next() {
		l.written()
		f.drop()
	}
}

// send writes one frame but for the bytes that are written: head and tail by one system call, neither copied in this
// process.
func (l *link) send(f *frame, begun int) error {
	l.vec[0], l.vec[1] = f.head[min(begun, len(f.head)):], f.tail[max(begun-len(f.head), 0):]
	l.bufs = l.vec[:]
	n, err := l.bufs.WriteTo(l.conn)
	l.vec[0], l.vec[1] = nil, nil
	l.bytes.Add(n)
	if err == nil {
		l.sent.Add(1)
	}
	return err
}

// watch returns when the peer has closed the connection or sent anything, which no subscriber does.
func (l *link) watch() {
	var b [1]byte
	_, _ = l.conn.Read(b[:])
	close(l.gone)
	l.conn.Close() // frees write where it waits
}
