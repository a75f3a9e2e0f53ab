package dynamic

import (
	"fmt"
	"math"
	"strconv"
)

// Value is a number or a text in a message.
type Value struct {
	// Path is the path of the field, such as "pose.position.x" or "ranges[3]". It is valid until the next value.
	Path []byte
	// Number is the number. A bool becomes 0 or 1, and a time or a duration is in seconds. Integers of more than 53
	// bits are rounded.
	Number float64
	// Text is the content of a string, else nil. It points into the message.
	Text []byte
}

// Values calls the function each with every value of the encoded message b, in order. It leaves out byte arrays, such
// as images. If b has an error, Values first passes the values before the error.
func (c *Codec) Values(b []byte, each func(*Value)) error {
	r := c.reader(b)
	var v Value
	return c.end(r, len(b), c.root.values(r, &v, each))
}

func (m *message) values(r *reader, v *Value, each func(*Value)) error {
	above := len(v.Path)
	for i := range m.fields {
		f := &m.fields[i]
		if v.Path = v.Path[:above]; above > 0 {
			v.Path = append(v.Path, '.')
		}
		v.Path = append(v.Path, f.name...)
		if err := f.values(r, v, each); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	v.Path = v.Path[:above]
	return nil
}

func (f *field) values(r *reader, v *Value, each func(*Value)) error {
	if !f.array {
		return f.oneValue(r, v, each)
	}
	n, err := r.count(f)
	if err != nil {
		return err
	}
	if f.bytes() {
		_, err = r.take(n)
		return err
	}
	path := len(v.Path)
	for i := range n {
		v.Path = append(strconv.AppendInt(append(v.Path[:path], '['), int64(i), 10), ']')
		if err := f.oneValue(r, v, each); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}

// oneValue passes a value that is not an array, or its parts.
func (f *field) oneValue(r *reader, v *Value, each func(*Value)) (err error) {
	v.Text = nil
	switch f.kind {
	case kMessage:
		return f.msg.values(r, v, each)
	case kString:
		v.Number = math.NaN()
		if v.Text, err = r.text(); err == nil {
			each(v)
		}
		return err
	}
	b, err := r.values(f, 1)
	if err == nil {
		v.Number = f.number(b)
		each(v)
	}
	return err
}

// number returns the number that b encodes.
func (f *field) number(b []byte) float64 {
	switch f.kind {
	case kTime:
		return float64(le.Uint32(b)) + float64(le.Uint32(b[4:]))/1e9
	case kDuration:
		return float64(int32(le.Uint32(b))) + float64(int32(le.Uint32(b[4:])))/1e9
	case kFloat32:
		return float64(math.Float32frombits(le.Uint32(b)))
	case kFloat64:
		return math.Float64frombits(le.Uint64(b))
	case kBool, kUint8, kUint16, kUint32, kUint64:
		return float64(unsigned(b))
	}
	return float64(signed(b))
}
