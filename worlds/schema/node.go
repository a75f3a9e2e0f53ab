package schema

import (
	"fmt"
	"reflect"
	"slices"
)

// Binder binds values for which tags are not enough: a name or a table, a union whose type depends on a key, or a table
// that starts from a model. The type *T implements it for values of type T. BindNode sets the receiver from the node,
// and returns the errors, most of which come from n.Bind and n.Errorf. The call n.Bind(receiver) binds by tags, and
// does not call BindNode again. Go promotes the BindNode of an embedded struct to the struct around it.
type Binder interface{ BindNode(n *Node) error }

// Named marks a [Binder] that also accepts a name, which is a string in place of a table or a number. A Binder that is
// a struct and is not Named accepts only tables.
type Named interface {
	Binder
	TakesName()
}

// Omissible marks a [Binder] that also accepts the value false, which says that the world has no such thing.
type Omissible interface {
	Binder
	TakesFalse()
}

// Node is a value of a file with its position, for a [Binder]. If several layers were bound over each other (see
// [Node.Bind]), keys are looked up in the top layer first.
type Node struct {
	where, key string   // path of the table that contains the node, and the node's key
	up         *Node    // node that contains this one; nil for the top table of a file
	step       string   // last part of the node's address; the node up has the other parts
	layers     []*value // values of the node in all layers; the top layer is last
	bound      *bound
}

func (n *Node) top() *value  { return n.layers[len(n.layers)-1] }
func (n *Node) path() string { return joinPath(n.where, n.key) }

// Pos returns the position of the node's key in the top layer.
func (n *Node) Pos() Pos { return n.top().pos() }

// File returns the name of the file that is the top layer.
func (n *Node) File() string { return n.top().text.name }

// Context returns the Context of the file that is being bound.
func (n *Node) Context() any { return n.bound.context }

// Top returns the node with only its top layer. Its value then replaces the values of lower layers as a whole.
func (n *Node) Top() *Node { return n.only(n.top()) }

// IsTable reports whether the node is a table. The table may be inline or have a header.
func (n *Node) IsTable() bool { return n.top().kind == kindTable }

// Text returns the string of the node. The bool result is false if the node is not a string.
func (n *Node) Text() (string, bool) { return n.top().str, n.top().kind == kindString }

// False reports whether the node is the value false.
func (n *Node) False() bool { return n.Value() == false }

// Value returns the node's value as plain Go: bool, int64, float64, string, []any or map[string]any. Numbers are not
// converted from the key's unit. Dates are strings.
func (n *Node) Value() any { return n.top().native() }

// Get returns the node of a key in a table. It returns nil if the table does not have the key.
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

// Keys returns the keys of a table in the order of the file. Keys of the lowest layer come first.
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

// Errorf returns an error at this node. The text is only the rule, as in "must be a name or a table".
func (n *Node) Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return n.errorAt(n.top(), err.Error(), err)
}

// Over returns this node over the nodes of base: they become the layers below it, the lowest first. Keys of this node
// override keys of the nodes below it. All of these nodes get the path of this node.
func (n *Node) Over(base ...*Node) *Node {
	all := *n
	all.layers = nil
	for _, b := range base {
		all.layers = append(all.layers, b.layers...)
	}
	all.layers = append(all.layers, n.layers...)
	return &all
}

// Bind fills the struct to which dst points from a table, and returns all errors, sorted. It binds the nodes of base
// first, see [Node.Over]. A required key may be in any of the nodes.
func (n *Node) Bind(dst any, base ...*Node) error {
	v := reflect.ValueOf(dst)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("schema: %T is no pointer to a struct", dst))
	}
	var b binding
	b.table(n.Over(base...), v.Elem())
	return b.join()
}

// errorAt returns an error about the value v, which this node has in one of its layers.
func (n *Node) errorAt(v *value, rule string, err error) *Error {
	return &Error{Pos: v.pos(), Where: n.where, Key: n.key, Value: v.source(), Rule: rule, With: v.row.String(),
		err: err}
}

// textOf returns the text of a key's value. It returns "" if the key has no text.
func (n *Node) textOf(key string) string {
	if child := n.Get(key); child != nil {
		if text, ok := child.Text(); ok {
			return text
		}
	}
	return ""
}

// In returns the top table of a file as a node in the place of n, which is the name of the file.
func (n *Node) In(f *File) *Node {
	other := *n
	other.layers = []*value{f.root}
	return &other
}

// with returns the node with another value in one layer, which is given by its index.
func (n *Node) with(layer int, v *value) *Node {
	other := *n
	other.layers = slices.Clone(n.layers)
	other.layers[layer] = v
	return &other
}

// only returns the node with a single layer.
func (n *Node) only(layer *value) *Node {
	one := *n
	one.layers = []*value{layer}
	return &one
}

// sameForm returns the node with its top layer and the layers below that have the same form: either all are tables or
// none is. Below the first layer with another form, all layers are left out.
func (n *Node) sameForm() *Node {
	form := *n
	last := len(n.layers) - 1
	for last > 0 && (n.layers[last-1].kind == kindTable) == n.IsTable() {
		last--
	}
	form.layers = slices.Clone(n.layers[last:])
	return &form
}

// Root returns the node of the file's top table.
func (f *File) Root() *Node {
	if f.bound == nil {
		f.bound = &bound{index: index{"": f.root}, context: f.Context, draws: f.draws.fresh()}
	}
	return &Node{layers: []*value{f.root}, bound: f.bound}
}

// Roots returns the nodes of the top tables of several files.
func Roots(files []*File) (nodes []*Node) {
	for _, f := range files {
		nodes = append(nodes, f.Root())
	}
	return nodes
}

// Bind fills the struct to which dst points. The struct holds the defaults, which stay where the file has no key. Bind
// returns all errors, sorted. After an error, dst is only partly filled. Another file may be bound over the same dst
// afterwards. [Node.Bind] binds several files at once.
func (f *File) Bind(dst any) error {
	f.bound = nil
	return f.Root().Bind(dst)
}
