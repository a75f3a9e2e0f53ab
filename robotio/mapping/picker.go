package mapping

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// Value is the value of one field of a message: a number or a text. For a time, the number is in seconds. For a bool,
// false is 0 and true is 1.
type Value struct {
	Number float64
	Text   string
	IsText bool
}

// Picker reads the values of chosen fields from messages of one definition. It can also read chosen fields of all
// elements of an array of messages. Many goroutines may use a Picker at the same time.
type Picker struct {
	def    *msg.Definition
	fields []pickedField
	values int
	lists  []listPaths
}

// listPaths names an array of messages and some fields of the elements of this array. An empty path names no field. The
// field most is the maximum number of elements that are read.
type listPaths struct {
	array string
	paths []string
	most  int
}

// pickedList holds those elements of an array of messages that were read.
type pickedList struct {
	present  bool      // whether the array is in the bytes that were read
	elements [][]Value // one value for each path
	leftOut  int       // number of elements that were not read
}

// pickedField tells a Picker how to read one field of a definition.
type pickedField struct {
	base  string
	n     int           // number of elements, or msg.Variable; 1 if the field is no array
	size  int           // bytes of one element on the wire; 0 if the size varies, as for strings
	least int           // minimum bytes of one element on the wire
	slots []slot        // the indices under which values of the field are stored
	lists []int         // indices of the lists that read the elements of this array of messages
	inner []pickedField // fields of the nested message
}

// slot says where element i of a field is stored: value is an index in the list of values of a message.
type slot struct{ value, i int }

// NewPicker compiles the paths of fields, such as pose.position.x and data[0]. Pick returns the values in the order of
// these paths. NewPicker returns an error if the definition lacks a path. A path must not lead into the elements of an
// array of messages; the argument lists is for such fields.
func NewPicker(def *msg.Definition, paths []string, lists ...listPaths) (*Picker, error) {
	p, missing, err := MatchPicker(def, paths, lists...)
	errs := []error{err}
	for _, i := range missing {
		errs = append(errs, fmt.Errorf("field = %q: %s", paths[i], noSuchField(def, paths[i])))
	}
	return p, errors.Join(errs...)
}

// MatchPicker does the same as NewPicker, but accepts paths that the definition lacks. It returns the indices of these
// paths; their values are zero. An empty path does not count as missing, and its value is zero too.
func MatchPicker(def *msg.Definition, paths []string, lists ...listPaths) (p *Picker, missing []int, err error) {
	if err := fits(def); err != nil {
		return nil, nil, err
	}
	c := pickCompiler{paths: paths, found: make([]bool, len(paths)), lists: lists, arrays: make([]bool, len(lists))}
	p = &Picker{def, c.fields(def, ""), len(paths), lists}
	for i, path := range paths {
		if path != "" && !c.found[i] {
			missing = append(missing, i)
		}
	}
	for i, l := range lists {
		if !c.arrays[i] {
			c.errs = append(c.errs, fmt.Errorf("each = %q: %s has no array of messages of that name", l.array,
				def.Name))
		}
	}
	return p, missing, errors.Join(c.errs...)
}

// noSuchField returns the text of an error: the message has no field at a path. The text suggests the fields below the
// path, or a similar path.
func noSuchField(def *msg.Definition, path string) string {
	all := appendPaths(nil, def, "")
	below := slices.DeleteFunc(slices.Clone(all), func(p string) bool {
		return !strings.HasPrefix(p, path+".") && !strings.HasPrefix(p, path+"[")
	})
	text := def.Name + " has no number, time or text of that name; "
	if near := rules.Nearest(path, all); near != "" && len(below) == 0 {
		return fmt.Sprintf("%sdid you mean %q?", text, near)
	} else if len(below) == 0 {
		below = all
	}
	return text + thereAre(below)
}

