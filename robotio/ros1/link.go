package ros1

import (
	"net"
	"sync"
	"sync/atomic"
)

// link is one subscriber's connection to a topic that we publish. Its queue is a ring of frames that drops the
// oldest when full; one goroutine writes, one notices that the peer has gone.
type link struct {
	id   int
	peer string // the subscriber's name
	conn *net.TCPConn

	mu    sync.Mutex
	ring  []*frame
	first int // the oldest frame's place in ring
	n     int // frames in ring
	dead  bool

	wake chan struct{} // holds one token when there may be work
	gone chan struct{} // closed when the connection is over

	direct               direct
	bufs                 net.Buffers
	vec                  [2][]byte
	sent, bytes, dropped atomic.Int64
}

func newLink(id int, peer string, conn *net.TCPConn, depth int) *link {
	l := &link{id: id, peer: peer, conn: conn, ring: make([]*frame, depth),
		wake: make(chan struct{}, 1), gone: make(chan struct{})}
	l.direct.open(conn)
	return l
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
		out = l.ring[l.first]
		l.first = (l.first + 1) % len(l.ring)
		l.n--
		l.dropped.Add(1)
	}
	l.ring[(l.first+l.n)%len(l.ring)] = f
	l.n++
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return out
}

// pop returns the oldest frame, or nil.
func (l *link) pop() *frame {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n == 0 {
		return nil
	}
	f := l.ring[l.first]
	l.ring[l.first] = nil
	l.first = (l.first + 1) % len(l.ring)
	l.n--
	return f
}

// write sends frames until the connection ends, then drops what is queued.
func (l *link) write() {
	for {
		f := l.pop()
		if f == nil {
			select {
			case <-l.wake:
				continue
			case <-l.gone:
			}
			break
		}
		err := l.send(f)
		f.drop()
		if err != nil {
			break
		}
	}
	l.mu.Lock()
	l.dead = true
	l.mu.Unlock()
	for f := l.pop(); f != nil; f = l.pop() {
		f.drop()
	}
}

// send writes one frame, head and tail by one system call, neither copied in this process: as much as the socket takes
// at once, and the rest when it takes more.
func (l *link) send(f *frame) error {
	begun, err := l.direct.write(f)
	if left := len(f.head) + len(f.tail) - begun; left > 0 && err == nil {
		l.vec[0], l.vec[1] = f.head[min(begun, len(f.head)):], f.tail[max(begun-len(f.head), 0):]
		l.bufs = l.vec[:]
		var n int64
		n, err = l.bufs.WriteTo(l.conn)
		l.vec[0], l.vec[1] = nil, nil
		begun += int(n)
	}
	l.bytes.Add(int64(begun))
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
