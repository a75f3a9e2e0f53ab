package dynamic

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// AppendROS appends the encoding of a message in JSON. Missing fields are 0, empty or false. A std_msgs/Header without
// a stamp gets now, and so does a time that is the string "now". Bytes may be base64 or a list. Unknown fields, numbers
// out of range and fixed arrays of another length are errors. After an error, the result ends with a part of the
// message.
func (c *Codec) AppendROS(dst, text []byte, now msg.Time) ([]byte, error) {
	text, err := valid(text)
	if err == nil {
		e := encoder{now: now, most: len(dst) + maxEncoded, cdr: c.root.def.ROS2()}
		if e.cdr {
			dst = append(dst, cdrHeader...)
		}
		e.start = len(dst)
		dst, err = e.message(dst, c.root, text)
	}
	if err != nil {
		return dst, fmt.Errorf("message %s: %w", c.root.def.Name, err)
	}
	return dst, nil
}

// maxEncoded is the maximum size of an encoded message in bytes. It is needed because a short text may stand for large
// fixed arrays. It is a guess: the default limit of nodes.
const maxEncoded = 64 << 20

// encoder encodes one message.
type encoder struct {
	now   msg.Time
	most  int // limit of the result, bytes
	empty int // total weight so far of elements that take no bytes

	cdr   bool // whether the message is in CDR, as in ROS 2
	start int  // in CDR, alignment counts from the byte at this index
}

// align appends zeros so that the next value begins at a multiple of n bytes.
func (e *encoder) align(dst []byte, n int) []byte {
	if e.cdr {
		dst = append(dst, make([]byte, (e.start-len(dst))&(n-1))...)
	}
	return dst
}

func (e *encoder) message(dst []byte, m *message, text []byte) ([]byte, error) {
	// values holds the object's values in the order of the fields. It uses the array few if the definition has at most
	// 16 fields, as most do.
	var few [16][]byte
	values := few[:0]
	if len(m.fields) > len(few) {
		values = make([][]byte, 0, len(m.fields))
	}
	values = values[:len(m.fields)]
	err := object(text, func(key, value []byte) error {
		i, ok := m.names[string(key)]
		if !ok {
			return fmt.Errorf("%s: no such field", clip(key))
		}
		values[i] = value
		return nil
	})
	for i := 0; i < len(values) && err == nil; i++ {
		f := &m.fields[i]
		switch {
		case values[i] != nil:
			if dst, err = e.field(dst, f, values[i]); err != nil {
				err = fmt.Errorf("%s: %w", f.name, err)
			}
		case m.header && f.name == "stamp":
			dst = le.AppendUint32(le.AppendUint32(e.align(dst, 4), e.now.Sec), e.now.Nsec)
		default:
			dst = e.zero(dst, f)
		}
	}
	if len(dst) > e.most && err == nil {
		err = fmt.Errorf("takes more than %d bytes", maxEncoded)
	}
	return dst, err
}

// zero appends a field that is missing in the JSON text: its lengths and numbers are 0.
func (e *encoder) zero(dst []byte, f *field) []byte {
	n := 1
	switch {
	case f.array && f.n < 0:
		return append(e.align(dst, 4), 0, 0, 0, 0)
	case f.array:
		n = f.n
	}
	if !e.cdr {
		return append(dst, make([]byte, n*f.size)...)
	}
	if f.kind != kMessage && f.kind != kString && n > 0 {
		return append(e.align(dst, f.align), make([]byte, n*f.size)...)
	}
	for range n {
		if f.kind == kString {
			dst = append(e.align(dst, 4), 1, 0, 0, 0, 0)
			continue
		}
		for i := range f.msg.fields {
			dst = e.zero(dst, &f.msg.fields[i])
		}
	}
	return dst
}

func (e *encoder) field(dst []byte, f *field, text []byte) ([]byte, error) {
	if !f.array {
		return e.value(dst, f, text)
	}
	if f.bytes() && text[0] == '"' {
		return e.base64(dst, f, text)
	}
	n := 0
	dst, at := e.length(dst, f)
	err := list(text, func(_ int, value []byte) (err error) {
		n++
		if f.n >= 0 && n > f.n {
			return fmt.Errorf("must have %d elements", f.n)
		}
		if f.size == 0 {
			if e.empty += f.weight; e.empty > maxEmpty {
				return fmt.Errorf("a message has at most %d elements without bytes", maxEmpty)
			}
		}
		dst, err = e.value(dst, f, value)
		return err
	})
	switch {
	case err != nil:
	case f.most > 0 && n > f.most:
		err = fmt.Errorf("%d elements: must be at most %d", n, f.most)
	case f.n < 0:
		le.PutUint32(dst[at:], uint32(n))
	case n != f.n:
		err = fmt.Errorf("%d elements: must be %d", n, f.n)
	}
	return dst, err
}

// length appends the length of a variable array, which the caller sets later. It returns the place of the length.
func (e *encoder) length(dst []byte, f *field) (_ []byte, at int) {
	if f.n < 0 {
		dst = append(e.align(dst, 4), 0, 0, 0, 0)
	}
	return dst, len(dst) - 4
}

