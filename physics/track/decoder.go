package track

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/omnipitch/omnipitch/physics"
)

// Decoder reads blocks. The zero value is ready. It belongs to one goroutine at a time.
type Decoder struct {
	table
	res  [8][]uint64
	refs []int
}

// Decode reads a block, whose states State returns from then on. It fails on a damaged block with a sentence that says
// so, and holds no states then.
func (d *Decoder) Decode(block []byte) (h Header, err error) {
	d.rows = 0
	if h, err = ReadHeader(block); err != nil {
		return h, err
	}
	p := parser{in: block}
	body := len(block) - 4
	if body < 0 || binary.LittleEndian.Uint32(block[body:]) != crc32.Checksum(block[:body], castagnoli) {
		p.fail("its checksum is another")
		return h, p.err
	}
	p.in = block[:body]
	p.header()
	d.shape = p.shape()
	if p.err != nil {
		return h, p.err
	}
	if _, columns := d.layout(d.groups[:0]); columns > 8*len(p.in) || columns*h.States > maxWords {
		p.fail("more bodies than it can hold")
		return h, p.err
	}
	d.begin(h.States)
	d.rows = h.States
	d.readColumns(&p)
	if p.err == nil && len(p.in) > 0 {
		p.fail("bytes after its end")
	}
	if p.err == nil {
		d.check(&p, h)
	}
	if p.err != nil {
		d.rows = 0
	}
	return h, p.err
}

// check refuses what no engine gives, and others would stumble over: bodies and events that there are not.
func (d *Decoder) check(p *parser, h Header) {
	body := func(id physics.BodyID) bool { return id >= physics.Static && int(id) <= d.robots+d.obstacles }
	for i := range d.touches {
		if t := &d.touches[i]; !body(t.A) || !body(t.B) {
			p.fail("a touch of a body that is not there")
		}
	}
	for i := range d.events {
		if e := &d.events[i]; !body(e.A) || !body(e.B) || e.Kind > physics.WheelsStuckEnded {
			p.fail("an event of a body or a kind that is not there")
		}
	}
	for row := range d.rows {
		w := d.row(row)
		if robot := int(w[heldByColumn]); robot < -1 || robot >= d.robots {
			p.fail("a ball held by a robot that is not there")
		}
		for i := range d.robots {
			if w[stateColumns+bodyColumns+i*robotColumns+flagsColumn]&0xff > uint64(physics.ExtendUp) {
				p.fail("an extension that is nowhere")
			}
		}
	}
	if d.header(h.Episode) != h {
		p.fail("its header names other steps")
	}
}

func (d *Decoder) readColumns(p *parser) {
	d.readFirst(p)
	for i := range d.res {
		d.res[i] = resize(d.res[i], d.rows)
	}
	for i := range d.groups {
		if g := &d.groups[i]; g.rule.integer() {
			d.readIntegers(p, g)
		} else {
			d.readNumbers(p, g)
		}
		if p.err != nil {
			return
		}
	}
	d.readTouches(p)
	d.readEvents(p)
}

func (d *Decoder) readFirst(p *parser) {
	present := p.bytes((d.columns + 7) / 8)
	if p.err != nil {
		return
	}
	for c := range d.columns {
		d.words[c] = 0
		if present[c/8]>>(c%8)&1 != 0 {
			d.words[c] = p.word()
		}
	}
}

// column reads residuals and the order of their predictions.
func (p *parser) column(res []uint64) (order uint8) {
	code := p.byte()
	if code == 0 {
		clear(res)
		return 0
	}
	p.packed(res, int(code&maxWidth))
	return code >> 6
}

func (d *Decoder) readIntegers(p *parser, g *group) {
	for c := range g.count {
		column := g.first + c
		res := d.res[0][:d.rows-1]
		if order := p.column(res); order != 0 {
			p.fail(fmt.Sprintf("integers predicted with order %d, where it must be 0", order))
		}
		if p.err != nil {
			return
		}
		for i, r := range res {
			was, is := d.row(i), d.row(i+1)
			is[column] = d.predictWhole(g.rule, column, was, is) + unzigzag(r)
		}
	}
}

