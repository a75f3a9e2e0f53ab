package zenoh

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// ID identifies a session. On the wire, its last byte comes first.
type ID [16]byte

// newID returns a random ID that needs all of its bytes.
func newID() ID {
	var id ID
	_, _ = rand.Read(id[:]) // never fails
	id[0] |= 0x10
	return id
}

// wire returns the bytes of the ID in the order of the wire.
func (id ID) wire() []byte {
	slices.Reverse(id[:])
	return id[:]
}

// String returns the ID as rmw_zenoh_cpp writes it in liveliness tokens.
func (id ID) String() string { return strings.TrimLeft(hex.EncodeToString(id[:]), "0") }

// Identifiers and flags of transport messages.
const (
	transportInit      = 0x01
	transportOpen      = 0x02
	transportClose     = 0x03
	transportKeepAlive = 0x04
	transportFrame     = 0x05
	transportFragment  = 0x06

	flagAck      = 1 << 5 // of init and open: the router's
	flagSize     = 1 << 6 // of init: with a resolution and a batch size
	flagSeconds  = 1 << 6 // of open: the lease is in seconds
	flagReliable = 1 << 5 // of frames and fragments
	flagMore     = 1 << 6 // of fragments: another one follows
	flagSession  = 1 << 5 // of close
)

const (
	version       = 9
	client        = 2         // what we are
	defaultSizes  = 0x0a      // resolution: sequence numbers and request ids of 32 bits
	maxBatch      = 65535     // bytes of a batch, and the default
	markers       = 1         // patch level: fragments are marked when they are the first or when the rest is dropped
	sequenceMask  = 1<<28 - 1 // sequence numbers of "32 bits" have four bytes of seven bits
	maxCookie     = 4096      // bytes; zenohd's has about 50
	fragmentFirst = 2         // extension of a fragment
	fragmentDrop  = 3
)

// link is a connection to a router, from its establishment to its first error.
type link struct {
	conn     net.Conn
	in       *bufio.Reader
	batch    int // bytes of the longest batch that the router accepts, without its length
	markers  bool
	lease    time.Duration // the router's: silence of that length ends the link
	maxBytes int           // of the messages that wait, and of a message that arrives in fragments

	mu     sync.Mutex
	queue  []*[]byte // encoded messages that wait
	queued int       // their bytes
	wake   chan struct{}
	end    time.Time // of writing; zero while the session goes on
	sn     uint32    // of the next frame; for the writing goroutine

	// What the reading goroutine keeps.
	keys       map[uint16]string // the router's numbers
	entities   map[entity]string // the router's declarations
	fragments  [2][]byte         // of best-effort and of reliable messages
	incomplete [2]bool
}

// establish performs the handshake on a new connection.
func establish(conn net.Conn, id ID, lease time.Duration, maxBytes int) (*link, error) {
	l := &link{conn: conn, in: bufio.NewReaderSize(conn, maxBatch+2), batch: maxBatch, maxBytes: maxBytes,
		wake: make(chan struct{}, 1), keys: map[uint16]string{}, entities: map[entity]string{}}
	_ = conn.SetDeadline(time.Now().Add(lease))
	wire := id.wire()
	syn := append([]byte{transportInit | more, version, byte(len(wire)-1)<<4 | client}, wire...)
	ack, err := l.ask(append(syn, 7|extNumber, markers))
	if err != nil {
		return nil, err
	}
	cookie, err := l.initAck(ack)
	if err != nil {
		return nil, fmt.Errorf("answer to init: %w", err)
	}
	var random [4]byte
	_, _ = rand.Read(random[:])
	l.sn = binary.LittleEndian.Uint32(random[:]) & sequenceMask
	open := appendUint([]byte{transportOpen}, uint64(lease.Milliseconds()))
	ack, err = l.ask(appendBytes(appendUint(open, uint64(l.sn)), cookie))
	if err != nil {
		return nil, err
	}
	if err := l.openAck(ack); err != nil {
		return nil, fmt.Errorf("answer to open: %w", err)
	}
	_ = conn.SetDeadline(time.Time{})
	return l, nil
}

// ask sends a batch and returns the next one, which is valid until the next call.
func (l *link) ask(batch []byte) ([]byte, error) {
	out := binary.LittleEndian.AppendUint16(nil, uint16(len(batch)))
	if _, err := l.conn.Write(append(out, batch...)); err != nil {
		return nil, err
	}
	return l.read()
}

// read returns the next batch, which is valid until the next call.
func (l *link) read() ([]byte, error) {
	head, err := l.in.Peek(2)
	if err != nil {
		return nil, notEOF(err)
	}
	n := 2 + int(binary.LittleEndian.Uint16(head))
	b, err := l.in.Peek(n)
	if err != nil {
		return nil, notEOF(err)
	}
	_, err = l.in.Discard(n)
	return b[2:], err
}