// base64 appends an array of bytes.
func (e *encoder) base64(dst []byte, f *field, text []byte) ([]byte, error) {
	s, err := unquote(text)
	if err != nil {
		return dst, err
	}
	dst, at := e.length(dst, f)
	start := len(dst)
	enc := base64.StdEncoding
	if !bytes.HasSuffix(s, []byte("=")) && len(s)%4 != 0 {
		enc = base64.RawStdEncoding
	}
	if dst, err = enc.AppendDecode(dst, s); err != nil {
		return dst, fmt.Errorf("%s: must be base64", clip(text))
	}
	n := len(dst) - start
	if f.n >= 0 && n != f.n {
		return dst, fmt.Errorf("%d bytes: must be %d", n, f.n)
	}
	if f.most > 0 && n > f.most {
		return dst, fmt.Errorf("%d bytes: must be at most %d", n, f.most)
	}
	if f.n < 0 {
		le.PutUint32(dst[at:], uint32(n))
	}
	return dst, nil
}

// value appends a value that is not an array.
func (e *encoder) value(dst []byte, f *field, text []byte) ([]byte, error) {
	if f.kind == kMessage {
		return e.message(dst, f.msg, text)
	}
	dst = e.align(dst, f.align)
	switch f.kind {
	case kString:
		s, err := unquote(text)
		if f.mostText > 0 && len(s) > f.mostText {
			err = fmt.Errorf("%s: must have at most %d bytes", clip(text), f.mostText)
		}
		return e.string(dst, s), err
	case kBool:
		switch string(text) {
		case "true":
			return append(dst, 1), nil
		case "false":
			return append(dst, 0), nil
		}
		return dst, fmt.Errorf("%s: must be true or false", clip(text))
	case kTime, kDuration:
		return e.time(dst, f, text)
	case kFloat32, kFloat64:
		v, err := number(text)
		if f.kind == kFloat64 {
			return le.AppendUint64(dst, math.Float64bits(v)), err
		}
		if math.IsInf(float64(float32(v)), 0) {
			err = fmt.Errorf("%s: must fit float32", clip(text))
		}
		return le.AppendUint32(dst, math.Float32bits(float32(v))), err
	}
	return f.integer(dst, text)
}

// string appends a string.
func (e *encoder) string(dst, s []byte) []byte {
	dst = e.align(dst, 4)
	if e.cdr {
		return append(append(le.AppendUint32(dst, uint32(len(s)+1)), s...), 0)
	}
	return append(le.AppendUint32(dst, uint32(len(s))), s...)
}

// number reads a JSON number; null is NaN.
func number(text []byte) (float64, error) {
	if string(text) == "null" {
		return math.NaN(), nil
	}
	if text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return 0, fmt.Errorf("%s: must be a number", clip(text))
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return 0, fmt.Errorf("%s: must fit float64", clip(text))
	}
	return v, nil
}

// integer appends an integer. It accepts 1.0, because some languages write integers in this form.
func (f *field) integer(dst, text []byte) ([]byte, error) {
	bits := 8 * f.size
	var v uint64
	if f.kind >= kUint8 {
		u, err := strconv.ParseUint(string(text), 10, bits)
		if err != nil {
			x, ferr := number(text)
			if ferr != nil || x != math.Trunc(x) || x < 0 || x >= math.Ldexp(1, bits) {
				return dst, fmt.Errorf("%s: must be an integer in [0, %d]", clip(text),
					uint64(math.MaxUint64)>>(64-bits))
			}
			u = uint64(x)
		}
		v = u
	} else {
		i, err := strconv.ParseInt(string(text), 10, bits)
		if err != nil {
			x, ferr := number(text)
			if half := math.Ldexp(1, bits-1); ferr != nil || x != math.Trunc(x) || x < -half || x >= half {
				return dst, fmt.Errorf("%s: must be an integer in [%d, %d]", clip(text), math.MinInt64>>(64-bits),
					math.MaxInt64>>(64-bits))
			}
			i = int64(x)
		}
		v = uint64(i)
	}
	switch f.size {
	case 1:
		return append(dst, byte(v)), nil
	case 2:
		return le.AppendUint16(dst, uint16(v)), nil
	case 4:
		return le.AppendUint32(dst, uint32(v)), nil
	}
	return le.AppendUint64(dst, v), nil
}

// A time and a duration are two 32-bit words. Clients of rosbridge call them secs and nsecs, and clients written for
// ROS 2 sec and nanosec.
var (
	timeWord     = field{kind: kUint32, size: 4}
	durationWord = field{kind: kInt32, size: 4}
)

func (e *encoder) time(dst []byte, f *field, text []byte) ([]byte, error) {
	if f.kind == kTime && string(text) == `"now"` {
		return le.AppendUint32(le.AppendUint32(dst, e.now.Sec), e.now.Nsec), nil
	}
	word := &timeWord
	if f.kind == kDuration {
		word = &durationWord
	}
	at := len(dst)
	dst = append(dst, make([]byte, 8)...)
	err := object(text, func(key, value []byte) error {
		place := at
		switch string(key) {
		case "secs", "sec":
		case "nsecs", "nsec", "nanosec":
			place += 4
		default:
			return fmt.Errorf("%s: no such field: a %s has %s and %s", clip(key), f.typ, f.secs, f.nsecs)
		}
		if _, err := word.integer(dst[:place:len(dst)], value); err != nil {
			return fmt.Errorf("%s: %w", clip(key), err)
		}
		return nil
	})
	return dst, err
}
