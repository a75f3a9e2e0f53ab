package msg

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"
)

// encapsulation begins each message of ROS 2: CDR of version 1, little-endian, without options. Source: RTPS 2.3,
// section 10.2.
const encapsulation = "\x00\x01\x00\x00"

// cdrWriter encodes a message in CDR. Alignment counts from the byte at index start of b.
type cdrWriter struct {
	b     []byte
	start int

	bulk *op    // the field that is left out of b, or nil
	data []byte // its bytes, after the message is encoded
	at   int    // their place in b
}

var zeros [8]byte

// align appends zeros until the next byte is at a multiple of n, which must be a power of 2.
func (w *cdrWriter) align(n int) { w.b = append(w.b, zeros[:(w.start-len(w.b))&(n-1)]...) }

func (w *cdrWriter) fields(p *plan, m unsafe.Pointer) {
	for i := range p.ops {
		o := &p.ops[i]
		w.value(o, unsafe.Add(m, o.off))
	}
}

func (w *cdrWriter) value(o *op, v unsafe.Pointer) {
	switch o.kind {
	case kStruct:
		w.fields(o.plan, v)
	case kArray:
		w.elems(o, v, o.n)
	case kSlice:
		s := *(*[]byte)(v) // every slice has its length and data at the same offsets as a []byte
		w.align(4)
		w.b = le.AppendUint32(w.b, uint32(len(s)))
		if o == w.bulk {
			w.data, w.at = s, len(w.b)
			w.start -= len(s)
			return
		}
		w.elems(o, unsafe.Pointer(unsafe.SliceData(s)), len(s))
	case kString:
		s := *(*string)(v)
		w.align(4)
		w.b = append(append(le.AppendUint32(w.b, uint32(len(s)+1)), s...), 0)
	case kNothing:
		w.b = append(w.b, 0)
	default:
		w.align(o.min)
		w.b = o.encode(w.b, v)
	}
}

func (w *cdrWriter) elems(o *op, v unsafe.Pointer, n int) {
	if o.elem.primitive() {
		if n > 0 {
			w.align(o.elem.min)
		}
		w.b = o.encodeElems(w.b, v, n)
		return
	}
	for i := range n {
		w.value(o.elem, unsafe.Add(v, uintptr(i)*o.size))
	}
}

// primitive reports whether o is a bool or a number. Then o.min is its size and its alignment.
func (o *op) primitive() bool { return o.kind <= k8 }

// AppendParts is like Append for a message of ROS 2, but does not copy the bytes of the last byte array of variable
// length among the fields of T, such as the pixels of an Image. The message is all[:at], bulk, all[at:], where all are
// the bytes appended to b. If T has no such field, bulk is empty.
func (c *Codec[T]) AppendParts(b []byte, m *T) (all []byte, at int, bulk []byte) {
	w := cdrWriter{b: append(b, encapsulation...), bulk: c.plan.bulk()}
	w.start = len(w.b)
	w.fields(c.plan, unsafe.Pointer(m))
	if w.bulk == nil {
		w.at = len(w.b)
	}
	return w.b, w.at, w.data
}

// bulk returns the last field that is a byte array of variable length, or nil.
func (p *plan) bulk() *op {
	for i := len(p.ops) - 1; i >= 0; i-- {
		if o := &p.ops[i]; o.kind == kSlice && o.elem.kind == k1 {
			return o
		}
	}
	return nil
}

// errEncapsulation means that a message is not in CDR of version 1.
var errEncapsulation = errors.New("must begin with 0, and with 0 or 1 for a big-endian or little-endian message")

// maxPadding is the maximum number of bytes after the last field, because RTPS fills messages up to a multiple of 4.
const maxPadding = 3

// cdrReader decodes a message in CDR.
type cdrReader struct {
	b    []byte // the rest of the message
	size int    // size of the message without its encapsulation
	big  bool   // whether the message is big-endian
}

// decodeCDR decodes a message of ROS 2, which may end with padding. It returns the bytes after the last field.
func (p *plan) decodeCDR(b []byte, m unsafe.Pointer) ([]byte, error) {
	if len(b) < len(encapsulation) {
		return b, errShort
	}
	if b[0] != 0 || b[1] > 1 {
		return b, fmt.Errorf("encapsulation = %d, %d: %w", b[0], b[1], errEncapsulation)
	}
	r := cdrReader{b: b[len(encapsulation):], size: len(b) - len(encapsulation), big: b[1] == 0}
	err := r.fields(p, m)
	if err == nil && len(r.b) <= maxPadding {
		r.b = nil
	}
	return r.b, err
}

