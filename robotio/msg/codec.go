package msg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// Codec converts between encoded messages of one definition and values of the Go type T.
type Codec[T any] struct {
	def  *Definition
	plan *plan
}

// Compile returns a codec for the struct T and the definition. If a field of T does not match the definition, Compile
// returns an error that names the first such field.
func Compile[T any](def *Definition) (*Codec[T], error) {
	t := reflect.TypeFor[T]()
	p, err := compileStruct(def, t)
	if err != nil {
		return nil, fmt.Errorf("message %s: Go type %s: %w", def.Name, t, err)
	}
	return &Codec[T]{def, p}, nil
}

// Def returns the codec's definition.
func (c *Codec[T]) Def() *Definition { return c.def }

// Append appends the encoded message m to b. It allocates memory only if b has too little space.
func (c *Codec[T]) Append(b []byte, m *T) []byte {
	if !c.def.ROS2() {
		return c.plan.encode(b, unsafe.Pointer(m))
	}
	w := cdrWriter{b: append(b, encapsulation...)}
	w.start = len(w.b)
	w.fields(c.plan, unsafe.Pointer(m))
	return w.b
}

// Decode decodes a message into m. The message must fill b exactly; one of ROS 2 may be followed by up to 3 bytes.
// Strings and slices are copied from b; a copy uses the memory of the slice in m if it is large enough. After an error,
// m has the fields that were read before the error.
func (c *Codec[T]) Decode(b []byte, m *T) error {
	rest, err := b, error(nil)
	if c.def.ROS2() {
		rest, err = c.plan.decodeCDR(b, unsafe.Pointer(m))
	} else {
		rest, err = c.plan.decode(b, unsafe.Pointer(m))
	}
	if err != nil {
		return fmt.Errorf("message %s: %d bytes: %w", c.def.Name, len(b), err)
	}
	if len(rest) != 0 {
		return fmt.Errorf("message %s: %d bytes: %d bytes left over: must end with its last field", c.def.Name, len(b),
			len(rest))
	}
	return nil
}

var le = binary.LittleEndian

func (p *plan) encode(b []byte, m unsafe.Pointer) []byte {
	for i := range p.ops {
		o := &p.ops[i]
		b = o.encode(b, unsafe.Add(m, o.off))
	}
	return b
}

func (o *op) encode(b []byte, v unsafe.Pointer) []byte {
	switch o.kind {
	case kBool:
		if *(*bool)(v) {
			return append(b, 1)
		}
		return append(b, 0)
	case k1:
		return append(b, *(*byte)(v))
	case k2:
		return le.AppendUint16(b, *(*uint16)(v))
	case k4:
		return le.AppendUint32(b, *(*uint32)(v))
	case k8:
		return le.AppendUint64(b, *(*uint64)(v))
	case kString:
		s := *(*string)(v)
		return append(le.AppendUint32(b, uint32(len(s))), s...)
	case kStruct:
		return o.plan.encode(b, v)
	case kArray:
		return o.encodeElems(b, v, o.n)
	}
	// kSlice: every slice has its length and data at the same offsets as a []byte.
	s := *(*[]byte)(v)
	b = le.AppendUint32(b, uint32(len(s)))
	return o.encodeElems(b, unsafe.Pointer(unsafe.SliceData(s)), len(s))
}

func (o *op) encodeElems(b []byte, v unsafe.Pointer, n int) []byte {
	if o.elem.kind == k1 {
		return append(b, unsafe.Slice((*byte)(v), n)...)
	}
	for i := range n {
		b = o.elem.encode(b, unsafe.Add(v, uintptr(i)*o.size))
	}
	return b
}

// errShort means that a message ends before its last field.
var errShort = errors.New("ends too early")

// maxEmpty is the maximum number of elements of an array whose elements take no bytes on the wire. It is a guess.
const maxEmpty = 1 << 16

// decode decodes a struct from the start of the message. It returns the bytes after the struct.
func (p *plan) decode(b []byte, m unsafe.Pointer) ([]byte, error) {
	if len(b) < p.min {
		return b, fmt.Errorf("%d bytes left: must be at least %d: %w", len(b), p.min, errShort)
	}
	var err error
	for i := range p.ops {
		o := &p.ops[i]
		if b, err = o.decode(b, unsafe.Add(m, o.off)); err != nil {
			return b, fmt.Errorf("%s: %w", o.name, err)
		}
	}
	return b, nil
}

func (o *op) decode(b []byte, v unsafe.Pointer) ([]byte, error) {
	if len(b) < o.min {
		return b, fmt.Errorf("%d bytes left: must be at least %d: %w", len(b), o.min, errShort)
	}
	switch o.kind {
	case kBool:
		*(*bool)(v) = b[0] != 0
		return b[1:], nil
	case k1:
		*(*byte)(v) = b[0]
		return b[1:], nil
	case k2:
		*(*uint16)(v) = le.Uint16(b)
		return b[2:], nil
	case k4:
		*(*uint32)(v) = le.Uint32(b)
		return b[4:], nil
	case k8:
		*(*uint64)(v) = le.Uint64(b)
		return b[8:], nil
	case kString:
		n, b, err := count(b, 1)
		if err != nil {
			return b, err
		}
		*(*string)(v) = string(b[:n])
		return b[n:], nil
	case kStruct:
		return o.plan.decode(b, v)
	case kArray:
		return o.decodeElems(b, v, o.n)
	}
	n, b, err := count(b, o.elem.min)
	if err != nil {
		return b, err
	}
	o.resize(v, n)
	return o.decodeElems(b, unsafe.Pointer(unsafe.SliceData(*(*[]byte)(v))), n)
}

func (o *op) decodeElems(b []byte, v unsafe.Pointer, n int) ([]byte, error) {
	if o.elem.kind == k1 {
		copy(unsafe.Slice((*byte)(v), n), b)
		return b[n:], nil
	}
	var err error
	for i := range n {
		if b, err = o.elem.decode(b, unsafe.Add(v, uintptr(i)*o.size)); err != nil {
			return b, fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return b, nil
}

// count reads the number of elements of a variable array, or the length of a string, from a uint32. It returns an error
// if the message is too short for elements of at least min bytes each.
func count(b []byte, min int) (int, []byte, error) {
	n := uint64(le.Uint32(b))
	b = b[4:]
	if min > 0 && n > uint64(len(b)/min) || min == 0 && n > maxEmpty {
		return 0, b, fmt.Errorf("%d elements: %d bytes are left: %w", n, len(b), errShort)
	}
	return int(n), b, nil
}
