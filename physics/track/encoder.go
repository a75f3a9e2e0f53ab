package track

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/omnipitch/omnipitch/physics"
)

// Encoder codes states in blocks. It belongs to one goroutine at a time, and allocates nothing once it has coded a
// block as large.
type Encoder struct {
	table
	episode int
	limit   int         // states of a block
	base    [8][]uint64 // predictions
	stepped []bool      // each row after the first is a step later than the one before
	one     []uint64    // a column
	res     [8][]uint64
	refs    []int
	out     []byte
}

// NewEncoder returns an encoder of the states of a model, in blocks of at most states, which is at most MaxStates.
func NewEncoder(model *physics.Model, episode, states int) *Encoder {
	e := &Encoder{table: table{shape: shapeOf(model)}, episode: episode}
	_, columns := e.layout(nil)
	e.limit = max(1, min(states, MaxStates, maxWords/columns))
	e.begin(e.limit)
	for i := range e.base {
		e.base[i], e.res[i] = make([]uint64, e.limit), make([]uint64, e.limit)
	}
	e.stepped, e.one = make([]bool, e.limit), make([]uint64, e.limit)
	return e
}

// Add adds a state to the block, and tells whether that is full: it must be taken by Block before the next state. It
// fails, and adds nothing, if the state is not one of the model, or has touches or events beyond counting.
func (e *Encoder) Add(s *physics.Snapshot, settled bool) (full bool, err error) {
	if len(s.Robots) != e.robots || len(s.Obstacles) != e.obstacles {
		return false, fmt.Errorf("a state of %d robots and %d obstacles: the model has %d and %d", len(s.Robots),
			len(s.Obstacles), e.robots, e.obstacles)
	}
	if n := max(len(e.touches)+len(s.Touches), len(e.events)+len(s.Events)); n > maxLists {
		return false, fmt.Errorf("%d touches or events: a block of states holds at most %d", n, maxLists)
	}
	e.add(s, settled)
	return e.rows == e.limit || len(e.touches) > maxLists/2 || len(e.events) > maxLists/2, nil
}

// Len returns how many states the block has so far.
func (e *Encoder) Len() int { return e.rows }

// Block returns the states since the last Block, coded, and which they are. There must be some. The bytes are valid
// until the next Block.
func (e *Encoder) Block() (Header, []byte) {
	h := e.header(e.episode)
	out := appendHeader(e.out[:0], &h)
	out = e.shape.append(out)
	out = e.appendFirst(out)
	for row := 1; row < e.rows; row++ {
		e.stepped[row-1] = e.row(row)[stepColumn] != e.row(row - 1)[stepColumn]
	}
	for i := range e.groups {
		switch g := &e.groups[i]; {
		case g.rule.integer():
			out = e.appendIntegers(out, g)
		case g.rule.extrapolated():
			out = e.appendExtrapolated(out, g)
		default:
			out = e.appendDerived(out, g)
		}
	}
	out = e.appendTouches(out)
	out = e.appendEvents(out)
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
	e.out = out
	e.begin(e.limit)
	return h, out
}

// appendFirst appends the first state: which of its words are not 0, and those.
func (e *Encoder) appendFirst(out []byte) []byte {
	at := len(out)
	out = append(out, make([]byte, (e.columns+7)/8)...)
	for c := range e.columns {
		if w := e.words[c]; w != 0 {
			out[at+c/8] |= 1 << (c % 8)
			out = binary.LittleEndian.AppendUint64(out, w)
		}
	}
	return out
}

// appendColumn appends a column's residuals after a byte of their order and width, which is 0 if no residual is more.
func (e *Encoder) appendColumn(out []byte, res []uint64, order uint8) []byte {
	if !slices.ContainsFunc(res, func(r uint64) bool { return r != 0 }) {
		return append(out, 0)
	}
	width := max(1, bestWidth(res)) // so that the byte is not 0
	return appendPacked(append(out, order<<6|byte(width)), res, width)
}