func (d *Decoder) readNumbers(p *parser, g *group) {
	var order [8]uint8
	var wrong [8]misses
	for c := range g.count {
		order[c] = p.column(d.res[c][:d.rows-1])
		if order[c] != 0 && !g.rule.extrapolated() {
			p.fail(fmt.Sprintf("derived numbers predicted with order %d, where it must be 0", order[c]))
		}
	}
	if p.err != nil {
		return
	}
	dt, extrapolated := d.step.Seconds(), g.rule.extrapolated()
	var base prediction
	for i := range d.rows - 1 {
		was, is := d.row(i), d.row(i+1)
		stepped := was[stepColumn] != is[stepColumn]
		if stepped {
			d.predict(g, was, is, dt, &base)
		} else {
			g.predictStill(was, &base)
		}
		for c := range g.count {
			p := base[c]
			if extrapolated && stepped {
				p += wrong[c].correction(order[c])
			}
			w := corrected(d.res[c][i], p)
			is[g.first+c] = w
			if extrapolated && stepped {
				wrong[c].add(number(w) - base[c])
			}
		}
	}
}

// total reads how many touches or events there are.
func (d *Decoder) total(p *parser, column int) (n int) {
	for row := range d.rows {
		more := d.row(row)[column]
		if more > maxLists || n+int(more) > maxLists {
			p.fail("more touches or events than a block can hold")
			return 0
		}
		n += int(more)
	}
	return n
}

func (d *Decoder) readTouches(p *parser) {
	d.touches = resize(d.touches, d.total(p, touchesColumn))
	if len(d.touches) == 0 {
		return
	}
	for word := range touchWords {
		if word == 2 {
			d.refs = d.link(d.refs)
		}
		d.readList(p, len(d.touches), func(i int, residual uint64) {
			setTouchWord(&d.touches[i], word, orderedWord(word, d.predictTouch(d.refs, i, word)+unzigzag(residual)))
		})
	}
}

func (d *Decoder) readEvents(p *parser) {
	d.events = resize(d.events, d.total(p, eventsColumn))
	if len(d.events) == 0 {
		return
	}
	d.readList(p, len(d.events), func(i int, residual uint64) { d.events[i].Kind = physics.EventKind(residual) })
	for word := range touchWords {
		d.readList(p, len(d.events), func(i int, residual uint64) {
			setTouchWord(&d.events[i].Touch, word, orderedWord(word, unzigzag(residual)))
		})
	}
}

func (d *Decoder) readList(p *parser, n int, set func(i int, residual uint64)) {
	d.res[0] = resize(d.res[0], max(n, d.rows))
	res := d.res[0][:n]
	p.column(res)
	if p.err != nil {
		return
	}
	for i, r := range res {
		set(i, r)
	}
}

// Len returns how many states the block holds.
func (d *Decoder) Len() int { return d.rows }

// State copies the i-th state of the block into a snapshot, reusing its slices.
func (d *Decoder) State(i int, into *physics.Snapshot) { d.state(i, into) }

// find returns the first state from one on whose step is at least the given one, and tells whether it is that.
func (d *Decoder) find(i int, step int64) (at int, ok bool) {
	for ; i < d.rows; i++ {
		if s, _ := d.StepOf(i); s >= step {
			return i, s == step
		}
	}
	return i, false
}

// clear has the decoder hold no states.
func (d *Decoder) clear() { d.rows = 0 }

// StepOf returns the i-th state's step, and tells whether it came after Settle.
func (d *Decoder) StepOf(i int) (step int64, settled bool) {
	w := d.row(i)
	return int64(w[stepColumn]), w[settledColumn] != 0
}