// appendPaths appends the paths of all fields of a message to all, until all has 500 paths. The path of an array is the
// path of its first element.
func appendPaths(all []string, def *msg.Definition, prefix string) []string {
	const mostPaths = 500 // guess
	for _, f := range def.Fields {
		switch nested := def.Nested(f.Base); {
		case len(all) >= mostPaths:
			return all
		case nested == nil && f.Len == msg.NoArray:
			all = append(all, prefix+f.Name)
		case nested == nil:
			all = append(all, prefix+f.Name+"[0]")
		case f.Len == msg.NoArray:
			all = appendPaths(all, nested, prefix+f.Name+".")
		}
	}
	return all
}

// thereAre returns the start of a sentence that lists names. Of many names, it lists the first twelve.
func thereAre(names []string) string {
	const most = 12
	switch n := len(names) - most; {
	case len(names) == 0:
		return "there is none"
	case n > 0:
		return fmt.Sprintf("there are %s and %d more", strings.Join(names[:most], ", "), n)
	}
	return "there are " + strings.Join(names, ", ")
}

// pickCompiler compiles the fields of a definition. It also records which of the paths the definition has.
type pickCompiler struct {
	paths  []string
	found  []bool // whether the definition has the field, by index of the path
	lists  []listPaths
	arrays []bool // whether the definition has the array, by index of the list
	errs   []error
}

func (c *pickCompiler) fields(def *msg.Definition, prefix string) (fields []pickedField) {
	for _, f := range def.Fields {
		nested, path := def.Nested(f.Base), prefix+f.Name
		p := pickedField{base: f.Base, n: 1, size: fixedSize(def, f.Base), least: msg.Size(f.Base)}
		if f.Len != msg.NoArray {
			p.n = f.Len
		}
		switch {
		case nested == nil:
			p.slots = c.slots(f, path)
		case f.Len == msg.NoArray:
			p.inner, p.least = c.fields(nested, path+"."), nested.MinSize
		default:
			p.inner, p.least = c.elements(nested, path, &p), nested.MinSize
		}
		fields = append(fields, p)
	}
	return fields
}

// slots returns the slots of the field of a built-in type at a path.
func (c *pickCompiler) slots(f msg.Field, path string) (slots []slot) {
	for value, p := range c.paths {
		name, i, indexed := cutIndex(p)
		if name == path && indexed == (f.Len != msg.NoArray) && (f.Len < 0 || i < f.Len) {
			c.found[value] = true
			slots = append(slots, slot{value, i})
		}
	}
	return slots
}

// elements compiles the elements of an array of messages. If several lists read the same array, the values of an
// element are stored list by list.
func (c *pickCompiler) elements(element *msg.Definition, path string, p *pickedField) []pickedField {
	inner := pickCompiler{}
	for i, l := range c.lists {
		if l.array == path {
			c.arrays[i] = true
			p.lists = append(p.lists, i)
			inner.paths = append(inner.paths, l.paths...)
		}
	}
	inner.found = make([]bool, len(inner.paths))
	fields := inner.fields(element, "")
	for i, path := range inner.paths {
		if path != "" && !inner.found[i] {
			c.errs = append(c.errs, fmt.Errorf("field = %q: %s", path, noSuchField(element, path)))
		}
	}
	return fields
}

// cutIndex splits a path such as data[3] into data and 3. It returns false if the path has no index.
func cutIndex(path string) (base string, index int, ok bool) {
	base, rest, ok := strings.Cut(path, "[")
	if !ok {
		return path, 0, false
	}
	index, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	return base, index, err == nil && index >= 0
}

// fixedSize returns the number of bytes on the wire of a value of type base. It returns 0 if the number varies between
// values.
func fixedSize(def *msg.Definition, base string) int {
	nested := def.Nested(base)
	if nested == nil {
		if base == "string" {
			return 0
		}
		return msg.Size(base)
	}
	size := 0
	for _, f := range nested.Fields {
		one := fixedSize(nested, f.Base)
		switch {
		case one == 0 || f.Len == msg.Variable:
			return 0
		case f.Len == msg.NoArray:
			size += one
		default:
			size += f.Len * one
		}
	}
	return size
}

var errShort = errors.New("ends early")

