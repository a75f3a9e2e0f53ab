package dynamic

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// CBOR's major types. Source: RFC 8949, section 3.1.
const (
	cborUint   = 0 << 5
	cborNegInt = 1 << 5
	cborBytes  = 2 << 5
	cborText   = 3 << 5
	cborArray  = 4 << 5
	cborMap    = 5 << 5
	cborTag    = 6 << 5
)

// AppendCBOR appends the encoded message b as a CBOR map. After an error, the result ends with a part of the map.
func (c *Codec) AppendCBOR(dst, b []byte) ([]byte, error) {
	r := c.reader(b)
	dst, err := c.root.appendCBOR(dst, r)
	return dst, c.end(r, len(b), err)
}

func (m *message) appendCBOR(dst []byte, r *reader) (_ []byte, err error) {
	dst = appendHead(dst, cborMap, uint64(len(m.fields)))
	for i := range m.fields {
		f := &m.fields[i]
		dst = AppendCBORText(dst, f.name)
		if dst, err = f.appendCBOR(dst, r); err != nil {
			return dst, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return dst, nil
}

func (f *field) appendCBOR(dst []byte, r *reader) ([]byte, error) {
	if !f.array {
		return f.valueCBOR(dst, r)
	}
	n, err := r.count(f)
	if err != nil {
		return dst, err
	}
	if f.bytes() || f.tag != 0 {
		if f.tag != 0 {
			dst = appendHead(dst, cborTag, f.tag)
		}
		b, err := r.values(f, n)
		return AppendCBORBytes(dst, b), err
	}
	dst = appendHead(dst, cborArray, uint64(n))
	for i := range n {
		if dst, err = f.valueCBOR(dst, r); err != nil {
			return dst, fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return dst, nil
}

// valueCBOR appends a value that is not an array.
func (f *field) valueCBOR(dst []byte, r *reader) ([]byte, error) {
	switch f.kind {
	case kMessage:
		return f.msg.appendCBOR(dst, r)
	case kString:
		b, err := r.text()
		if err != nil {
			return dst, err
		}
		if !utf8.Valid(b) {
			return AppendCBORText(dst, string(b)), nil
		}
		return append(appendHead(dst, cborText, uint64(len(b))), b...), nil
	}
	b, err := r.values(f, 1)
	if err != nil {
		return dst, err
	}
	switch f.kind {
	case kBool:
		if b[0] != 0 {
			return append(dst, 0xf5), nil
		}
		return append(dst, 0xf4), nil
	case kTime:
		return f.appendCBORTime(dst, int64(le.Uint32(b)), int64(le.Uint32(b[4:]))), nil
	case kDuration:
		return f.appendCBORTime(dst, int64(int32(le.Uint32(b))), int64(int32(le.Uint32(b[4:])))), nil
	case kFloat32:
		return be.AppendUint32(append(dst, 0xfa), le.Uint32(b)), nil
	case kFloat64:
		return be.AppendUint64(append(dst, 0xfb), le.Uint64(b)), nil
	case kUint8, kUint16, kUint32, kUint64:
		return appendHead(dst, cborUint, unsigned(b)), nil
	}
	return appendInt(dst, signed(b)), nil
}

// AppendCBORMap appends the head of a map. The caller appends its n pairs.
func AppendCBORMap(dst []byte, n int) []byte { return appendHead(dst, cborMap, uint64(n)) }

// AppendCBORUint appends an unsigned integer.
func AppendCBORUint(dst []byte, v uint64) []byte { return appendHead(dst, cborUint, v) }

// AppendCBORText appends a text string. Invalid UTF-8 becomes U+FFFD.
func AppendCBORText(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return append(appendHead(dst, cborText, uint64(len(s))), s...)
}

// AppendCBORBytes appends a byte string.
func AppendCBORBytes(dst, b []byte) []byte {
	return append(appendHead(dst, cborBytes, uint64(len(b))), b...)
}

func (f *field) appendCBORTime(dst []byte, secs, nsecs int64) []byte {
	dst = appendInt(AppendCBORText(AppendCBORMap(dst, 2), f.secs), secs)
	return appendInt(AppendCBORText(dst, f.nsecs), nsecs)
}

func appendInt(dst []byte, v int64) []byte {
	if v < 0 {
		return appendHead(dst, cborNegInt, uint64(-1-v))
	}
	return appendHead(dst, cborUint, uint64(v))
}

// appendHead appends a major type with its argument in as few bytes as possible. Source: RFC 8949, section 3.
func appendHead(dst []byte, major byte, n uint64) []byte {
	switch {
	case n < 24:
		return append(dst, major|byte(n))
	case n <= math.MaxUint8:
		return append(dst, major|24, byte(n))
	case n <= math.MaxUint16:
		return be.AppendUint16(append(dst, major|25), uint16(n))
	case n <= math.MaxUint32:
		return be.AppendUint32(append(dst, major|26), uint32(n))
	}
	return be.AppendUint64(append(dst, major|27), n)
}
