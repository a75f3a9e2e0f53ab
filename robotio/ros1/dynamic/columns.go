package dynamic

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// MaxColumns bounds a table's width: that of spreadsheets.
const MaxColumns = 16384

// maxExpanded is how many elements of an array get columns of their own. A guess: more than the bodies of a match, less
// than the rays of a laser.
const maxExpanded = 64

// maxArrayColumns is how many columns an array's elements get together, so that one of large messages does not fill a
// table. A guess: the bodies of a match take 200.
const maxArrayColumns = 1024

// Columns turns encoded messages of one type into rows of a table with a column for each number and text in them, named
// as genpy does: pose.position.x, bodies[0].name. An array has as many columns as the longest that Widen has seen,
// cells of shorter ones being empty; one of more than 64 elements or 1,024 columns, or of no element in any message, is
// one column, a JSON list. Of uint8[] and char[] of variable length the column tells how many bytes there are:
// data.length. Times and durations are seconds with nine decimals. Floats that are no numbers are nan, inf and -inf.
//
// Columns are for one goroutine.
type Columns struct {
	codec *Codec
	root  *shape
	json  []byte // memory
}

// shape is how wide a message has become, field by field.
type shape struct {
	longest []int    // array that was seen, by field
	nested  []*shape // of messages, of all elements together
	expand  []bool   // whether the elements of an array have columns; set by Header
	columns []int    // of one element
	whole   int      // of the message
}

// errWide says that a table has too many columns.
var errWide = fmt.Errorf("more than %d columns: a table has at most so many", MaxColumns)

// NewColumns returns the columns of a codec's messages. It fails on messages with more fields than a table may have
// columns.
func NewColumns(c *Codec) (*Columns, error) {
	if c.def.Leaves > MaxColumns {
		return nil, fmt.Errorf("message %s: %w", c.def.Name, errWide)
	}
	return &Columns{codec: c, root: newShape(c.root)}, nil
}

func newShape(m *message) *shape {
	s := &shape{longest: make([]int, len(m.fields)), nested: make([]*shape, len(m.fields)),
		expand: make([]bool, len(m.fields)), columns: make([]int, len(m.fields))}
	for i := range m.fields {
		if f := &m.fields[i]; f.kind == kMessage {
			s.nested[i] = newShape(f.msg)
		}
	}
	return s
}

// Widen makes room for a message; all must be shown to it before Header. It fails where b is none.
func (c *Columns) Widen(b []byte) error {
	r := &reader{b: b}
	return c.codec.end(r, len(b), c.codec.root.widen(r, c.root))
}