// Pick reads a message from b, and b must contain nothing else. It returns the values in the order of the paths. If an
// array is too short to have an element, the value of the element is zero.
func (p *Picker) Pick(b []byte) ([]Value, error) {
	values, _, err := p.pick(b, false)
	return values, err
}

// pick does the same as Pick, and also returns the lists. If the argument cut is true, b may be only the start of a
// message, or longer than the message. Values that b does not contain are zero.
func (p *Picker) pick(b []byte, cut bool) ([]Value, []pickedList, error) {
	values, lists := make([]Value, p.values), make([]pickedList, len(p.lists))
	rest, err := p.read(p.fields, b, values, lists)
	switch {
	case cut && errors.Is(err, errShort):
		return values, lists, nil
	case err == nil && len(rest) != 0 && !cut:
		err = fmt.Errorf("%d bytes left over: must end with its last field", len(rest))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("message %s: %d bytes: %w", p.def.Name, len(b), err)
	}
	return values, lists, nil
}

// read reads fields from b. It stores their values in values and lists, and returns the bytes after the fields. The
// argument values is nil for messages that are skipped, and lists is nil within elements of arrays.
func (p *Picker) read(fields []pickedField, b []byte, values []Value, lists []pickedList) (_ []byte, err error) {
	for i := range fields {
		f := &fields[i]
		n := f.n
		if n == msg.Variable {
			if len(b) < 4 {
				return nil, errShort
			}
			n, b = int(le.Uint32(b)), b[4:]
		}
		switch {
		case f.lists != nil && lists != nil:
			b, err = p.elements(f, n, b, lists)
		case f.inner != nil && f.n == 1:
			b, err = p.read(f.inner, b, values, lists)
		case f.slots != nil && values != nil:
			b, err = f.pick(n, b, values)
		default:
			b, err = p.skip(f, n, b)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// pick reads the n elements of a field of a built-in type, stores their values, and returns the bytes after the field.
func (f *pickedField) pick(n int, b []byte, values []Value) (_ []byte, err error) {
	if n > len(b)/f.least {
		return nil, errShort
	}
	for i := range n {
		var v Value
		if b, v, err = scalar(f.base, b); err != nil {
			return nil, err
		}
		for _, s := range f.slots {
			if s.i == i {
				values[s.value] = v
			}
		}
	}
	return b, nil
}

// elements reads the n elements of an array of messages, and returns the bytes after the array.
func (p *Picker) elements(f *pickedField, n int, b []byte, lists []pickedList) (_ []byte, err error) {
	width, most := 0, 0
	for _, i := range f.lists {
		lists[i].present = true
		width, most = width+len(p.lists[i].paths), max(most, p.lists[i].most)
	}
	if f.least == 0 { // empty messages have no bytes
		return b, nil
	}
	for k := range min(n, most) {
		values := make([]Value, width)
		if b, err = p.read(f.inner, b, values, nil); err != nil {
			for _, i := range f.lists {
				lists[i].leftOut += n - k
			}
			return nil, err
		}
		for _, i := range f.lists {
			paths := len(p.lists[i].paths)
			if l := &lists[i]; k < p.lists[i].most {
				l.elements = append(l.elements, slices.Clip(values[:paths]))
			} else {
				l.leftOut++
			}
			values = values[paths:]
		}
	}
	if n <= most {
		return b, nil
	}
	for _, i := range f.lists {
		lists[i].leftOut += n - most
	}
	return p.skip(f, n-most, b)
}

// skip returns the bytes after n elements of a field. It stores no values.
func (p *Picker) skip(f *pickedField, n int, b []byte) (_ []byte, err error) {
	if f.least > 0 && n > len(b)/f.least {
		return nil, errShort
	}
	if f.size > 0 || f.least == 0 {
		return b[n*f.size:], nil
	}
	for range n {
		if f.inner != nil {
			b, err = p.read(f.inner, b, nil, nil)
		} else {
			b, _, err = scalar(f.base, b)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// scalar reads one value of a built-in type. It returns the bytes after the value, and the value.
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
