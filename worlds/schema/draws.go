package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction/random"
)

// Draws determines the random numbers for the distributions of a file. Each number depends on an address: the seed, the
// index of the try, and the path of the number's key. In this path, names replace the indices of list elements.
// Additions to a file therefore change none of the other numbers.
type Draws struct {
	Seed, Try uint64
	Judged    bool // whether everything that may be drawn has already been judged, with another seed
}

// Draw makes later bindings draw random values for the distributions of the file. Without Draw, distributions are
// errors.
func (f *File) Draw(d Draws) {
	f.draws, f.bound = &draws{Draws: d}, nil
}

// draws are the random draws of one binding.
type draws struct {
	Draws
	made int
}

func (d *draws) fresh() *draws {
	if d == nil {
		return nil
	}
	return &draws{Draws: d.Draws}
}

func (d *draws) source(address string) random.Source {
	return random.New(d.Seed, "world", address, d.Try)
}

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
