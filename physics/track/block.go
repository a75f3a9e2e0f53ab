package track

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/omnipitch/omnipitch/physics"
)

// Header says which states a block holds.
type Header struct {
	Episode  int           // index of the episode, from 0; each restart of the world begins the next episode
	States   int           // number of states
	First    int64         // step of the first state
	Last     int64         // step of the last state
	From, To time.Duration // sim times of the first and the last state
}

// The first byte of a block. Blocks of robots with joints, and of those with feet, have others.
const (
	version    = 2
	withJoints = 3
	withFeet   = 4 // also with joints
)

// Limits of a block. They bound the memory that reading a damaged block can take.
const (
	MaxStates   = 256     // largest number of states in a block
	maxWords    = 1 << 21 // largest number of words of all states of a block
	maxContacts = 1 << 16 // largest number of touches and events of all states of a block
	maxBodies   = 1 << 14 // largest number of robots, of obstacles, of joints, and of feet
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header returns the header of the table's states.
func (t *table) header(episode int) Header {
	first, last := t.row(0), t.row(t.rows-1)
	return Header{Episode: episode, States: t.rows, First: int64(first[stepColumn]), Last: int64(last[stepColumn]),
		From: time.Duration(first[timeColumn]), To: time.Duration(last[timeColumn])}
}

// ReadHeader returns the header of a block. It does not read the other parts of the block, which may be damaged.
func ReadHeader(block []byte) (Header, error) {
	p := parser{in: block}
	h := p.header()
	return h, p.err
}

// Encoder codes states in blocks. It belongs to one goroutine at a time. It allocates nothing once it has coded a block
// of the same size.
type Encoder struct {
	table
	episode   int
	limit     int // number of states at which a block is full
	residuals []uint64
	planes    []byte
	out       []byte
	zstd      *zstd.Encoder
}

// NewEncoder returns an encoder of the states of a model. The argument states is the largest number of states in a
// block: MaxStates or less.
func NewEncoder(model *physics.Model, episode, states int) *Encoder {
	e := &Encoder{table: table{shape: shapeOf(model)}, episode: episode}
	e.limit = max(1, min(states, MaxStates, maxWords/e.columns()))
	e.reset(e.limit)
	var err error
	e.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false))
	if err != nil { // only wrong options make it fail
		panic(err)
	}
	return e
}

// Add adds a state to the block, and reports whether the block is full. If it is full, Block must be called before the
// next Add. Add fails, and adds nothing, if the state does not fit the model, or has too many touches or events. The
// argument settled is true for a state that came after Settle.
func (e *Encoder) Add(s *physics.Snapshot, settled bool) (full bool, err error) {
	if len(s.Robots) != e.robots || len(s.Obstacles) != e.obstacles || len(s.Joints) != e.joints ||
		len(s.Feet) != e.feet {
		return false, fmt.Errorf("a state of %d robots, %d obstacles, %d joints and %d feet: the model has %d, %d, %d "+
			"and %d", len(s.Robots), len(s.Obstacles), len(s.Joints), len(s.Feet), e.robots, e.obstacles, e.joints,
			e.feet)
	}
	if n := len(e.contacts)/contactWords + len(s.Touches) + len(s.Events); n > maxContacts {
		return false, fmt.Errorf("%d touches and events: a block of states holds at most %d", n, maxContacts)
	}
	e.add(s, settled)
	return e.rows == e.limit || len(e.contacts) > maxContacts/2*contactWords, nil
}

// Block codes the states that have been added since the last call of Block, and returns their header and the coded
// block. There must be at least one such state. The bytes are valid until the next call of Block.
func (e *Encoder) Block() (Header, []byte) {
	h := e.header(e.episode)
	out := append(e.out[:0], version)
	if e.joints > 0 {
		out[0] = withJoints
	}
	if e.feet > 0 {
		out[0] = withFeet
	}
	out = binary.AppendUvarint(out, uint64(h.Episode))
	out = binary.AppendUvarint(out, uint64(h.States))
	for _, v := range [...]int64{h.First, h.Last, int64(h.From), int64(h.To), int64(e.step)} {
		out = binary.AppendVarint(out, v)
	}
	for _, v := range [...]int{e.robots, e.obstacles, len(e.contacts) / contactWords} {
		out = binary.AppendUvarint(out, uint64(v))
	}
	if e.joints > 0 {
		out = binary.AppendUvarint(out, uint64(e.joints))
	}
	if e.feet > 0 {
		out = binary.AppendUvarint(out, uint64(e.feet))
	}
	arcs := byte(0)
	if e.arcs {
		arcs = 1
	}
	out = append(out, arcs)
	e.residuals = resize(e.residuals, e.columns()*e.rows+len(e.contacts))
	e.code(e.residuals, false)
	e.planes = resize(e.planes, 8*len(e.residuals))
	states := e.columns() * e.rows
	split(e.planes[:8*states], e.residuals[:states], e.columns())
	split(e.planes[8*states:], e.residuals[states:], contactWords)
	out = e.zstd.EncodeAll(e.planes, out)
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
	e.out = out
	e.reset(e.limit)
	return h, out
}

// code turns the table into residuals, or residuals into the table if decode is set.
func (t *table) code(residuals []uint64, decode bool) {
	n := t.columns()
	c := coder{shape: &t.shape, decode: decode, dt: t.step.Seconds(), old: t.zero, older: t.zero, oldest: t.zero}
	for i := range t.rows {
		c.now, c.residuals = t.row(i), residuals[i*n:][:n]
		if i == 0 {
			c.hold(0, n)
		} else {
			c.state()
		}
		c.extrapolated = c.now[stepColumn] == c.old[stepColumn]+1
		c.oldest, c.older, c.old = c.older, c.old, c.now
	}
	c.contacts(t, residuals[t.rows*n:])
}

// contacts codes touches and events. Each contact is predicted to equal the contact with the same index in the
// preceding state.
func (c *coder) contacts(t *table, residuals []uint64) {
	before, at := 0, 0 // indices of the first words of the preceding state's and the present state's contacts
	for row := range t.rows {
		end := at + t.contactsOf(row)*contactWords
		for i := at; i < end; i += contactWords {
			c.old = t.zero
			if j := before + i - at; j < at {
				c.old = t.contacts[j:]
			}
			c.now, c.residuals = t.contacts[i:], residuals[i:]
			c.hold(0, contactWords)
		}
		before, at = at, end
	}
}

// split writes words that are rows of columns as byte planes: for each column first the lowest byte of all rows, then
// the next. This brings similar bytes together, so that they compress well.
func split(planes []byte, words []uint64, columns int) {
	rows := len(words) / columns
	for column := range columns {
		for row := range rows {
			w := words[row*columns+column]
			for b := range 8 {
				planes[b*rows+row] = byte(w >> (8 * b))
			}
		}
		planes = planes[8*rows:]
	}
}

// join is the inverse of split.
func join(words []uint64, planes []byte, columns int) {
	rows := len(words) / columns
	for column := range columns {
		for row := range rows {
			w := uint64(0)
			for b := range 8 {
				w |= uint64(planes[b*rows+row]) << (8 * b)
			}
			words[row*columns+column] = w
		}
		planes = planes[8*rows:]
	}
}
