package schema

import (
	"fmt"
	"reflect"
	"slices"
)

// Binder binds values that need more than tags: a name or a table, a union chosen by a key, a model to start from. *T
// implements it. BindNode sets the receiver from the node and returns the errors, mostly those of n.Bind and n.Errorf.
// n.Bind(receiver) binds by tags without calling the hook again. An embedded struct passes its hook on to the struct
// around it.
type Binder interface{ BindNode(n *Node) error }

// Named marks a [Binder] that also accepts a name: a string instead of a table or a number. Other Binders whose type is
// a struct get only tables.
type Named interface {
	Binder
	TakesName()
}

// Node is a value of a file with its place, for a [Binder]. If layers were bound over each other (see [Node.Bind]),
// keys are looked up in the top layer first.
type Node struct {
	where, key string   // path of the table that contains it, and its key
	up         *Node    // node that contains it, nil for a file's top table
	step       string   // part of the address, from up to this node
	layers     []*value // the top layer is last
	bound      *bound
}

func (n *Node) top() *value  { return n.layers[len(n.layers)-1] }
func (n *Node) path() string { return joinPath(n.where, n.key) }

// Pos returns the position of the key in the top layer.
func (n *Node) Pos() Pos { return n.top().pos() }

// File returns the name of the top layer's file.
func (n *Node) File() string { return n.top().text.name }

// Context returns the Context of the file that is bound.
func (n *Node) Context() any { return n.bound.context }

// Top returns the node with the top layer alone: a value that replaces those below as a whole.
func (n *Node) Top() *Node { return n.only(n.top()) }

// IsTable reports whether the node is a table, inline or with a header.
func (n *Node) IsTable() bool { return n.top().kind == kindTable }

// Text returns the node's string, and false if the node is no string.
func (n *Node) Text() (string, bool) { return n.top().str, n.top().kind == kindString }

// Value returns the node as plain Go: bool, int64, float64, string, []any or map[string]any, without any unit. Dates
// are strings.
func (n *Node) Value() any { return n.top().native() }

// Get returns the node of a key in a table, or nil.
func (n *Node) Get(key string) *Node {
	child := &Node{where: n.path(), key: keyText(key), up: n, step: key, bound: n.bound}
	for _, layer := range n.layers {
		if v := layer.table[key]; v != nil {
			child.layers = append(child.layers, child.choose(v))
		}
	}
	if child.layers == nil {
		return nil
	}
	return child
}

// Keys returns the keys of a table in the order of the file, those of the lowest layer first.
func (n *Node) Keys() (keys []string) {
	seen := map[string]bool{}
	for _, layer := range n.layers {
		for _, key := range layer.keys {
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// Errorf returns an error at this node. The text is the rule alone, as in "must be a name or a table".
func (n *Node) Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return n.errorAt(n.top(), err.Error(), err)
}

// Over returns this node with others below it, the lowest first, as if all were at the same place. Keys of this node
// override theirs.
func (n *Node) Over(base ...*Node) *Node {
	all := *n
	all.layers = nil
	for _, b := range base {
		all.layers = append(all.layers, b.layers...)
	}
	all.layers = append(all.layers, n.layers...)
	return &all
}

// Bind fills the struct that dst points to from a table, and returns all errors, sorted. It binds the base nodes first,
// see [Node.Over]; any of them may give a required key.
func (n *Node) Bind(dst any, base ...*Node) error {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("schema: %T is no pointer to a struct", dst))
	}
	var b binding
	b.table(n.Over(base...), v.Elem())
	return b.join()
}

// errorAt returns an error about the value of this node in one layer.
func (n *Node) errorAt(v *value, rule string, err error) *Error {
	return &Error{Pos: v.pos(), Where: n.where, Key: n.key, Value: v.source(), Rule: rule, With: v.row.String(),
		err: err}
}

// textOf returns the text of a key's value, or "" if there is none.
func (n *Node) textOf(key string) string {
	if child := n.Get(key); child != nil {
		if text, ok := child.Text(); ok {
			return text
		}
	}
	return ""
}

// In returns the top table of a file that a node names, with the place of that node.
func (n *Node) In(f *File) *Node {
	other := *n
	other.layers = []*value{f.root}
	return &other
}

// with returns the node with another value in one layer.
func (n *Node) with(layer int, v *value) *Node {
	other := *n
	other.layers = slices.Clone(n.layers)
	other.layers[layer] = v
	return &other
}

// only returns the node with one layer.
func (n *Node) only(layer *value) *Node {
	one := *n
	one.layers = []*value{layer}
	return &one
}

// sameForm returns the node without the layers below the last change between table and plain value.
func (n *Node) sameForm() *Node {
	form := *n
	last := len(n.layers) - 1
	for last > 0 && (n.layers[last-1].kind == kindTable) == n.IsTable() {
		last--
	}
	form.layers = slices.Clone(n.layers[last:])
	return &form
}

// Root returns the file's top table.
func (f *File) Root() *Node {
	if f.bound == nil {
		f.bound = &bound{index: index{"": f.root}, context: f.Context, draws: f.draws.fresh()}
	}
	return &Node{layers: []*value{f.root}, bound: f.bound}
}

// Roots returns the top tables of files.
func Roots(files []*File) (nodes []*Node) {
	for _, f := range files {
		nodes = append(nodes, f.Root())
	}
	return nodes
}

// Bind fills the struct that dst points to, which holds the defaults; absent keys leave them. It returns all errors,
// sorted; dst is then filled in part. Another file may be bound over the same dst afterwards, or both at once with
// [Node.Bind].
func (f *File) Bind(dst any) error {
	f.bound = nil
	return f.Root().Bind(dst)
}
