package mapping

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Value is one field of a message: a number, a time in seconds, a truth value as 0 or 1; or a text.
type Value struct {
	Number float64
	Text   string
}

// Picker reads some fields from messages of one definition.
type Picker struct {
	def   *msg.Definition
	steps []step
	n     int
}

// step skips or picks one field.
type step struct {
	base  string
	n     int    // how many, or msg.Variable
	slots []int  // where the value goes, one for every path that names it
	index []int  // of an array: which elements are picked, into the same place of slots
	inner []step // of a nested message
}

// NewPicker matches paths such as pose.position.x or data[0] with a definition; Pick returns values in their order.
func NewPicker(def *msg.Definition, paths []string) (*Picker, error) {
	if err := fits(def); err != nil {
		return nil, err
	}
	p := &Picker{def: def, n: len(paths)}
	found := make([]bool, len(paths))
	p.steps = compileSteps(def, paths, found, "")
	var errs []error
	for i, path := range paths {
		if !found[i] {
			errs = append(errs, fmt.Errorf("field = %q: %s has no number, time or text of that name", path, def.Name))
		}
	}
	return p, errors.Join(errs...)
}

func compileSteps(def *msg.Definition, paths []string, found []bool, prefix string) (steps []step) {
	for _, f := range def.Fields {
		name := prefix + f.Name
		st := step{base: f.Base, n: 1}
		if f.Len != msg.NoArray {
			st.n = f.Len
		}
		nested := def.Nested(f.Base)
		if nested != nil {
			inner, unused := paths, found
			if f.Len != msg.NoArray { // fields of messages in arrays have no paths
				inner, unused = nil, nil
			}
			st.inner = compileSteps(nested, inner, unused, name+".")
		}
		for i, path := range paths {
			if nested != nil {
				break
			}
			base, index, ok := cutIndex(path)
			if base != name || ok != (f.Len != msg.NoArray) || f.Len >= 0 && index >= f.Len {
				continue
			}
			found[i] = true
			st.slots, st.index = append(st.slots, i), append(st.index, index)
		}
		steps = append(steps, st)
	}
	return steps
}

// cutIndex cuts data[3] into data and 3.
func cutIndex(path string) (base string, index int, ok bool) {
	base, rest, ok := strings.Cut(path, "[")
	if !ok {
		return path, 0, false
	}
	index, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	return base, index, err == nil && index >= 0
}

// Pick reads the message in b, which must end with it, into values, and returns them in the order of the paths. Elements that an array does
// not have are zero.
func (p *Picker) Pick(b []byte, values []Value) ([]Value, error) {
	values = slices.Grow(values[:0], p.n)[:p.n]
	clear(values)
	rest, err := pick(p.steps, b, values)
	if err == nil && len(rest) != 0 {
		err = fmt.Errorf("%d bytes left over: must end with its last field", len(rest))
	}
	if err != nil {
		return nil, fmt.Errorf("message %s: %d bytes: %w", p.def.Name, len(b), err)
	}
	return values, nil
}

var errShort = errors.New("ends early")

func pick(steps []step, b []byte, values []Value) ([]byte, error) {
	var err error
	for i := range steps {
		st := &steps[i]
		n := st.n
		if n == msg.Variable {
			if len(b) < 4 {
				return nil, errShort
			}
			count := le.Uint32(b)
			b = b[4:]
			if uint64(count) > uint64(len(b)) && least(st) > 0 {
				return nil, errShort
			}
			n = int(count)
		}
		if b, err = st.elements(b, n, values); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// least is the smallest size of an element, bytes.
func least(st *step) int {
	if st.inner == nil {
		return msg.Size(st.base)
	}
	n := 0
	for i := range st.inner {
		switch inner := &st.inner[i]; inner.n {
		case msg.Variable:
			n += 4
		default:
			n += inner.n * least(inner)
		}
	}
	return n
}

func (st *step) elements(b []byte, n int, values []Value) ([]byte, error) {
	var err error
	fixed := st.inner == nil && st.base != "string"
	if fixed && len(st.slots) == 0 {
		if len(b)/msg.Size(st.base) < n {
			return nil, errShort
		}
		return b[n*msg.Size(st.base):], nil
	}
	if st.inner != nil && least(st) == 0 { // of an empty message there is nothing to read
		return b, nil
	}
	for i := range n {
		if st.inner != nil {
			if b, err = pick(st.inner, b, values); err != nil {
				return nil, err
			}
			continue
		}
		var v Value
		if b, v, err = scalar(st.base, b); err != nil {
			return nil, err
		}
		for k, slot := range st.slots {
			if st.index[k] == i {
				values[slot] = v
			}
		}
	}
	return b, nil
}

// scalar reads one built-in.
func scalar(base string, b []byte) ([]byte, Value, error) {
	n := msg.Size(base)
	if len(b) < n {
		return nil, Value{}, errShort
	}
	var x float64
	switch base {
	case "string":
		length := uint64(le.Uint32(b))
		if length > uint64(len(b)-4) {
			return nil, Value{}, errShort
		}
		end := 4 + int(length)
		return b[end:], Value{Text: string(b[4:end])}, nil
	case "float64":
		x = math.Float64frombits(le.Uint64(b))
	case "float32":
		x = float64(math.Float32frombits(le.Uint32(b)))
	case "int64":
		x = float64(int64(le.Uint64(b)))
	case "uint64":
		x = float64(le.Uint64(b))
	case "int32":
		x = float64(int32(le.Uint32(b)))
	case "uint32":
		x = float64(le.Uint32(b))
	case "int16":
		x = float64(int16(le.Uint16(b)))
	case "uint16":
		x = float64(le.Uint16(b))
	case "int8", "byte":
		x = float64(int8(b[0]))
	case "time":
		x = float64(le.Uint32(b)) + float64(le.Uint32(b[4:]))*1e-9
	case "duration":
		x = float64(int32(le.Uint32(b))) + float64(int32(le.Uint32(b[4:])))*1e-9
	default:
		x = float64(b[0])
	}
	return b[n:], Value{Number: x}, nil
}
