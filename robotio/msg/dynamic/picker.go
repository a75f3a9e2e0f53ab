package dynamic

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omnipitch/omnipitch/robotio/msg"
)

// Scalar is the value of one field: a number or a text, as in Value.
type Scalar struct {
	Number float64
	Text   string
	IsText bool
	All    *Array // of a whole array; nil for one field
}

// Array holds the elements of an array of numbers or of texts.
type Array struct {
	Numbers []float64
	Texts   []string
}

// Infinite returns the first number that is not finite. ok is false if there is none.
func (s *Scalar) Infinite() (x float64, ok bool) {
	numbers := []float64{s.Number}
	if s.All != nil {
		numbers = s.All.Numbers
	}
	for _, x := range numbers {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return x, true
		}
	}
	return 0, false
}

// Picker reads the values of chosen fields from messages of one definition. It can also read chosen fields of the
// elements of arrays of messages. Many goroutines may use a Picker at the same time.
type Picker struct {
	codec *Codec
	root  selection
	paths int
	lists []List
}

// List names an array of messages and some fields of its elements. An empty path names no field. Most is the maximum
// number of elements that are read.
type List struct {
	Array string
	Paths []string
	Most  int
}

// Elements holds the elements of an array of messages that were read.
type Elements struct {
	Present bool       // whether the bytes that were read contain the array
	Values  [][]Scalar // for each element, one value for each path
	LeftOut int        // number of elements that were not read
}

// selection says what is read of a message, by field.
type selection []selected

// selected says what is read of a field. The zero value reads nothing.
type selected struct {
	slots []slot
	lists []int     // indices of the lists that read the elements of this array of messages
	inner selection // what is read of the nested message, or of the elements; nil for nothing
}

// slot says where element i of a field is stored; if i is wholeArray, it stores all elements. value is the index of the
// element in the list of the message's values.
type slot struct{ value, i int }

const wholeArray = -1

// MissingError lists the paths that a definition lacks.
type MissingError []Missing

// Missing is a path that a definition lacks. Index is the index of the path in the list that was passed to NewPicker,
// or −1 if the path is from a List. Array is true if Path is the array of a List.
type Missing struct {
	Def   *msg.Definition // definition of the message or of the element
	Path  string
	Index int
	Array bool
}

func (e MissingError) Error() string {
	return fmt.Sprintf("%s: %d of the paths do not exist", e[0].Def.Name, len(e))
}

// NewPicker compiles the paths of fields, such as pose.position.x, data[0], or data[] for a whole array. Pick returns
// the values in the order of these paths. A path must not lead into the elements of an array of messages; use lists for
// such fields. If the definition lacks paths, NewPicker returns a MissingError and a Picker for which their values are
// zero. The value of an empty path is zero, too.
func NewPicker(def *msg.Definition, paths []string, lists ...List) (*Picker, error) {
	codec, err := Compile(def)
	if err != nil {
		return nil, err
	}
	root := make(selection, len(codec.root.fields))
	p := &Picker{codec, root, len(paths), lists}
	var missing MissingError
	for i, path := range paths {
		if path != "" && !root.add(codec.root, path, i) {
			missing = append(missing, Missing{def, path, i, false})
		}
	}
	for i, l := range lists {
		s, f := root.array(codec.root, l.Array)
		if s == nil {
			missing = append(missing, Missing{def, l.Array, -1, true})
			continue
		}
		inner, first := s.nested(f), 0 // the values of several lists of one array are stored list by list
		for _, k := range s.lists {
			first += len(lists[k].Paths)
		}
		s.lists = append(s.lists, i)
		for k, path := range l.Paths {
			if path != "" && !inner.add(f.msg, path, first+k) {
				missing = append(missing, Missing{f.msg.def, path, -1, false})
			}
		}
	}
	if missing != nil {
		return p, missing
	}
	return p, nil
}

// field returns the field with a name, and the selection of what is read of it.
func (s selection) field(m *message, name string) (*selected, *field) {
	i, ok := m.names[name]
	if !ok {
		return nil, nil
	}
	return &s[i], &m.fields[i]
}

// add reads the field at a path into a value. It returns false if there is no such number, time or text.
func (s selection) add(m *message, path string, value int) bool {
	if name, rest, nested := strings.Cut(path, "."); nested {
		c, f := s.field(m, name)
		return f != nil && f.kind == kMessage && !f.array && c.nested(f).add(f.msg, rest, value)
	}
	name, i, indexed := cutIndex(path)
	c, f := s.field(m, name)
	if f == nil || f.kind == kMessage || f.array != indexed || f.n >= 0 && i >= f.n {
		return false
	}
	c.slots = append(c.slots, slot{value, i})
	return true
}

// nested returns the selection of what is read of a nested message.
func (c *selected) nested(f *field) selection {
	if c.inner == nil {
		c.inner = make(selection, len(f.msg.fields))
	}
	return c.inner
}

