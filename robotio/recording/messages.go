package recording

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/foxglove/mcap/go/mcap"
)

// Message is a message that was read from a recording.
type Message struct {
	Channel              *ChannelInfo
	LogTime, PublishTime time.Duration
	Data                 []byte
}

// Messages iterates over messages in the order of their log times. Messages with the same log time come in the order in
// which they were written. Only one goroutine may use a Messages.
type Messages struct {
	reader *Reader
	from   time.Duration
	want   func(*ChannelInfo) bool // nil: all channels
	next   int                     // index of the first chunk that has not been opened
	open   []*openChunk
	size   int64 // total bytes of the open chunks
	spare  []*openChunk
	err    error
}

// spares is the number of closed chunks whose memory is kept for reuse. Normally two chunks are open at the same time
// for a moment, when one chunk ends and the next chunk begins.
const spares = 2

// openChunk is a decompressed chunk with unread messages.
type openChunk struct {
	chunk
	at    int64
	left  []entry // unread messages in the order of reading
	index []entry // the entries of all messages; left is the end of this slice
}

// entry says where in a chunk a message is.
type entry struct {
	time  time.Duration
	place int // offset of the content of the record
	size  int
}

// Messages iterates over the messages whose log time is at least start. It returns only messages of channels for which
// the function want returns true. If want is nil, it returns the messages of all channels.
func (r *Reader) Messages(start time.Duration, want func(*ChannelInfo) bool) *Messages {
	return &Messages{reader: r, from: start, want: want, spare: make([]*openChunk, 0, spares)}
}

