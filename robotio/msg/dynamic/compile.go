package dynamic

import (
	"fmt"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// kind is the encoding of a value.
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

// builtins maps primitive types to their kinds, and to the CBOR tags of their typed arrays in little-endian order; 0
// means no tag. Source of the tags: RFC 8746, table 2.
var builtins = map[string]struct {
	kind kind
	tag  uint64
}{
	"bool": {kBool, 0}, "string": {kString, 0}, "time": {kTime, 0}, "duration": {kDuration, 0},
	"int8": {kInt8, 72}, "byte": {kInt8, 72}, "uint8": {kUint8, 0}, "char": {kUint8, 0},
	"int16": {kInt16, 77}, "uint16": {kUint16, 69}, "int32": {kInt32, 78}, "uint32": {kUint32, 70},
	"int64": {kInt64, 79}, "uint64": {kUint64, 71}, "float32": {kFloat32, 85}, "float64": {kFloat64, 86},
}

// maxWeight is the maximum weight of a message type. The weight is the size of an empty message in bytes, in which
// fixed arrays are written out, and messages without fields count as one byte. The limit bounds the time for nested
// arrays of empty messages. It is a guess, far above real messages.
const maxWeight = 1 << 24

// Codec converts messages of one definition.
type Codec struct{ root *message }

// message is a compiled definition.
type message struct {
	def    *msg.Definition
	fields []field
	names  map[string]int
	min    int  // smallest size on the wire, bytes
	weight int  // size of an empty message, see maxWeight
	fixed  bool // whether all messages of the type have the same size and no part is empty
	header bool // whether the type is std_msgs/Header, whose stamp defaults to now
}

// field is a field, or an element of an array.
type field struct {
	name   string
	key    []byte // the name as a JSON key with its colon
	typ    string
	kind   kind
	array  bool
	n      int  // number of elements of a fixed array, msg.Variable, or msg.NoArray
	size   int  // smallest size of an element, bytes
	weight int  // of one element
	fixed  bool // whether all elements have the same size
	tag    uint64
	msg    *message // of kMessage

	align          int    // in CDR, elements begin at a multiple of align bytes
	most, mostText int    // see msg.Field
	secs, nsecs    string // keys of the parts of a time or duration
}

// bytes reports whether the field is an array of bytes.
func (f *field) bytes() bool { return f.array && f.kind == kUint8 }

// Compile compiles a definition. It fails if fixed arrays make an empty message larger than 16 MiB.
func Compile(def *msg.Definition) (*Codec, error) {
	m, err := compile(def, map[string]*message{})
	if err != nil {
		return nil, fmt.Errorf("message %s: %w", def.Name, err)
	}
	return &Codec{m}, nil
}

// CompileService compiles the request and the response of a service.
func CompileService(def *msg.ServiceDefinition) (request, response *Codec, err error) {
	if request, err = Compile(def.Request); err == nil {
		response, err = Compile(def.Response)
	}
	return request, response, err
}

// Def returns the codec's definition.
func (c *Codec) Def() *msg.Definition { return c.root.def }

func compile(def *msg.Definition, known map[string]*message) (*message, error) {
	if m := known[def.Name]; m != nil {
		return m, nil
	}
	m := &message{def: def, names: map[string]int{}, fixed: true, header: def.Name == "std_msgs/Header"}
	for i, d := range def.Fields {
		f := field{name: d.Name, key: []byte(`"` + d.Name + `":`), typ: d.Type(), n: d.Len, array: d.Len != msg.NoArray,
			most: d.Most, mostText: d.MostText, secs: "secs", nsecs: "nsecs"}
		nested := def.Nested(d.Base)
		if nested != nil && nested.Stamp() != "" {
			d.Base, nested, f.secs, f.nsecs = nested.Stamp(), nil, "sec", "nanosec"
		}
		if nested != nil {
			sub, err := compile(nested, known)
			if err != nil {
				return nil, err
			}
			f.kind, f.size, f.weight, f.fixed, f.msg = kMessage, sub.min, sub.weight, sub.fixed, sub
			f.fixed = f.fixed && !def.ROS2() // because of alignment
		} else {
			b, size := builtins[d.Base], msg.Size(d.Base)
			if d.Base == "byte" && def.ROS2() {
				b = builtins["uint8"]
			}
			f.align = size
			if b.kind == kTime || b.kind == kDuration {
				f.align = 4
			}
			f.kind, f.size, f.weight, f.fixed, f.tag = b.kind, size, size, b.kind != kString, b.tag
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
		m.fixed = m.fixed && f.fixed && d.Len != msg.Variable
		m.names[d.Name] = i
		m.fields = append(m.fields, f)
	}
	m.weight, m.fixed = max(m.weight, 1), m.fixed && m.min > 0
	known[def.Name] = m
	return m, nil
}
