package dynamic

import (
	"fmt"
	"math"
	"strconv"
)

// Value is one value of a message that has no parts.
type Value struct {
	// Path names the field and those that it is a part of, as "pose.position.x" and "ranges[3]"; valid until the next
	// value.
	Path []byte
	// Number is what it is; a bool is 0 or 1, a time or a duration is seconds. Integers of more than 53 bits are
	// rounded.
	Number float64
	// Text is the content of a string, else nil; of the message's memory.
	Text []byte
}

// Values passes on every value of the encoded message b, in their order, but those of arrays of bytes, as images are.
// Up to an error it has passed on what comes before.
func (c *Codec) Values(b []byte, each func(*Value)) error {
	r := &reader{b: b}
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

// oneValue passes on one value that is no array, or its parts.
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
	b, err := r.take(f.size)
	if err != nil {
		return err
	}
	switch f.kind {
	case kTime:
		v.Number = float64(le.Uint32(b)) + float64(le.Uint32(b[4:]))/1e9
	case kDuration:
		v.Number = float64(int32(le.Uint32(b))) + float64(int32(le.Uint32(b[4:])))/1e9
	case kFloat32:
		v.Number = float64(math.Float32frombits(le.Uint32(b)))
	case kFloat64:
		v.Number = math.Float64frombits(le.Uint64(b))
	case kBool, kUint8, kUint16, kUint32, kUint64:
		v.Number = float64(unsigned(b))
	default:
		v.Number = float64(signed(b))
	}
	each(v)
	return nil
}
