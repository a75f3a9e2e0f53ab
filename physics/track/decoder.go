package track

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/omnipitch/omnipitch/physics"
)

// Decoder reads blocks. The zero value is ready. It belongs to one goroutine at a time.
type Decoder struct {
	table
	residuals []uint64
	planes    []byte
	zstd      *zstd.Decoder
}

// Decode reads a block; afterwards the method State returns the block's states. If the block is damaged, Decode fails,
// and the Decoder holds no states.
func (d *Decoder) Decode(block []byte) (h Header, err error) {
	d.rows = 0
	if h, err = ReadHeader(block); err != nil {
		return h, err
	}
	p := parser{in: block}
	body := len(block) - 4
	if body < 0 || binary.LittleEndian.Uint32(block[body:]) != crc32.Checksum(block[:body], castagnoli) {
		p.fail("its checksum does not match")
		return h, p.err
	}
	p.in = block[:body]
	p.header()
	d.shape.step = time.Duration(p.varint())
	d.robots, d.obstacles = p.count(maxBodies), p.count(maxBodies)
	contacts := p.count(maxContacts)
	d.joints, d.feet = 0, 0
	if block[0] != version {
		d.joints = p.count(maxBodies)
	}
	if block[0] == withFeet {
		d.feet = p.count(maxBodies)
	}
	d.arcs = p.byte() != 0
	if d.columns()*h.States > maxWords {
		p.fail("too many bodies")
	}
	if p.err != nil {
		return h, p.err
	}
	d.reset(h.States)
	d.contacts = resize(d.contacts, contacts*contactWords)
	if d.read(&p, h.States); p.err == nil {
		d.check(&p, h)
	}
	if p.err != nil {
		d.rows = 0
	}
	return h, p.err
}

// read decompresses and decodes the states.
func (d *Decoder) read(p *parser, rows int) {
	states := d.columns() * rows
	d.residuals = resize(d.residuals, states+len(d.contacts))
	if err := d.decompress(p.in, 8*len(d.residuals)); err != nil {
		p.fail(err.Error())
		return
	}
	join(d.residuals[:states], d.planes[:8*states], d.columns())
	join(d.residuals[states:], d.planes[8*states:], contactWords)
	n := d.columns()
	// The numbers of contacts of the states are coded as residuals too, and are needed to decode the contacts.
	touches, events, total := uint64(0), uint64(0), uint64(0)
	for row := range rows {
		touches += unzigzag(d.residuals[row*n+touchesColumn])
		events += unzigzag(d.residuals[row*n+eventsColumn])
		if touches > maxContacts || events > maxContacts {
			p.fail("too many touches or events")
			return
		}
		total += touches + events
	}
	if total*contactWords != uint64(len(d.contacts)) {
		p.fail("states with other touches and events than it holds")
		return
	}
	d.rows = rows
	d.code(d.residuals, true)
}

// decompress sets planes, which must have a size.
func (d *Decoder) decompress(in []byte, size int) (err error) {
	if d.zstd == nil {
		d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(8*(maxWords+
			maxContacts*contactWords)))
		if err != nil {
			return err
		}
	}
	d.planes, err = d.zstd.DecodeAll(in, d.planes[:0])
	if err == nil && len(d.planes) != size {
		err = fmt.Errorf("%d bytes of states, where %d must be", len(d.planes), size)
	}
	return err
}

// check fails for states that no engine returns, and that users of states do not expect: states with bodies or kinds of
// events that do not exist.
func (d *Decoder) check(p *parser, h Header) {
	body := func(word uint64) bool {
		id := int64(word)
		return id >= int64(physics.Static) && id <= int64(d.robots+d.obstacles)
	}
	for i := 0; i < len(d.contacts); i += contactWords {
		if c := d.contacts[i:]; !body(c[1]) || !body(c[2]) || c[0] > uint64(physics.WheelsStuckEnded) {
			p.fail("a touch or an event of a body or a kind that does not exist")
		}
	}
	for row := range d.rows {
		w := d.row(row)
		if robot := int64(w[heldByColumn]); robot < -1 || robot >= int64(d.robots) {
			p.fail("a ball held by a robot that does not exist")
		}
		for i := range d.robots {
			modes := w[stateColumns+bodyColumns+i*robotColumns+extendColumn]
			if modes&0xff > uint64(physics.ExtendUp) || modes>>8&0xff > uint64(physics.Kicking) || modes>>25 != 0 {
				p.fail("an extension to no known side")
			}
		}
	}
	if d.header(h.Episode) != h {
		p.fail("states of other steps than its header names")
	}
}

// find returns the index of the first state, beginning at index i, whose step is at least the given step. The bool
// reports whether its step equals the given step.
func (d *Decoder) find(i int, step int64) (at int, ok bool) {
	for ; i < d.rows; i++ {
		if s, _ := d.StepOf(i); s >= step {
			return i, s == step
		}
	}
	return i, false
}

// clear removes all states.
func (d *Decoder) clear() { d.rows = 0 }

// parser reads the numbers at the beginning of a block. After the first error it returns zeros.
type parser struct {
	in  []byte
	err error
}

func (p *parser) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("damaged block of states: %s", what)
	}
	p.in = nil
}

func (p *parser) byte() byte {
	if len(p.in) == 0 {
		p.fail("it ends too soon")
		return 0
	}
	b := p.in[0]
	p.in = p.in[1:]
	return b
}

func (p *parser) uvarint() uint64 {
	v, n := binary.Uvarint(p.in)
	if n <= 0 {
		p.fail("it ends too soon")
		return 0
	}
	p.in = p.in[n:]
	return v
}

func (p *parser) varint() int64 { return int64(unzigzag(p.uvarint())) }

// count reads a number, and fails if the number exceeds a limit.
func (p *parser) count(limit int) int {
	v := p.uvarint()
	if v > uint64(limit) {
		p.fail(fmt.Sprintf("a count of %d, where at most %d is possible", v, limit))
		return 0
	}
	return int(v)
}

func (p *parser) header() (h Header) {
	if v := p.byte(); p.err == nil && (v < version || v > withFeet) {
		p.err = fmt.Errorf("a block of states of format %d: this program reads formats %d to %d only", v, version,
			withFeet)
	}
	h.Episode = p.count(math.MaxInt32)
	h.States = p.count(MaxStates)
	h.First, h.Last = p.varint(), p.varint()
	h.From, h.To = time.Duration(p.varint()), time.Duration(p.varint())
	if p.err == nil && h.States == 0 {
		p.fail("it holds no states")
	}
	return h
}
