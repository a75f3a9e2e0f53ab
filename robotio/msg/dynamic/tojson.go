package dynamic

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the encoded message b as JSON. After an error, the result ends with a part of the JSON text.
func (c *Codec) AppendJSON(dst, b []byte) ([]byte, error) {
	r := c.reader(b)
	dst, err := c.root.appendJSON(dst, r)
	return dst, c.end(r, len(b), err)
}

func (m *message) appendJSON(dst []byte, r *reader) (_ []byte, err error) {
	dst = append(dst, '{')
	for i := range m.fields {
		f := &m.fields[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f.key...)
		if dst, err = f.appendJSON(dst, r); err != nil {
			return dst, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return append(dst, '}'), nil
}

func (f *field) appendJSON(dst []byte, r *reader) ([]byte, error) {
	if !f.array {
		return f.valueJSON(dst, r)
	}
	n, err := r.count(f)
	if err != nil {
		return dst, err
	}
	if f.bytes() {
		b, err := r.take(n)
		dst = slices.Grow(dst, base64.StdEncoding.EncodedLen(n)+2)
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"'), err
	}
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = f.valueJSON(dst, r); err != nil {
			return dst, fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return append(dst, ']'), nil
}

// valueJSON appends a value that is not an array.
func (f *field) valueJSON(dst []byte, r *reader) ([]byte, error) {
	switch f.kind {
	case kMessage:
		return f.msg.appendJSON(dst, r)
	case kString:
		b, err := r.text()
		if err != nil {
			return dst, err
		}
		return AppendString(dst, b), nil
	}
	b, err := r.values(f, 1)
	if err != nil {
		return dst, err
	}
	switch f.kind {
	case kBool:
		return strconv.AppendBool(dst, b[0] != 0), nil
	case kTime:
		return f.appendTime(dst, int64(le.Uint32(b)), int64(le.Uint32(b[4:]))), nil
	case kDuration:
		return f.appendTime(dst, int64(int32(le.Uint32(b))), int64(int32(le.Uint32(b[4:])))), nil
	case kFloat32:
		return appendFloat(dst, float64(math.Float32frombits(le.Uint32(b))), 32), nil
	case kFloat64:
		return appendFloat(dst, math.Float64frombits(le.Uint64(b)), 64), nil
	case kUint8, kUint16, kUint32, kUint64:
		return strconv.AppendUint(dst, unsigned(b), 10), nil
	}
	return strconv.AppendInt(dst, signed(b), 10), nil
}

func (f *field) appendTime(dst []byte, secs, nsecs int64) []byte {
	dst = append(append(append(dst, `{"`...), f.secs...), `":`...)
	dst = append(append(append(strconv.AppendInt(dst, secs, 10), `,"`...), f.nsecs...), `":`...)
	return append(strconv.AppendInt(dst, nsecs, 10), '}')
}

func appendFloat(dst []byte, v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(dst, "null"...)
	}
	format := byte('f')
	// with an exponent, as in JavaScript, to avoid hundreds of zeros
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, v, format, -1, bits)
}

// unsigned and signed read an integer of 1, 2, 4 or 8 bytes.
func unsigned(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(le.Uint16(b))
	case 4:
		return uint64(le.Uint32(b))
	}
	return le.Uint64(b)
}

func signed(b []byte) int64 {
	shift := 64 - 8*len(b)
	return int64(unsigned(b)<<shift) >> shift
}

const hexDigits = "0123456789abcdef"

// AppendString appends text as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendString[T string | []byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, n := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		i++
	}
	return append(dst, '"')
}