// array returns the array of messages at a path, and the selection of what is read of it. It returns nil if there is no
// such array.
func (s selection) array(m *message, path string) (*selected, *field) {
	name, rest, nested := strings.Cut(path, ".")
	switch c, f := s.field(m, name); {
	case f == nil || f.kind != kMessage || f.array == nested:
		return nil, nil
	case nested:
		return c.nested(f).array(f.msg, rest)
	default:
		return c, f
	}
}

// cutIndex splits a path such as data[3] into data and 3. indexed is false if the path has no index. The index of
// data[] is wholeArray.
func cutIndex(path string) (name string, index int, indexed bool) {
	if name, whole := strings.CutSuffix(path, "[]"); whole {
		return name, wholeArray, true
	}
	name, rest, ok := strings.Cut(path, "[")
	index, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	if !ok || err != nil || index < 0 {
		return path, 0, false
	}
	return name, index, true
}

// Pick reads a message from b, and b must contain nothing else. It returns the values in the order of the paths. If an
// array is too short to have an element, the value of the element is zero.
func (p *Picker) Pick(b []byte) ([]Scalar, error) {
	values, _, err := p.PickLists(b, false)
	return values, err
}

// PickLists is like Pick, and also returns the elements of the lists. If cut is true, b may be only the start of a
// message, or longer than the message. Values that b does not contain are zero.
func (p *Picker) PickLists(b []byte, cut bool) ([]Scalar, []Elements, error) {
	values, lists := make([]Scalar, p.paths), make([]Elements, len(p.lists))
	r := p.codec.reader(b)
	err := p.message(p.codec.root, p.root, r, values, lists)
	if cut && (err == nil || errors.Is(err, errShort)) && r.bad == nil {
		return values, lists, nil
	}
	if err := p.codec.end(r, len(b), err); err != nil {
		return nil, nil, err
	}
	return values, lists, nil
}

// message reads a message. lists is nil for elements of arrays.
func (p *Picker) message(m *message, s selection, r *reader, values []Scalar, lists []Elements) error {
	for i := range m.fields {
		f, c := &m.fields[i], &s[i]
		var err error
		switch {
		case c.lists != nil:
			err = p.elements(f, c, r, lists)
		case c.inner != nil:
			err = p.message(f.msg, c.inner, r, values, lists)
		case c.slots != nil:
			err = f.pick(r, c.slots, values)
		default:
			var n int
			if n, err = r.count(f); err == nil {
				err = r.skip(f, n, nil)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

// pick reads a field that is not a message, and stores its values.
func (f *field) pick(r *reader, slots []slot, values []Scalar) error {
	n, err := r.count(f)
	if err != nil {
		return err
	}
	if f.kind != kString {
		b, err := r.values(f, n)
		for _, s := range slots {
			if err == nil && s.i == wholeArray {
				all := &Array{Numbers: make([]float64, n)}
				for i := range n {
					all.Numbers[i] = f.number(b[i*f.size:][:f.size])
				}
				values[s.value] = Scalar{All: all}
			} else if err == nil && s.i < n {
				values[s.value] = Scalar{Number: f.number(b[s.i*f.size:][:f.size])}
			}
		}
		return err
	}
	for _, s := range slots {
		if s.i == wholeArray {
			values[s.value] = Scalar{All: &Array{}}
		}
	}
	for i := range n {
		text, err := r.text()
		if err != nil {
			return err
		}
		for _, s := range slots {
			if s.i == wholeArray {
				all := values[s.value].All
				all.Texts = append(all.Texts, string(text))
			} else if s.i == i {
				values[s.value] = Scalar{Text: string(text), IsText: true}
			}
		}
	}
	return nil
}

// elements reads an array of messages. It does not check the length of the array before the elements are read, because
// the array may be cut off.
func (p *Picker) elements(f *field, c *selected, r *reader, lists []Elements) error {
	n, err := r.length(f)
	if err != nil {
		return err
	}
	width, most := 0, 0
	for _, i := range c.lists {
		lists[i].Present = true
		width, most = width+len(p.lists[i].Paths), max(most, p.lists[i].Most)
	}
	if f.size == 0 { // empty messages have no values
		return r.enough(f, n)
	}
	for k := range min(n, most) {
		values := make([]Scalar, width)
		err := p.message(f.msg, c.inner, r, values, nil)
		for _, i := range c.lists {
			l, paths := &lists[i], len(p.lists[i].Paths)
			switch {
			case err != nil:
				l.LeftOut += n - k
			case k < p.lists[i].Most:
				l.Values = append(l.Values, slices.Clip(values[:paths]))
			default:
				l.LeftOut++
			}
			values = values[paths:]
		}
		if err != nil {
			return err
		}
	}
	if n <= most {
		return nil
	}
	for _, i := range c.lists {
		lists[i].LeftOut += n - most
	}
	if err := r.enough(f, n-most); err != nil {
		return err
	}
	return r.skip(f, n-most, nil)
}
