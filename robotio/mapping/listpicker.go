package mapping

import (
	"errors"
	"fmt"
	"slices"

	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
)

// listPicker reads some fields from messages of one definition, and some of the elements of arrays of messages in them.
type listPicker struct {
	def    *msg.Definition
	nodes  []pickNode
	values int
	lists  []listPaths
}

// listPaths names an array of messages, and fields of its elements; "" names none. At most so many elements are picked.
type listPaths struct {
	each   string
	fields []string
	most   int
}

// pickedList are the picked fields of an array's elements.
type pickedList struct {
	came     bool // the array stood in what was read
	elements [][]Value
	leftOut  int
}

// pickNode is one field of a message, or of an element.
type pickNode struct {
	base  string
	n     int        // how many, or msg.Variable
	size  int        // of one on the wire, bytes; 0 if that differs, as of strings
	slots []int      // where a built-in goes
	lists []int      // that an array of messages is
	inner []pickNode // fields of a message
	least int        // that one takes on the wire, bytes
}

// newListPicker matches paths with a definition. It fails on fields that there are not.
func newListPicker(def *msg.Definition, values []string, lists []listPaths) (*listPicker, error) {
	if err := fits(def); err != nil {
		return nil, err
	}
	p := &listPicker{def: def, values: len(values), lists: lists}
	c := pickCompiler{values: values, lists: lists, found: make([]bool, len(values)), arrays: make([]bool, len(lists)),
		elements: make([][]bool, len(lists))}
	for i := range lists {
		c.elements[i] = make([]bool, len(lists[i].fields))
	}
	p.nodes = c.message(def, "")
	var errs []error
	for i, path := range values {
		if path != "" && !c.found[i] {
			errs = append(errs, fmt.Errorf("field = %q: %s", path, noSuchField(def, path)))
		}
	}
	for i, l := range lists {
		if !c.arrays[i] {
			errs = append(errs, fmt.Errorf("each = %q: %s has no array of messages of that name", l.each, def.Name))
			continue
		}
		for k, path := range l.fields {
			if path != "" && !c.elements[i][k] {
				errs = append(errs, fmt.Errorf("field = %q: %s", path, noSuchField(c.types[i], path)))
			}
		}
	}
	return p, errors.Join(errs...)
}

// pickCompiler collects which paths a definition has.
type pickCompiler struct {
	values   []string
	lists    []listPaths
	found    []bool                  // by value
	arrays   []bool                  // by list
	elements [][]bool                // by list and field
	types    map[int]*msg.Definition // of elements, by list
}

func (c *pickCompiler) message(def *msg.Definition, prefix string) (nodes []pickNode) {
	for _, f := range def.Fields {
		nested, path := def.Nested(f.Base), prefix+f.Name
		node := pickNode{base: f.Base, n: 1, size: fixedSize(def, f.Base), least: msg.Size(f.Base)}
		if f.Len != msg.NoArray {
			node.n = f.Len
		}
		switch {
		case nested == nil && f.Len == msg.NoArray:
			node.slots = c.match(c.values, path, c.found)
		case nested == nil:
		case f.Len == msg.NoArray:
			node.inner, node.least = c.message(nested, path+"."), nested.MinSize
		default:
			node.inner, node.least = c.array(nested, path, &node), nested.MinSize
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// array compiles the elements of an array of messages. Lists of the same array each have values of their own, one after
// the other.
func (c *pickCompiler) array(element *msg.Definition, path string, node *pickNode) []pickNode {
	inner := pickCompiler{}
	for i, l := range c.lists {
		if l.each != path {
			continue
		}
		c.arrays[i] = true
		if c.types == nil {
			c.types = map[int]*msg.Definition{}
		}
		c.types[i] = element
		node.lists = append(node.lists, i)
		inner.values = append(inner.values, l.fields...)
	}
	inner.found = make([]bool, len(inner.values))
	nodes := inner.message(element, "")
	at := 0
	for _, i := range node.lists {
		at += copy(c.elements[i], inner.found[at:])
	}
	return nodes
}

// match returns the numbers of the paths that a field is, and notes that they are found.
func (c *pickCompiler) match(paths []string, path string, found []bool) (slots []int) {
	for i, p := range paths {
		if p == path {
			slots, found[i] = append(slots, i), true
		}
	}
	return slots
}

// fixedSize is what each value of a field's base type takes on the wire, bytes; 0 if that differs.
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

// Pick reads the message in b. Of one that was cut it returns what stands before the end; else b must end with the
// message.
func (p *listPicker) Pick(b []byte, cut bool) ([]Value, []pickedList, error) {
	values, lists := make([]Value, p.values), make([]pickedList, len(p.lists))
	rest, err := p.read(p.nodes, b, values, lists)
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

// read reads nodes from b into values, unless these are nil, and returns the bytes after them. lists is nil within
// elements.
func (p *listPicker) read(nodes []pickNode, b []byte, values []Value, lists []pickedList) (_ []byte, err error) {
	for i := range nodes {
		node := &nodes[i]
		n := node.n
		if n == msg.Variable {
			if len(b) < 4 {
				return nil, errShort
			}
			n, b = int(le.Uint32(b)), b[4:]
		}
		switch {
		case node.lists != nil && lists != nil:
			b, err = p.elements(node, n, b, lists)
		case node.n == 1 && node.inner != nil:
			b, err = p.read(node.inner, b, values, lists)
		case node.slots != nil:
			var v Value
			if b, v, err = scalar(node.base, b); err == nil && values != nil {
				for _, slot := range node.slots {
					values[slot] = v
				}
			}
		default:
			b, err = p.skip(node, n, b)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// elements picks the fields of an array's elements, as far as they go.
func (p *listPicker) elements(node *pickNode, n int, b []byte, lists []pickedList) (_ []byte, err error) {
	width, most := 0, 0
	for _, i := range node.lists {
		lists[i].came = true
		width, most = width+len(p.lists[i].fields), max(most, p.lists[i].most)
	}
	if node.least == 0 { // of empty messages there is nothing to read
		return b, nil
	}
	for k := range min(n, most) {
		values := make([]Value, width)
		if b, err = p.read(node.inner, b, values, nil); err != nil {
			for _, i := range node.lists {
				lists[i].leftOut += n - k
			}
			return nil, err
		}
		for _, i := range node.lists {
			fields := len(p.lists[i].fields)
			if l := &lists[i]; k < p.lists[i].most {
				l.elements = append(l.elements, slices.Clip(values[:fields]))
			} else {
				l.leftOut++
			}
			values = values[fields:]
		}
	}
	if n <= most {
		return b, nil
	}
	for _, i := range node.lists {
		lists[i].leftOut += n - most
	}
	return p.skip(node, n-most, b)
}

// skip returns the bytes after n values of a node.
func (p *listPicker) skip(node *pickNode, n int, b []byte) (_ []byte, err error) {
	if node.least > 0 && n > len(b)/node.least {
		return nil, errShort
	}
	if node.size > 0 || node.least == 0 {
		return b[n*node.size:], nil
	}
	for range n {
		if node.inner != nil {
			b, err = p.read(node.inner, b, nil, nil)
		} else {
			b, _, err = scalar(node.base, b)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}
