package export

import "encoding/binary"

// Kinds of records in a bag: the field op of their headers.
const (
	opMessage    = 0x02
	opBagHeader  = 0x03
	opIndex      = 0x04
	opChunk      = 0x05
	opChunkInfo  = 0x06
	opConnection = 0x07
)

// recordWriter builds one record of a bag at a time: a header of named fields, and data. The length precedes each of
// the two. It reuses its memory.
type recordWriter struct{ b []byte }

var le = binary.LittleEndian

func (r *recordWriter) begin(op byte) {
	r.b = append(r.b[:0], 0, 0, 0, 0)
	r.field("op", 1)
	r.b = append(r.b, op)
}

// field appends the name of a field with a value of n bytes, which the caller appends.
func (r *recordWriter) field(name string, n int) {
	r.b = append(le.AppendUint32(r.b, uint32(len(name)+1+n)), name...)
	r.b = append(r.b, '=')
}

func (r *recordWriter) uint32(name string, v uint32) {
	r.field(name, 4)
	r.b = le.AppendUint32(r.b, v)
}

func (r *recordWriter) uint64(name string, v uint64) {
	r.field(name, 8)
	r.b = le.AppendUint64(r.b, v)
}

func (r *recordWriter) string(name, v string) {
	r.field(name, len(v))
	r.b = append(r.b, v...)
}

// size returns the size of the record without data, in bytes.
func (r *recordWriter) size() int { return len(r.b) + 4 }

// data ends the header and appends the data.
func (r *recordWriter) data(b []byte) {
	le.PutUint32(r.b, uint32(len(r.b)-4))
	r.b = append(le.AppendUint32(r.b, uint32(len(b))), b...)
}

// take returns the record, which is valid until the next begin.
func (r *recordWriter) take() []byte { return r.b }

// connection builds the record of a connection. Its data are the fields of a ROS connection header.
func (r *recordWriter) connection(c *connection) {
	var header recordWriter
	header.string("topic", c.topic)
	header.string("type", c.typ)
	header.string("md5sum", c.md5)
	header.string("message_definition", c.text)
	if c.callerid != "" {
		header.string("callerid", c.callerid)
	}
	if c.latching {
		header.string("latching", "1")
	}
	r.begin(opConnection)
	r.uint32("conn", uint32(c.id))
	r.string("topic", c.topic)
	r.data(header.b)
}