// All yields the messages that Messages would return, and at the end the error, if there is one. The data of a message
// are valid until the loop continues.
func (r *Reader) All(from time.Duration, want func(*ChannelInfo) bool) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for m := r.Messages(from, want); ; {
			x, err := m.Next()
			if err == io.EOF || !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// Topic returns a function that selects the channels of a topic, for the argument want of Messages.
func Topic(name string) func(*ChannelInfo) bool {
	return func(c *ChannelInfo) bool { return c.Topic == name }
}

// Next returns the next message. The data of the message are valid until the next call. After the last message, Next
// returns io.EOF. If the file is damaged, this call and all later calls return an error.
func (m *Messages) Next() (Message, error) {
	if m.err == nil {
		m.err = m.fill()
	}
	if m.err != nil {
		return Message{}, m.err
	}
	c := m.first()
	e := c.left[0]
	c.left = c.left[1:]
	p, err := m.reader.parse(c.at, c.data[e.place:e.place+e.size])
	if err != nil {
		m.err = err
	}
	return Message{m.reader.channels[p.channel], p.logTime, p.publishTime, p.data}, err
}

// first returns the open chunk that contains the next message, or nil if no chunk is open.
func (m *Messages) first() (first *openChunk) {
	for _, c := range m.open {
		if len(c.left) > 0 && (first == nil || cmp.Or(cmp.Compare(c.left[0].time, first.left[0].time),
			cmp.Compare(c.at, first.at)) < 0) {
			first = c
		}
	}
	return first
}

// fill opens all chunks that may contain the next message. It returns io.EOF if there is no next message.
func (m *Messages) fill() error {
	for i := len(m.open) - 1; i >= 0; i-- {
		if c := m.open[i]; len(c.left) == 0 {
			m.open = slices.Delete(m.open, i, i+1)
			m.size -= int64(len(c.data))
			if len(m.spare) < cap(m.spare) {
				m.spare = append(m.spare, c)
			}
		}
	}
	for first := m.first(); m.next < len(m.reader.chunks); m.next++ {
		info := &m.reader.chunks[m.next]
		if first != nil && first.left[0].time < info.start {
			break
		}
		if info.end < m.from || !m.wants(info) {
			continue
		}
		if err := m.load(info); err != nil {
			return err
		}
		first = m.first()
	}
	if m.first() == nil {
		return io.EOF
	}
	return nil
}

// wants reports whether a chunk may have messages of a channel that the caller wants.
func (m *Messages) wants(info *chunkInfo) bool {
	if len(info.channels) > 0 {
		return slices.ContainsFunc(info.channels, m.wanted)
	}
	for id := range m.reader.channels {
		if m.wanted(id) {
			return true
		}
	}
	return false
}

func (m *Messages) wanted(id uint16) bool {
	c := m.reader.channels[id]
	return c != nil && (m.want == nil || m.want(c))
}

// load reads a chunk and adds it to the open chunks.
func (m *Messages) load(info *chunkInfo) error {
	c := &openChunk{}
	if last := len(m.spare) - 1; last >= 0 {
		c, m.spare = m.spare[last], m.spare[:last]
	}
	r := m.reader
	if most := r.limits.openIn(r.size); len(m.open) > 0 && m.size+max(info.length, info.size) > most {
		return r.errorf(info.at, "a chunk: chunks of the same log times take %d bytes: must be at most %d",
			m.size+max(info.length, info.size), most)
	}
	if err := r.load(info, &c.chunk); err != nil {
		return err
	}
	m.size += int64(len(c.data))
	c.at, c.index = info.at, c.index[:0]
	for rest := c.data; len(rest) > 0; {
		op, b, next, err := split(rest)
		if err != nil {
			return r.errorf(info.at, "a chunk: %w", err)
		}
		place := len(c.data) - len(next) - len(b)
		if rest = next; op != mcap.OpMessage {
			continue
		}
		p, err := r.parse(info.at, b)
		if err != nil {
			return err
		}
		if p.logTime < info.start || p.logTime > info.end {
			return r.errorf(info.at, "a chunk: log time = %d of a message: must lie in those of the chunk, %d to %d",
				p.logTime, info.start, info.end)
		}
		if p.logTime >= m.from && m.wanted(p.channel) {
			c.index = append(c.index, entry{p.logTime, place, len(b)})
		}
	}
	slices.SortStableFunc(c.index, func(a, b entry) int { return cmp.Compare(a.time, b.time) })
	c.left = c.index
	m.open = append(m.open, c)
	return nil
}

// content is the content of a record with a message.
type content struct {
	channel              uint16
	logTime, publishTime time.Duration
	data                 []byte
}

// messageHead is the length of the fields of a message before its data, in bytes.
const messageHead = 2 + 4 + 8 + 8

// parse reads a record with a message. The argument at is the offset of the message, or of its chunk. parse returns an
// error if the file does not list the channel of the message.
func (r *Reader) parse(at int64, b []byte) (p content, err error) {
	if len(b) < messageHead {
		return p, r.errorf(at, "a message: has %d bytes: must have at least %d", len(b), messageHead)
	}
	p = content{le.Uint16(b), time.Duration(le.Uint64(b[6:])), time.Duration(le.Uint64(b[14:])), b[messageHead:]}
	switch {
	case r.channels[p.channel] == nil:
		return p, r.errorf(at, "a message: channel = %d: must be listed", p.channel)
	case p.logTime < 0 || p.publishTime < 0:
		return p, r.errorf(at, "a message: times = %d and %d: must be less than 2^63", uint64(p.logTime),
			uint64(p.publishTime))
	}
	return p, nil
}

// Last returns the newest message whose log time is at most at. It considers only messages of channels for which the
// function want returns true. found is false if there is no such message. Last returns an error if the file is damaged.
func (r *Reader) Last(at time.Duration, want func(*ChannelInfo) bool) (last Message, found bool, err error) {
	m := r.Messages(0, want)
	var from int64 // offset of the chunk that contains last
	for i := len(r.chunks) - 1; i >= 0; i-- {
		info := &r.chunks[i]
		if info.start > at || found && info.end < last.LogTime || !m.wants(info) {
			continue
		}
		m.open, m.size, m.spare = nil, 0, nil
		if err := m.load(info); err != nil {
			return Message{}, false, err
		}
		c := m.open[0]
		n, _ := slices.BinarySearchFunc(c.left, at+1, func(e entry, t time.Duration) int {
			return cmp.Compare(e.time, t)
		})
		if n == 0 {
			continue
		}
		e := c.left[n-1]
		if found && cmp.Or(cmp.Compare(e.time, last.LogTime), cmp.Compare(c.at, from)) < 0 {
			continue
		}
		p, err := r.parse(c.at, c.data[e.place:e.place+e.size])
		if err != nil {
			return Message{}, false, err
		}
		last, found, from = Message{r.channels[p.channel], p.logTime, p.publishTime, p.data}, true, c.at
	}
	return last, found, nil
}
