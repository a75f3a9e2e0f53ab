package schema

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction/random"
	"github.com/omnipitch/omnipitch/physics/rules"
)

// Draws determines the random numbers for the distributions of a file. Each number depends on an address: the seed, the
// index of the try, and the path of the number's key. In this path, names replace the indices of list elements.
// Additions to a file therefore change none of the other numbers.
type Draws struct {
	Seed, Try uint64
	Judged    bool // whether everything that may be drawn has already been judged, with another seed
}

// Draw makes later bindings draw random values for the distributions of the file. Without Draw, distributions are
// errors. Calls of [File.Redraw] stay in effect only if neither Seed nor Try changes.
func (f *File) Draw(d Draws) {
	next := &draws{Draws: d}
	if f.bound != nil && f.bound.draws != nil {
		next.again = f.bound.draws.kept(d)
	}
	f.draws, f.bound = next, nil
}

// draws are the random draws of one binding.
type draws struct {
	Draws
	made  int
	again map[string]uint64 // tries of Redraw, by addresses
	nodes map[string]*Node  // nodes of the structs that were bound, by their paths
}

func (d *draws) fresh() *draws {
	if d == nil {
		return nil
	}
	return &draws{Draws: d.Draws, again: d.again, nodes: map[string]*Node{}}
}

// kept returns the tries of Redraw that stay in effect with the next draws.
func (d *draws) kept(next Draws) map[string]uint64 {
	if next.Seed != d.Seed || next.Try != d.Try {
		return nil
	}
	return d.again
}

// redrawn separates the tries of Redraw from those of Draw.
const redrawn = 1 << 32

func (d *draws) source(address string) random.Source {
	try := d.Try
	if len(d.again) > 0 {
		for end := range len(address) + 1 {
			if end == len(address) || address[end] == 0 {
				try += redrawn * d.again[address[:end]]
			}
		}
	}
	return random.New(d.Seed, "world", address, try)
}

// Redraw makes later bindings draw other values at and below a path of the last binding, where that binding filled a
// struct. Another number try, which is less than 2³², gives other values. Values that are shared, see [File.Shared],
// stay the same.
func (f *File) Redraw(path string, try uint64) {
	d := f.Root().bound.draws
	if d.again == nil {
		d.again = map[string]uint64{}
	}
	if n := d.nodes[path]; n != nil {
		d.again[n.addressOf(given(n.top()))] = try
	}
}

// Rebind binds the value at a path of the last binding again, with random values for d. dst points to a struct of the
// same type as in the last binding, which holds the defaults. Rebind fails if the last binding filled no struct there.
func (f *File) Rebind(path string, d Draws, dst any) error {
	draws := f.Root().bound.draws
	if draws.nodes[path] == nil {
		return fmt.Errorf("%s was not bound", path)
	}
	draws.Draws, draws.again = d, draws.kept(d)
	n := *draws.nodes[path]
	n.layers = slices.Clone(n.layers)
	for i, v := range n.layers {
		n.layers[i] = n.choose(given(v))
	}
	var b binding
	b.value(&n, reflect.ValueOf(dst).Elem(), rules.Rules{})
	return b.join()
}

// given returns the value that the file has in place of v. It is a distribution if v was drawn.
func given(v *value) *value { return cmp.Or(v.of, v) }

// judging sets whether everything that may be drawn has been judged.
func (d *draws) judging(done bool) { d.Judged = done }

// Random reports whether the last binding has drawn any random value.
func (f *File) Random() bool { return f.bound != nil && f.bound.draws != nil && f.bound.draws.made > 0 }

// Drawn returns the paths of the values that the last binding has drawn at random, in no particular order.
func (f *File) Drawn() (paths []string) {
	for path, v := range f.Root().bound.index {
		if v.of != nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// Shared reports whether the value at a path was drawn together with others, for all uses of a name of vars.
func (f *File) Shared(path string) bool {
	for ; path != ""; path = parentPath(path) {
		if v := f.Root().bound.index[path]; v != nil && given(v).shared != "" {
			return true
		}
	}
	return false
}

// Values returns how many values were bound since the last call of Draw. It measures the work of that, and does not
// depend on the machine.
func (f *File) Values() int { return f.Root().bound.values }

// ValuesIn returns how many values the last binding found in a list, which is given by its path.
func (f *File) ValuesIn(list string) (n int) {
	for path := range f.Root().bound.index {
		if strings.HasPrefix(path, list+"[") {
			n++
		}
	}
	return n
}

// Alternatives returns the values that a choice may give in place of the node. They are nodes, so that the caller can
// report errors about them with [Node.Errorf]. Alternatives returns nil if no choice was made here, or if everything
// has already been judged.
func (n *Node) Alternatives() (all []*Node) {
	chosen := n.top().of
	if chosen == nil || n.bound.draws.Judged {
		return nil
	}
	_, list := distributionIn(chosen)
	for i, v := range list.elems {
		all = append(all, &Node{where: n.path(), key: elemKey(choice, i), up: n.up, step: n.step,
			layers: []*value{n.choose(v)}, bound: n.bound})
	}
	return all
}

// addressOf returns the address of the random numbers for a value of a node: the path of the node, with names in place
// of indices. A value of vars has the same address wherever it is used.
func (n *Node) addressOf(v *value) string {
	steps := []string{}
	for v.shared == "" && n.up != nil {
		steps = append(steps, n.step)
		n = n.up
		v = n.top()
	}
	slices.Reverse(steps)
	return strings.Join(append([]string{v.shared}, steps...), "\x00")
}

// stepTo returns the part of a random value's address that identifies an element of a list.
func stepTo(i int, layers []*value) string {
	for _, v := range layers {
		if name := v.table["name"]; name != nil && name.kind == kindString {
			return name.str
		}
	}
	return fmt.Sprintf("[%d]", i)
}