func (e *Encoder) appendIntegers(out []byte, g *group) []byte {
	for c := range g.count {
		column := g.first + c
		res := e.res[0][:e.rows-1]
		for i := range res {
			was, is := e.row(i), e.row(i+1)
			res[i] = zigzag(is[column] - e.predictWhole(g.rule, column, was, is))
		}
		out = e.appendColumn(out, res, 0)
	}
	return out
}

// appendDerived appends a group whose predictions are taken as they are.
func (e *Encoder) appendDerived(out []byte, g *group) []byte {
	dt := e.step.Seconds()
	var p prediction
	for i := range e.rows - 1 {
		is := e.row(i + 1)
		e.predictRow(g, i, dt, &p)
		for c, w := range is[g.first:][:g.count] {
			e.res[c&7][i] = residual(w, p[c&7])
		}
	}
	for c := range g.count {
		out = e.appendColumn(out, e.res[c][:e.rows-1], 0)
	}
	return out
}

// appendExtrapolated appends a group whose predictions are corrected by their errors.
func (e *Encoder) appendExtrapolated(out []byte, g *group) []byte {
	if g.rule == hold && e.constant(g) {
		return append(out, make([]byte, g.count)...)
	}
	if g.rule != hold {
		e.predictAll(g)
	}
	words, res := e.one[:e.rows], e.res[0][:e.rows-1]
	for c := range g.count {
		for i, at := 0, g.first+c; i < len(words); i, at = i+1, at+e.columns {
			words[i] = e.words[at]
		}
		base := words
		if g.rule != hold {
			base = e.base[c]
		}
		order := bestOrder(words[1:], base)
		residuals(words[1:], base, e.stepped, order, res)
		out = e.appendColumn(out, res, order)
	}
	return out
}

// constant tells whether a group's numbers stay as they are in the first row, and are predicted so: −0 and NaN are not,
// as a correction by 0 makes others of them.
func (e *Encoder) constant(g *group) bool {
	first := e.words[g.first:][:g.count]
	var none misses
	for _, w := range first {
		if residual(w, number(w)+none.correction(0)) != 0 {
			return false
		}
	}
	for i := 1; i < e.rows; i++ {
		if !slices.Equal(e.row(i)[g.first:][:g.count], first) {
			return false
		}
	}
	return true
}

// predictRow sets what is predicted of a group in the row after row i.
func (e *Encoder) predictRow(g *group, i int, dt float64, p *prediction) {
	if was := e.row(i); e.stepped[i] {
		e.predict(g, was, e.row(i+1), dt, p)
	} else {
		g.predictStill(was, p)
	}
}

// predictAll sets what is predicted of a group, in all rows but the first.
func (e *Encoder) predictAll(g *group) {
	dt := e.step.Seconds()
	var p prediction
	for i := range e.rows - 1 {
		e.predictRow(g, i, dt, &p)
		for c := range g.count {
			e.base[c&7][i] = math.Float64bits(p[c&7])
		}
	}
}

func (e *Encoder) appendTouches(out []byte) []byte {
	if len(e.touches) == 0 {
		return out
	}
	e.refs = e.link(e.refs)
	for word := range touchWords {
		out = e.appendList(out, len(e.touches), func(i int) uint64 {
			return zigzag(orderedWord(word, touchWord(&e.touches[i], word)) - e.predictTouch(e.refs, i, word))
		})
	}
	return out
}

func (e *Encoder) appendEvents(out []byte) []byte {
	if len(e.events) == 0 {
		return out
	}
	out = e.appendList(out, len(e.events), func(i int) uint64 { return uint64(e.events[i].Kind) })
	for word := range touchWords {
		out = e.appendList(out, len(e.events), func(i int) uint64 {
			return zigzag(orderedWord(word, touchWord(&e.events[i].Touch, word)))
		})
	}
	return out
}

// appendList appends a column of n residuals.
func (e *Encoder) appendList(out []byte, n int, residual func(i int) uint64) []byte {
	e.res[0] = resize(e.res[0], max(n, e.limit))
	res := e.res[0][:n]
	for i := range res {
		res[i] = residual(i)
	}
	return e.appendColumn(out, res, 0)
}
