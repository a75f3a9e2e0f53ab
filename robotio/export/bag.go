package export

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"github.com/omnipitch/omnipitch/robotio/recording"
)

// bagChunk is the size at which a chunk is closed, in bytes. It is the default of rosbag.
const bagChunk = 768 << 10

// Bag writes the selected messages as an uncompressed bag of ROS 1, format 2.0, with the definitions of all types. The
// time of a message is its log time. Log time 0 becomes 1 ns, because rosbag does not accept 0. Bag fails if the
// recording is damaged, if a topic has no ROS 1 definition, if w fails, or when ctx ends. In these cases w does not
// contain a valid bag.
//
// Source: wiki.ros.org/Bags/Format/2.0, and rosbag 1.15, which reads the bags in a test.
func Bag(ctx context.Context, r *recording.Reader, s Selection, w io.WriteSeeker) error {
	p, err := s.pick(r, "topic", nil, recording.ROSEncoding)
	if err != nil {
		return err
	}
	b := &bag{w: w, selected: p, connections: map[*recording.ChannelInfo]*connection{}}
	for _, c := range r.Channels() {
		if !p.channels[c] {
			continue
		}
		def, err := p.definition(c)
		if err != nil {
			return err
		}
		b.connections[c] = &connection{id: -1, topic: c.Topic, typ: def.Name, md5: def.MD5, text: c.Schema.Text,
			callerid: c.Metadata["callerid"], latching: c.Metadata["latching"] == "true"}
	}
	if err := b.begin(); err != nil {
		return err
	}
	if err := p.each(ctx, func(m recording.Message) error { return b.add(m) }); err != nil {
		return err
	}
	return b.end()
}

// bag is a bag that is being written.
type bag struct {
	*selected
	w           io.WriteSeeker
	at          int64 // bytes written
	connections map[*recording.ChannelInfo]*connection
	listed      []*connection // by id
	chunks      []bagChunkInfo

	chunk       []byte        // records of the open chunk
	inChunk     []*connection // connections with messages in the open chunk
	first, last bagTime       // of the open chunk
	record      recordWriter  // reused
}

// connection is the connection record of a topic of a publisher.
type connection struct {
	id                              int // -1 before the first message
	topic, typ, md5, text, callerid string
	latching                        bool

	index []indexEntry // of the open chunk
}

// indexEntry is the position of a message in a chunk.
type indexEntry struct {
	time   bagTime
	offset uint32 // offset of the message's record in the chunk
}

// bagChunkInfo describes a chunk in the index at the end of a bag.
type bagChunkInfo struct {
	at          int64
	first, last bagTime
	counts      []connectionCount
}

type connectionCount struct{ id, n uint32 }

// bagTime is a time in the format of bags: nanoseconds in the high half and seconds in the low half.
type bagTime uint64

// bagTimeOf converts a log time to the time of a bag. It returns an error for a time that ROS cannot express.
func bagTimeOf(t time.Duration) (bagTime, error) {
	t = max(t, 1) // ros::TIME_MIN
	sec, nsec := int64(t/time.Second), int64(t%time.Second)
	if sec > math.MaxUint32 {
		return 0, errors.New("log time must be less than 2^32 s in a bag")
	}
	return bagTime(sec | nsec<<32), nil
}

// begin writes everything before the chunks.
func (b *bag) begin() error {
	if err := b.write([]byte("#ROSBAG V2.0\n")); err != nil {
		return err
	}
	return b.header(0)
}

// bagHeaderSize is the size of the header record with its padding. It is fixed so that end can write the header again.
const bagHeaderSize = 4096

// header writes the header record. index is the offset of the index after the chunks.
func (b *bag) header(index int64) error {
	r := &b.record
	r.begin(opBagHeader)
	r.uint64("index_pos", uint64(index))
	r.uint32("conn_count", uint32(len(b.listed)))
	r.uint32("chunk_count", uint32(len(b.chunks)))
	r.data(slices.Repeat([]byte{' '}, bagHeaderSize-r.size()))
	return b.write(r.take())
}