func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return errors.New("the router has closed the connection")
	}
	return err
}

// ack reads the header of an answer.
func (r *reader) ack(id byte) (header byte, err error) {
	header = r.byte()
	if err = cmp.Or(r.err, refused(header, r)); err == nil && header&(kindMask|flagAck) != id|flagAck {
		err = fmt.Errorf("got message %#02x", header)
	}
	return header, err
}

func (l *link) initAck(b []byte) (cookie []byte, err error) {
	r := reader{b: b}
	header, err := r.ack(transportInit)
	if err != nil {
		return nil, err
	}
	if v := r.byte(); r.err == nil && v != version {
		return nil, fmt.Errorf("the router's protocol has version %d: must be %d", v, version)
	}
	r.take(uint64(r.byte()>>4) + 1)
	if header&flagSize != 0 {
		if sizes := r.byte() & 0x3f; r.err == nil && sizes != defaultSizes {
			return nil, fmt.Errorf("resolution %#02x: must be %#02x", sizes, defaultSizes)
		}
		l.batch = int(r.byte()) | int(r.byte())<<8
	}
	l.batch -= 2 // some versions count the length
	cookie = slices.Clone(r.bytes())
	for another := header&more != 0; another; {
		var e extension
		e, another = r.extension()
		if e.id == 7 {
			l.markers = e.value >= markers
		}
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case l.batch < 64:
		return nil, fmt.Errorf("batch size %d: must be at least 66", l.batch+2)
	case len(cookie) > maxCookie:
		return nil, fmt.Errorf("cookie has %d bytes: must have up to %d", len(cookie), maxCookie)
	}
	return cookie, nil
}

func (l *link) openAck(b []byte) error {
	r := reader{b: b}
	header, err := r.ack(transportOpen)
	if err != nil {
		return err
	}
	unit := time.Millisecond
	if header&flagSeconds != 0 {
		unit = time.Second
	}
	l.lease = time.Duration(min(r.uint(), uint64(time.Hour/unit))) * unit
	_ = r.uint() // the number of the router's first frame: TCP keeps the order
	if r.err == nil && l.lease <= 0 {
		return errors.New("the lease is 0")
	}
	return r.err
}

// refused returns an error if a message is a close.
func refused(header byte, r *reader) error {
	if header&kindMask != transportClose {
		return nil
	}
	reasons := []string{"no reason given", "unsupported", "invalid message", "too many sessions", "too many links",
		"lease has expired", "unresponsive"}
	if n := int(r.byte()); n > 0 && n < len(reasons) {
		return fmt.Errorf("the router has closed the session: %s", reasons[n])
	}
	return errors.New("the router has closed the session")
}

// receive handles the messages of a batch.
func (l *link) receive(b []byte, handle func(*message) error) error {
	r := reader{b: b}
	for len(r.b) > 0 {
		header := r.byte()
		switch header & kindMask {
		case transportFrame:
			_ = r.uint()
			r.frameExtensions(header)
			for len(r.b) > 0 && r.b[0]&kindMask >= byte(kindInterest) {
				m := r.message()
				if r.err != nil {
					break
				}
				if err := handle(&m); err != nil {
					return err
				}
			}
		case transportFragment:
			_ = r.uint()
			first, drop := r.frameExtensions(header)
			if err := l.fragment(header, r.b, first, drop, handle); err != nil {
				return err
			}
			r.b = nil
		case transportKeepAlive:
			r.skip(header)
		case transportClose:
			return refused(header, &r)
		default:
			return fmt.Errorf("unknown transport message %#02x", header)
		}
	}
	return r.err
}

func (r *reader) frameExtensions(header byte) (first, drop bool) {
	for another := header&more != 0; another; {
		var e extension
		e, another = r.extension()
		switch e.id {
		case 1: // the priority
		case fragmentFirst:
			first = true
		case fragmentDrop:
			drop = true
		default:
			r.unknown(e)
		}
	}
	return first, drop
}

// fragment collects the fragments of a message and handles it when it is whole.
func (l *link) fragment(header byte, b []byte, first, drop bool, handle func(*message) error) error {
	n := int(header&flagReliable) / flagReliable
	if first || drop || !l.incomplete[n] {
		l.fragments[n] = l.fragments[n][:0]
	}
	l.incomplete[n] = !drop && (l.incomplete[n] || first || !l.markers)
	if !l.incomplete[n] {
		return nil
	}
	if len(l.fragments[n])+len(b) > l.maxBytes {
		return fmt.Errorf("a message has more than %d bytes", l.maxBytes)
	}
	l.fragments[n] = append(l.fragments[n], b...)
	if header&flagMore != 0 {
		return nil
	}
	l.incomplete[n] = false
	r := reader{b: l.fragments[n]}
	m := r.message()
	if r.err != nil {
		return r.err
	}
	return handle(&m)
}
