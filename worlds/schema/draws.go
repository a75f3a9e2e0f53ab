package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction/random"
)

// Draws gives the distributions of a file their random numbers. Each number is addressed by the seed, the try and the
// place of its key, in which elements of lists go by their names: what is added to a file changes no other number.
type Draws struct {
	Seed, Try uint64
	Judged    bool // all that may be drawn has been judged, as with another seed
}

// Draw has the bindings that follow draw what the file gives as distributions. Without it distributions are refused.
func (f *File) Draw(d Draws) {
	f.draws, f.bound = &draws{Draws: d}, nil
}

// draws are those of one binding.
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

// judging sets whether all has been judged.
func (d *draws) judging(done bool) { d.Judged = done }

// Random tells whether the last binding has drawn anything.
func (f *File) Random() bool { return f.bound != nil && f.bound.draws != nil && f.bound.draws.made > 0 }

// Drawn returns the paths of the values that the last binding has drawn, in no order.
func (f *File) Drawn() (paths []string) {
	for path, v := range f.Root().bound.index {
		if v.of != nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// Alternatives returns what a choice may give in place of the node, as nodes for [Node.Errorf]; nothing where no choice
// was made, or where all has been judged.
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

// addressOf is the place of a node for the random numbers of a value there: its path, with names in place of indices.
// What stands in place of a name of vars has the name's in all places.
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

// stepTo is an element of a list in an address.
func stepTo(i int, layers []*value) string {
	for _, v := range layers {
		if name := v.table["name"]; name != nil && name.kind == kindString {
			return name.str
		}
	}
	return fmt.Sprintf("[%d]", i)
}
