package dynamic

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// kind says how a value lies on the wire.
type kind uint8

const (
	kBool kind = iota
	kInt8
	kInt16
	kInt32
	kInt64
	kUint8
	kUint16
	kUint32
	kUint64
	kFloat32
	kFloat64
	kString
	kTime
	kDuration
	kMessage
)

// builtins holds the kinds of primitive types, and the tags of their typed arrays in little-endian order. Source of the
// tags: RFC 8746, table 2; 0 where an array is no typed array.
var builtins = map[string]struct {
	kind kind
	tag  uint64
}{
	"bool": {kBool, 0}, "string": {kString, 0}, "time": {kTime, 0}, "duration": {kDuration, 0},
	"int8": {kInt8, 72}, "byte": {kInt8, 72}, "uint8": {kUint8, 0}, "char": {kUint8, 0},
	"int16": {kInt16, 77}, "uint16": {kUint16, 69}, "int32": {kInt32, 78}, "uint32": {kUint32, 70},
	"int64": {kInt64, 79}, "uint64": {kUint64, 71}, "float32": {kFloat32, 85}, "float64": {kFloat64, 86},
}

// maxWeight bounds the bytes that an empty message takes, fixed arrays written out and messages without fields
// counted as one byte. A guess, far above any real message; it keeps arrays of arrays of nothing from costing time.
const maxWeight = 1 << 24

// Codec converts messages of one definition.
type Codec struct {
	def  *msg.Definition
	root *message
}

// message is one compiled definition.
type message struct {
	fields []field
	names  map[string]int
	min    int // least bytes on the wire
	weight int
	header bool // std_msgs/Header, whose stamp is now where none is given
}

// field is one field, or one element of an array.
type field struct {
	name   string
	key    []byte // the name as a JSON key with its colon
	typ    string
	kind   kind
	array  bool
	n      int // elements of a fixed array, msg.Variable, or msg.NoArray
	size   int // least bytes of one element
	weight int // of one element
	tag    uint64
	msg    *message // of kMessage
}

// bytes says whether the field is an array of bytes.
func (f *field) bytes() bool { return f.array && f.kind == kUint8 }

// Compile prepares a definition. It fails on one whose fixed arrays make even an empty message larger than 16 MiB.
func Compile(def *msg.Definition) (*Codec, error) {
	m, err := compile(def, map[string]*message{})
	if err != nil {
		return nil, fmt.Errorf("message %s: %w", def.Name, err)
	}
	return &Codec{def, m}, nil
}

// CompileService prepares the request and the response of a service.
func CompileService(def *msg.ServiceDefinition) (request, response *Codec, err error) {
	if request, err = Compile(def.Request); err == nil {
		response, err = Compile(def.Response)
	}
	return request, response, err
}

// Def returns the definition that the codec was compiled from.
func (c *Codec) Def() *msg.Definition { return c.def }

func compile(def *msg.Definition, known map[string]*message) (*message, error) {
	if m := known[def.Name]; m != nil {
		return m, nil
	}
	m := &message{names: map[string]int{}, header: def.Name == "std_msgs/Header"}
	for i, d := range def.Fields {
		f := field{name: d.Name, key: []byte(`"` + d.Name + `":`), typ: d.Type(), n: d.Len, array: d.Len != msg.NoArray}
		if nested := def.Nested(d.Base); nested != nil {
			sub, err := compile(nested, known)
			if err != nil {
				return nil, err
			}
			f.kind, f.size, f.weight, f.msg = kMessage, sub.min, sub.weight, sub
		} else {
			b, size := builtins[d.Base], msg.Size(d.Base)
			f.kind, f.size, f.weight, f.tag = b.kind, size, size, b.tag
		}
		count := 1
		switch {
		case d.Len >= 0:
			count = d.Len
		case d.Len == msg.Variable:
			count = 0
			m.min += 4
			m.weight += 4
		}
		m.min += count * f.size // at most 2^20 × maxWeight
		if m.weight += count * f.weight; m.weight > maxWeight {
			return nil, fmt.Errorf("%s: field %s %s: an empty message takes more than %d bytes", def.Name, f.typ,
				f.name, maxWeight)
		}
		m.names[d.Name] = i
		m.fields = append(m.fields, f)
	}
	m.weight = max(m.weight, 1)
	known[def.Name] = m
	return m, nil
}
