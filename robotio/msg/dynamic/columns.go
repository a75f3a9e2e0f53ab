package dynamic

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// MaxColumns is the maximum number of columns of a table. It is the limit of spreadsheets.
const MaxColumns = 16384

// maxExpanded is the largest number of elements of an array that get their own columns. It is a guess: more than the
// bodies of a match, fewer than the rays of a laser.
const maxExpanded = 64

// maxArrayColumns is the largest number of columns of all elements of an array together, so that one array does not
// fill the table. It is a guess: the bodies of a match need 200 columns.
const maxArrayColumns = 1024

// Columns converts encoded messages of one type to rows of a table. Each number or text has a column, named as in
// genpy: pose.position.x, bodies[0].name. An array has columns for the elements of the longest array that Widen has
// seen; in messages with a shorter array, the other cells are empty. An array with more than 64 elements or 1,024
// columns, or without elements in all messages, has one column, which contains a JSON list. For uint8[] and char[] of
// variable length, the only column contains the number of bytes: data.length. Times and durations are seconds with nine
// decimals. Floats that are not finite are nan, inf and -inf.
//
// A Columns belongs to one goroutine.
type Columns struct {
	codec *Codec
	root  *shape
	json  []byte // reused
}

// shape holds the lengths of the arrays in the messages seen so far, field by field.
type shape struct {
	longest []int    // for each field, the largest length seen
	nested  []*shape // for each field of messages, the shape of its elements together
	expand  []bool   // for each field, whether the elements of the array have columns; set by Header
	columns []int    // for each field, the number of columns of one element
	whole   int      // number of columns of the message
}

// errWide means that a table would have too many columns.
var errWide = fmt.Errorf("too many columns: a table has at most %d", MaxColumns)

// NewColumns returns the columns for a codec's messages. It fails if the message has more fields than a table may have
// columns.
func NewColumns(c *Codec) (*Columns, error) {
	if c.root.def.Leaves > MaxColumns {
		return nil, fmt.Errorf("message %s: %w", c.root.def.Name, errWide)
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

// Widen widens the table for a message. It must be called for all messages before Header. It fails if b is not a
// message.
func (c *Columns) Widen(b []byte) error {
	r := c.codec.reader(b)
	return c.codec.end(r, len(b), c.codec.root.check(r, c.root))
}

// Header returns the columns' names. It fails if there are more than MaxColumns.
func (c *Columns) Header() ([]string, error) {
	if c.codec.root.measure(c.root); c.root.whole > MaxColumns {
		return nil, fmt.Errorf("message %s: %w", c.codec.root.def.Name, errWide)
	}
	return c.codec.root.columnNames(nil, "", c.root), nil
}

// measure decides which arrays get columns, and counts the columns, up to just above MaxColumns.
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

// counted reports whether the only column of a field contains the length of the field.
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

// columnNames appends the column names of one element.
func (f *field) columnNames(names []string, name string, s *shape) []string {
	if f.kind == kMessage {
		return f.msg.columnNames(names, name+".", s)
	}
	return append(names, name)
}

// errNotWidened means that a row is wider than its header.
var errNotWidened = errors.New("is longer than the header allows")

// Row calls the function cell with the text of every column of a message, in the order of the header. The text is valid
// during the call of cell. Row fails if b is not a message, or needs more columns than the messages seen by Widen.
func (c *Columns) Row(b []byte, cell func(text []byte)) error {
	r := c.codec.reader(b)
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

// value passes the cells of a value that is not an array.
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
		b, err := r.values(f, 1)
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

// appendNumber appends a time or a float, including floats that JSON cannot express.
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

// appendSeconds appends a time exactly. nsecs may exceed a second or be negative.
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
