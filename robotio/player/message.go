package player

import (
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"

	"github.com/omnipitch/omnipitch/sensors"
)

// Types of messages.
const (
	typeData    = 1
	typeCommand = 2
	typeRequest = 3
	typeAck     = 4
	typeSynch   = 5
	typeNack    = 6
)

// headerSize is the size of a header in bytes.
const headerSize = 40

// identity is what a server sends first: 32 bytes with the version of Player whose messages it speaks.
var identity = append([]byte("Player v.3.1.0"), make([]byte, 18)...)

// address is the address of a device. On TCP, host and port are those of the connection, and the server ignores what
// clients write there.
type address struct {
	host, port    uint32
	interf, index uint16
}

func (a address) append(b []byte) []byte {
	return appendInts(b, int(a.host), int(a.port), int(a.interf), int(a.index))
}

func (r *reader) address() address {
	return address{r.uint(), r.uint(), uint16(r.uint()), uint16(r.uint())}
}

// header begins each message.
type header struct {
	address
	typ, subtype byte
	time         float64 // sim time, s
	seq, size    uint32  // number of the request; size of the payload, bytes
}

func (h *header) append(b []byte) []byte {
	b = appendInts(h.address.append(b), int(h.typ), int(h.subtype))
	return appendInts(appendDoubles(b, h.time), int(h.seq), int(h.size))
}

// parseHeader reads the headerSize bytes of a header. Any bytes are a header.
func parseHeader(b []byte) header {
	r := reader{b: b}
	h := header{address: r.address(), typ: byte(r.uint()), subtype: byte(r.uint())}
	r.take(8) // the client's time
	h.seq, h.size = r.uint(), r.uint()
	return h
}

// message is a message to clients. Its last part may be the memory of an observation.
type message struct {
	header
	b    []byte // header and payload
	tail []byte // further payload; nil if there is none
	obs  *sensors.Observation
	refs atomic.Int32
}

var messages = sync.Pool{New: func() any { return new(message) }}

// newMessage returns a message with one reference. The caller appends the payload to b.
func newMessage(h header) *message {
	m := messages.Get().(*message)
	m.header, m.tail, m.obs = h, nil, nil
	m.b = h.append(m.b[:0])
	m.refs.Store(1)
	return m
}

// retainTail adds bytes that belong to an observation to the payload, and retains the observation.
func (m *message) retainTail(tail []byte, o *sensors.Observation) {
	o.Retain()
	m.tail, m.obs = tail, o
}

// seal writes the size of the payload into the header.
func (m *message) seal() {
	m.size = uint32(len(m.b) - headerSize + len(m.tail) + pad(len(m.tail)))
	binary.BigEndian.PutUint32(m.b[headerSize-4:], m.size)
}

// write writes the message to a connection. It keeps the parts in the memory of buffers.
func (m *message) write(conn net.Conn, buffers *net.Buffers) error {
	if m.tail == nil {
		_, err := conn.Write(m.b)
		return err
	}
	*buffers = append((*buffers)[:0], m.b, m.tail, padding[:pad(len(m.tail))])
	parts := *buffers
	_, err := parts.WriteTo(conn)
	return err
}

func (m *message) release() {
	if m.refs.Add(-1) > 0 {
		return
	}
	if m.obs != nil {
		m.obs.Release()
	}
	m.tail, m.obs = nil, nil
	messages.Put(m)
}
