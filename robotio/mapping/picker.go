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
	IsText bool
}

// Picker reads some fields from messages of one definition.
type Picker struct {
	def   *msg.Definition
	steps []step
	n     int // values
}

// step skips or picks one field; those of nested messages are steps of their own.
type step struct {
	base  string
	n     int    // how many, or msg.Variable
	picks []pick // of its elements
	inner []step // of an array of messages
}

// pick has element i of a field go into slot.
type pick struct{ slot, i int }

// NewPicker matches paths such as pose.position.x or data[0] with a definition; Pick returns values in their order.
// Fields of messages in arrays have no paths.
func NewPicker(def *msg.Definition, paths []string) (*Picker, error) {
	p, missing, err := MatchPicker(def, paths)
	errs := []error{err}
	for _, slot := range missing {
		errs = append(errs, fmt.Errorf("field = %q: %s", paths[slot], noSuchField(def, paths[slot])))
	}
	return p, errors.Join(errs...)
}

// MatchPicker returns the numbers of the paths that the definition lacks, whose values are zero, instead of an error
// about them.
func MatchPicker(def *msg.Definition, paths []string) (p *Picker, missing []int, err error) {
	if err := fits(def); err != nil {
		return nil, nil, err
	}
	found := make([]bool, len(paths))
	p = &Picker{def, compileSteps(def, "", paths, found), len(paths)}
	for slot := range paths {
		if !found[slot] {
			missing = append(missing, slot)
		}
	}
	return p, missing, nil
}

// noSuchField says that a message has no such field, and which it may be.
func noSuchField(def *msg.Definition, path string) string {
	var all []string
	appendPaths(&all, def, "")
	below := slices.DeleteFunc(slices.Clone(all), func(p string) bool {
		return !strings.HasPrefix(p, path+".") &&
			!strings.HasPrefix(p, path+"[")
	})
	if len(below) > 0 { // a message, or an array
		return fmt.Sprintf("%s has no number, time or text of that name; there are %s", def.Name, few(below))
	}
	return fmt.Sprintf("%s has no number, time or text of that name%s", def.Name, meantOrFew(path, all))
}

// mostPaths bounds the fields among which one is looked for that a profile may mean.
const mostPaths = 500

// appendPaths appends the paths of a message's fields; of an array that of its first element.
func appendPaths(all *[]string, def *msg.Definition, prefix string) {
	for _, f := range def.Fields {
		switch nested := def.Nested(f.Base); {
		case len(*all) >= mostPaths:
			return
		case nested == nil && f.Len == msg.NoArray:
			*all = append(*all, prefix+f.Name)
		case nested == nil:
			*all = append(*all, prefix+f.Name+"[0]")
		case f.Len == msg.NoArray:
			appendPaths(all, nested, prefix+f.Name+".")
		}
	}
}

func compileSteps(def *msg.Definition, prefix string, paths []string, found []bool) (steps []step) {
	for _, f := range def.Fields {
		nested, array := def.Nested(f.Base), f.Len != msg.NoArray
		st := step{base: f.Base, n: 1}
		if array {
			st.n = f.Len
		}
		switch {
		case nested != nil && !array:
			steps = append(steps, compileSteps(nested, prefix+f.Name+".", paths, found)...)
			continue
		case nested != nil:
			st.inner = compileSteps(nested, "", nil, nil)
		default:
			for slot, path := range paths {
				name, i, indexed := cutIndex(path)
				if name == prefix+f.Name && indexed == array && (f.Len < 0 || i < f.Len) {
					found[slot] = true
					st.picks = append(st.picks, pick{slot, i})
				}
			}
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

// Pick reads the message in b, which must end with it, and returns the values in the order of the paths. Elements that
// an array does not have are zero.
func (p *Picker) Pick(b []byte) ([]Value, error) {
	values := make([]Value, p.n)
	rest, err := read(p.steps, b, values)
	if err == nil && len(rest) != 0 {
		err = fmt.Errorf("%d bytes left over: must end with its last field", len(rest))
	}
	if err != nil {
		return nil, fmt.Errorf("message %s: %d bytes: %w", p.def.Name, len(b), err)
	}
	return values, nil
}

var errShort = errors.New("ends early")

// read reads steps from b into values, and returns the bytes after them.
func read(steps []step, b []byte, values []Value) ([]byte, error) {
	var err error
	for i := range steps {
		st := &steps[i]
		n, size := st.n, st.size()
		if n == msg.Variable {
			if len(b) < 4 {
				return nil, errShort
			}
			n, b = int(le.Uint32(b)), b[4:]
		}
		if size > 0 && n > len(b)/size {
			return nil, errShort
		}
		switch {
		case st.base != "string" && st.inner == nil && st.picks == nil:
			b = b[n*size:]
		case size > 0: // of empty messages there is nothing to read
			if b, err = st.elements(b, n, values); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// size is the smallest size of an element, bytes.
func (st *step) size() (n int) {
	if st.inner == nil {
		return msg.Size(st.base)
	}
	for i := range st.inner {
		if inner := &st.inner[i]; inner.n == msg.Variable {
			n += 4
		} else {
			n += inner.n * inner.size()
		}
	}
	return n
}

func (st *step) elements(b []byte, n int, values []Value) (_ []byte, err error) {
	for i := range n {
		if st.inner != nil {
			if b, err = read(st.inner, b, nil); err != nil {
				return nil, err
			}
			continue
		}
		var v Value
		if b, v, err = scalar(st.base, b); err != nil {
			return nil, err
		}
		for _, p := range st.picks {
			if p.i == i {
				values[p.slot] = v
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
		return b[end:], Value{Text: string(b[4:end]), IsText: true}, nil
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