// align skips bytes until the next byte is at a multiple of n, and checks that so many bytes follow.
func (r *cdrReader) align(n, follow int) error {
	pad := (len(r.b) - r.size) & (n - 1)
	if len(r.b) < pad+follow {
		return fmt.Errorf("%d bytes left: must be at least %d: %w", len(r.b), pad+follow, errShort)
	}
	r.b = r.b[pad:]
	return nil
}

func (r *cdrReader) fields(p *plan, m unsafe.Pointer) error {
	for i := range p.ops {
		o := &p.ops[i]
		if err := r.value(o, unsafe.Add(m, o.off)); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
	}
	return nil
}

func (r *cdrReader) value(o *op, v unsafe.Pointer) error {
	switch o.kind {
	case kStruct:
		return r.fields(o.plan, v)
	case kArray:
		return r.elems(o, v, o.n)
	case kSlice:
		n, err := r.count(o.elem.min, o.most)
		if err != nil {
			return err
		}
		o.resize(v, n)
		return r.elems(o, unsafe.Pointer(unsafe.SliceData(*(*[]byte)(v))), n)
	case kString:
		s, err := r.text(o.most)
		if err == nil {
			*(*string)(v) = string(s)
		}
		return err
	case kNothing:
		err := r.align(1, 1)
		if err == nil {
			r.b = r.b[1:]
		}
		return err
	}
	if err := r.align(o.min, o.min); err != nil {
		return err
	}
	r.b, _ = o.decode(r.b, v)
	if r.big {
		o.reverse(v)
	}
	return nil
}

func (r *cdrReader) elems(o *op, v unsafe.Pointer, n int) error {
	if !o.elem.primitive() {
		for i := range n {
			if err := r.value(o.elem, unsafe.Add(v, uintptr(i)*o.size)); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	}
	if n == 0 {
		return nil
	}
	if err := r.align(o.elem.min, n*o.elem.min); err != nil {
		return err
	}
	r.b, _ = o.decodeElems(r.b, v, n)
	for i := 0; i < n && r.big; i++ {
		o.elem.reverse(unsafe.Add(v, uintptr(i)*o.size))
	}
	return nil
}

// reverse changes the order of the bytes of a number.
func (o *op) reverse(v unsafe.Pointer) {
	switch o.kind {
	case k2:
		*(*uint16)(v) = bits.ReverseBytes16(*(*uint16)(v))
	case k4:
		*(*uint32)(v) = bits.ReverseBytes32(*(*uint32)(v))
	case k8:
		*(*uint64)(v) = bits.ReverseBytes64(*(*uint64)(v))
	}
}

// count reads the number of elements of a variable array. It returns an error if the number is above most, unless most
// is 0, or if the message is too short for elements of at least min bytes each.
func (r *cdrReader) count(min, most int) (int, error) {
	if err := r.align(4, 4); err != nil {
		return 0, err
	}
	n := le.Uint32(r.b)
	if r.big {
		n = bits.ReverseBytes32(n)
	}
	r.b = r.b[4:]
	if uint64(n)*uint64(min) > uint64(len(r.b)) {
		return 0, fmt.Errorf("%d elements: %d bytes are left: %w", n, len(r.b), errShort)
	}
	if most > 0 && int(n) > most {
		return 0, fmt.Errorf("%d elements: must be at most %d", n, most)
	}
	return int(n), nil
}

// errUnterminated means that a string does not end with a byte 0.
var errUnterminated = errors.New("a string must end with a byte 0")

// text reads a string. most limits its bytes, as in count. Some implementations write an empty string without its byte
// 0.
func (r *cdrReader) text(most int) ([]byte, error) {
	if most > 0 {
		most++
	}
	n, err := r.count(1, most)
	if err != nil || n == 0 {
		return nil, err
	}
	s := r.b[:n]
	r.b = r.b[n:]
	if s[n-1] != 0 {
		return nil, errUnterminated
	}
	return s[:n-1], nil
}

// resize sets the length of the slice at v to n. It allocates memory only if the slice's capacity is too small.
func (o *op) resize(v unsafe.Pointer, n int) {
	// Every slice has its capacity at the same offset as a []byte. A new array needs its real type for the garbage
	// collector.
	if s := (*[]byte)(v); n <= cap(*s) {
		*s = (*s)[:n]
	} else {
		reflect.NewAt(o.slice, v).Elem().Set(reflect.MakeSlice(o.slice, n, n))
	}
}