func (m *message) widen(r *reader, s *shape) error {
	for i := range m.fields {
		f := &m.fields[i]
		n, err := 1, error(nil)
		if f.array {
			n, err = r.count(f)
			s.longest[i] = max(s.longest[i], n)
		}
		switch {
		case err != nil:
		case f.kind == kMessage || f.kind == kString:
			for j := 0; j < n && err == nil; j++ {
				if f.kind == kString {
					_, err = r.text()
				} else {
					err = f.msg.widen(r, s.nested[i])
				}
			}
		default:
			_, err = r.take(n * f.size)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// Header returns the columns' names. It fails where there are more than MaxColumns.
func (c *Columns) Header() ([]string, error) {
	if c.codec.root.measure(c.root); c.root.whole > MaxColumns {
		return nil, fmt.Errorf("message %s: %w", c.codec.def.Name, errWide)
	}
	return c.codec.root.columnNames(nil, "", c.root), nil
}

// measure decides which arrays get columns of their own, and counts all columns, at most just above MaxColumns.
func (m *message) measure(s *shape) {
	s.whole = 0
	for i := range m.fields {
		f := &m.fields[i]
		s.columns[i] = 1
		if f.kind == kMessage {
			f.msg.measure(s.nested[i])
			s.columns[i] = s.nested[i].whole
		}
		n := s.columns[i]
		if f.array {
			long := s.longest[i]
			if s.expand[i] = long > 0 && long <= maxExpanded && long*n <= maxArrayColumns && !f.counted(); s.expand[i] {
				n *= long
			} else {
				n = 1
			}
		}
		s.whole = min(s.whole+n, MaxColumns+1)
	}
}

// counted says whether a field's column tells how long it is.
func (f *field) counted() bool { return f.bytes() && f.n == msg.Variable }

func (m *message) columnNames(names []string, prefix string, s *shape) []string {
	for i := range m.fields {
		f := &m.fields[i]
		name := prefix + f.name
		switch {
		case f.array && f.counted():
			names = append(names, name+".length")
		case f.array && s.expand[i]:
			for j := range s.longest[i] {
				names = f.columnNames(names, name+"["+strconv.Itoa(j)+"]", s.nested[i])
			}
		case f.array:
			names = append(names, name)
		default:
			names = f.columnNames(names, name, s.nested[i])
		}
	}
	return names
}

// columnNames appends those of one element.
func (f *field) columnNames(names []string, name string, s *shape) []string {
	if f.kind == kMessage {
		return f.msg.columnNames(names, name+".", s)
	}
	return append(names, name)
}

// errNotWidened says that a row does not fit its header.
var errNotWidened = errors.New("is longer than any that the columns were made for")

// Row calls cell for every column of a message, in the order of the header; its text is valid until cell returns. It
// fails where b is no message, or one that Widen has not seen.
func (c *Columns) Row(b []byte, cell func(text []byte)) error {
	r := &reader{b: b}
	return c.codec.end(r, len(b), c.message(c.codec.root, r, c.root, cell))
}

func (c *Columns) message(m *message, r *reader, s *shape, cell func([]byte)) error {
	for i := range m.fields {
		if err := c.field(&m.fields[i], r, s, i, cell); err != nil {
			return fmt.Errorf("%s: %w", m.fields[i].name, err)
		}
	}
	return nil
}

func (c *Columns) field(f *field, r *reader, s *shape, i int, cell func([]byte)) error {
	if !f.array {
		return c.value(f, r, s.nested[i], cell)
	}
	if !s.expand[i] && !f.counted() {
		var err error
		if c.json, err = f.appendJSON(c.json[:0], r); err == nil {
			cell(c.json)
		}
		return err
	}
	n, err := r.count(f)
	if err != nil {
		return err
	}
	if f.counted() {
		c.json = strconv.AppendInt(c.json[:0], int64(n), 10)
		cell(c.json)
		_, err = r.take(n)
		return err
	}
	if n > s.longest[i] {
		return fmt.Errorf("%d elements: %w", n, errNotWidened)
	}
	for range n {
		if err := c.value(f, r, s.nested[i], cell); err != nil {
			return err
		}
	}
	for range (s.longest[i] - n) * s.columns[i] {
		cell(nil)
	}
	return nil
}

// value gives the cells of one value that is no array.
func (c *Columns) value(f *field, r *reader, s *shape, cell func([]byte)) (err error) {
	switch f.kind {
	case kMessage:
		return c.message(f.msg, r, s, cell)
	case kString:
		text, err := r.text()
		if err == nil {
			cell(text)
		}
		return err
	case kTime, kDuration, kFloat32, kFloat64:
		b, err := r.take(f.size)
		if err == nil {
			c.json = f.appendNumber(c.json[:0], b)
			cell(c.json)
		}
		return err
	}
	if c.json, err = f.valueJSON(c.json[:0], r); err == nil {
		cell(c.json)
	}
	return err
}

// appendNumber appends a time or a float, for which JSON has no number.
func (f *field) appendNumber(dst, b []byte) []byte {
	var v float64
	bits := 64
	switch f.kind {
	case kTime:
		return appendSeconds(dst, int64(le.Uint32(b)), int64(le.Uint32(b[4:])))
	case kDuration:
		return appendSeconds(dst, int64(int32(le.Uint32(b))), int64(int32(le.Uint32(b[4:]))))
	case kFloat32:
		v, bits = float64(math.Float32frombits(le.Uint32(b))), 32
	default:
		v = math.Float64frombits(le.Uint64(b))
	}
	switch {
	case math.IsNaN(v):
		return append(dst, "nan"...)
	case math.IsInf(v, 1):
		return append(dst, "inf"...)
	case math.IsInf(v, -1):
		return append(dst, "-inf"...)
	}
	return appendFloat(dst, v, bits)
}

// appendSeconds appends a time, exactly; nsecs may be more than a second's, or negative.
func appendSeconds(dst []byte, secs, nsecs int64) []byte {
	const second = 1_000_000_000
	total := secs*second + nsecs // at most 2^32 s and 2^32 ns
	if total < 0 {
		dst, total = append(dst, '-'), -total
	}
	dst = strconv.AppendInt(dst, total/second, 10)
	dst = append(dst, '.')
	for part, unit := total%second, int64(second/10); unit > 0; unit /= 10 {
		dst = append(dst, byte('0'+part/unit%10))
	}
	return dst
}