func (b *bag) write(p []byte) error {
	n, err := b.w.Write(p)
	b.at += int64(n)
	return err
}

// add appends a message to the open chunk, and writes the chunk if it is full.
func (b *bag) add(m recording.Message) error {
	c := b.connections[m.Channel]
	at, err := bagTimeOf(m.LogTime)
	if err != nil {
		return b.wrong(m, err)
	}
	r := &b.record
	if c.id < 0 {
		c.id = len(b.listed)
		b.listed = append(b.listed, c)
		r.connection(c)
		b.chunk = append(b.chunk, r.take()...)
	}
	if len(c.index) == 0 {
		b.inChunk = append(b.inChunk, c)
	}
	if len(b.inChunk) == 1 && len(c.index) == 0 {
		b.first = at
	}
	b.last = at // log times are in order
	c.index = append(c.index, indexEntry{at, uint32(len(b.chunk))})
	r.begin(opMessage)
	r.uint32("conn", uint32(c.id))
	r.uint64("time", uint64(at))
	r.data(m.Data)
	b.chunk = append(b.chunk, r.take()...)
	if len(b.chunk) >= bagChunk {
		return b.closeChunk()
	}
	return nil
}

// closeChunk writes the open chunk with its indexes.
func (b *bag) closeChunk() error {
	if len(b.inChunk) == 0 {
		return nil
	}
	info := bagChunkInfo{at: b.at, first: b.first, last: b.last}
	r := &b.record
	r.begin(opChunk)
	r.string("compression", "none")
	r.uint32("size", uint32(len(b.chunk)))
	r.data(b.chunk)
	if err := b.write(r.take()); err != nil {
		return err
	}
	for _, c := range b.inChunk {
		info.counts = append(info.counts, connectionCount{uint32(c.id), uint32(len(c.index))})
		r.begin(opIndex)
		r.uint32("ver", 1)
		r.uint32("conn", uint32(c.id))
		r.uint32("count", uint32(len(c.index)))
		data := make([]byte, 0, 12*len(c.index))
		for _, e := range c.index {
			data = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(data, uint64(e.time)), e.offset)
		}
		r.data(data)
		if err := b.write(r.take()); err != nil {
			return err
		}
		c.index = c.index[:0]
	}
	b.chunks = append(b.chunks, info)
	b.chunk, b.inChunk = b.chunk[:0], b.inChunk[:0]
	return nil
}

// end writes the last chunk and the index, and then the complete header.
func (b *bag) end() error {
	if err := b.closeChunk(); err != nil {
		return err
	}
	index, r := b.at, &b.record
	for _, c := range b.listed {
		r.connection(c)
		if err := b.write(r.take()); err != nil {
			return err
		}
	}
	for _, c := range b.chunks {
		r.begin(opChunkInfo)
		r.uint32("ver", 1)
		r.uint64("chunk_pos", uint64(c.at))
		r.uint64("start_time", uint64(c.first))
		r.uint64("end_time", uint64(c.last))
		r.uint32("count", uint32(len(c.counts)))
		var data []byte
		for _, n := range c.counts {
			data = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(data, n.id), n.n)
		}
		r.data(data)
		if err := b.write(r.take()); err != nil {
			return err
		}
	}
	if _, err := b.w.Seek(int64(len("#ROSBAG V2.0\n")), io.SeekStart); err != nil {
		return err
	}
	return b.header(index)
}

// Values of the field op in the header of a record, which give the kind of the record.
const (
	opMessage    = 0x02
	opBagHeader  = 0x03
	opIndex      = 0x04
	opChunk      = 0x05
	opChunkInfo  = 0x06
	opConnection = 0x07
)

// recordWriter builds one record of a bag at a time: a header of named fields, and data. Header and data are each
// preceded by their length. A recordWriter reuses its memory.
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
