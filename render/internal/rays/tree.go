package rays

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Triangle is a triangle, stored as one corner and two edges, in the frame of its tree.
type Triangle struct {
	A, AB, AC Vec
	Source    int32 // index of its Surface
}

// Tree is a bounding volume hierarchy of triangles, split by the surface area heuristic.
type Tree struct {
	nodes     []node
	Triangles []Triangle // in the order of the tree
}

// node is a box. If count is 0, its two halves are the nodes next and next+1. Otherwise it contains count triangles,
// beginning with the triangle next.
type node struct {
	box         Bounds
	next, count int32
	axis        int32 // axis along which the box is split
}

const (
	leafSize = 4  // triangles
	deepest  = 46 // maximum depth of a Tree, which bounds the stack of traversals
)

// NewTree builds a tree of triangles. It sorts the given slice, and keeps it.
func NewTree(triangles []Triangle) *Tree {
	t := &Tree{Triangles: triangles, nodes: make([]node, 1, len(triangles)+1)}
	if len(triangles) > 0 {
		t.split(0, 0, len(triangles), 0)
	}
	return t
}

// Corners returns the three corners.
func (t *Triangle) Corners() [3]Vec { return [3]Vec{t.A, t.A.Add(t.AB), t.A.Add(t.AC)} }

// Box returns the smallest box that contains the triangle.
func (t *Triangle) Box() Bounds {
	b := Nowhere
	for _, p := range t.Corners() {
		b = b.With(p)
	}
	return b
}

// split makes node i from the triangles with the indices lo to hi − 1.
func (t *Tree) split(i, lo, hi, depth int) {
	box, centres := Nowhere, Nowhere
	for k := lo; k < hi; k++ {
		b := t.Triangles[k].Box()
		box = box.Join(b)
		centres = centres.With(b.Centre())
	}
	t.nodes[i].box = box
	axis, at := t.best(lo, hi, box, centres)
	if hi-lo <= leafSize || axis < 0 || depth == deepest {
		t.nodes[i].next, t.nodes[i].count = int32(lo), int32(hi-lo)
		return
	}
	mid := lo
	for k := lo; k < hi; k++ {
		if t.Triangles[k].Box().Centre().Axis(axis) < at {
			t.Triangles[k], t.Triangles[mid] = t.Triangles[mid], t.Triangles[k]
			mid++
		}
	}
	if mid == lo || mid == hi { // all centres coincide
		t.nodes[i].next, t.nodes[i].count = int32(lo), int32(hi-lo)
		return
	}
	next := len(t.nodes)
	t.nodes = append(t.nodes, node{}, node{})
	t.nodes[i].next, t.nodes[i].axis = int32(next), int32(axis)
	t.split(next, lo, mid, depth+1)
	t.split(next+1, mid, hi, depth+1)
}

// best tries some splits of the triangles with the indices lo to hi − 1. It returns the axis and the position of the
// cheapest split. axis is −1 if no split is cheaper than a leaf.
func (t *Tree) best(lo, hi int, box, centres Bounds) (axis int, at float32) {
	const bins = 8
	axis = -1
	cheapest := float32(hi-lo) * box.area()
	for a := range 3 {
		from, width := centres.Lo.Axis(a), centres.Hi.Axis(a)-centres.Lo.Axis(a)
		if width <= 0 {
			continue
		}
		var count [bins]int
		var boxes [bins]Bounds
		for k := range boxes {
			boxes[k] = Nowhere
		}
		for k := lo; k < hi; k++ {
			b := t.Triangles[k].Box()
			bin := min(int(bins*(b.Centre().Axis(a)-from)/width), bins-1)
			count[bin]++
			boxes[bin] = boxes[bin].Join(b)
		}
		for cut := 1; cut < bins; cut++ {
			left, right, nl, nr := Nowhere, Nowhere, 0, 0
			for k := range bins {
				if count[k] == 0 {
					continue
				}
				if k < cut {
					left, nl = left.Join(boxes[k]), nl+count[k]
				} else {
					right, nr = right.Join(boxes[k]), nr+count[k]
				}
			}
			if nl == 0 || nr == 0 {
				continue
			}
			if cost := left.area()*float32(nl) + right.area()*float32(nr); cost < cheapest {
				cheapest, axis, at = cost, a, from+width*float32(cut)/bins
			}
		}
	}
	return axis, at
}

// Intersection is the point where a ray meets a triangle. It is at T times the ray's direction from the ray's origin,
// and at A + U·AB + V·AC in the triangle.
type Intersection struct {
	T, U, V float32
	Source  int32 // its Surface; −1 for none
}

// seam is the fraction of its size by which a triangle extends beyond its edges. Without it, rounding in single
// precision lets some rays slip through between two triangles that share an edge.
const seam = 1e-5

// intersect returns the point where a ray meets the front of a triangle, if it is in the given range of distances.
func (t *Triangle) intersect(o, d Vec, from, to float32) (m Intersection, ok bool) {
	p := d.Cross(t.AC)
	det := t.AB.Dot(p)
	if det <= 1e-12 { // the ray meets the back or the edge of the triangle
		return m, false
	}
	s := o.Sub(t.A)
	u, beyond := s.Dot(p), det*seam
	if u < -beyond || u > det+beyond {
		return m, false
	}
	q := s.Cross(t.AB)
	v := d.Dot(q)
	if v < -beyond || u+v > det+beyond {
		return m, false
	}
	inv := 1 / det
	at := t.AC.Dot(q) * inv
	if !(at > from && at < to) {
		return m, false
	}
	return Intersection{at, u * inv, v * inv, t.Source}, true
}

// First finds the first intersection of a ray with a triangle beyond a minimum distance. If the intersection is nearer
// than *best, it replaces *best. inv holds the reciprocals of d's components. First ignores the parts that are marked
// in skip, which may be nil.
func (t *Tree) First(o, d, inv Vec, from float32, best *Intersection, skip []bool, surfaces []Surface) {
	var stack [48]int32
	top := 0
	stack[0] = 0
	if !t.nodes[0].box.crosses(o, inv, from, best.T) {
		return
	}
	for top >= 0 {
		n := &t.nodes[stack[top]]
		top--
		if n.count > 0 {
			for k := n.next; k < n.next+n.count; k++ {
				if m, ok := t.Triangles[k].intersect(o, d, from, best.T); ok &&
					(skip == nil || !skip[surfaces[m.Source].Part]) {
					*best = m
				}
			}
			continue
		}
		near, far := n.next, n.next+1
		if inv.Axis(int(n.axis)) < 0 {
			near, far = far, near
		}
		if t.nodes[far].box.crosses(o, inv, from, best.T) {
			top++
			stack[top] = far
		}
		if t.nodes[near].box.crosses(o, inv, from, best.T) {
			top++
			stack[top] = near
		}
	}
}

// Blocks reports whether a ray meets any triangle in a range of distances.
func (t *Tree) Blocks(o, d, inv Vec, from, to float32) bool {
	var stack [48]int32
	top := 0
	for top >= 0 {
		n := &t.nodes[stack[top]]
		top--
		if !n.box.crosses(o, inv, from, to) {
			continue
		}
		if n.count > 0 {
			for k := n.next; k < n.next+n.count; k++ {
				if _, ok := t.Triangles[k].intersect(o, d, from, to); ok {
					return true
				}
			}
			continue
		}
		stack[top+1], stack[top+2] = n.next, n.next+1
		top += 2
	}
	return false
}

// All appends every intersection in a range of distances, farthest first.
func (t *Tree) All(o, d Vec, from, to float32, found []Intersection) []Intersection {
	for i := range t.Triangles {
		if m, ok := t.Triangles[i].intersect(o, d, from, to); ok {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b Intersection) int {
		if a.T < b.T {
			return 1
		}
		return -1
	})
	return found
}

// crosses reports whether a ray passes through the box in a range of distances.
func (b *Bounds) crosses(o, inv Vec, from, to float32) bool {
	x0, x1 := (b.Lo.X-o.X)*inv.X, (b.Hi.X-o.X)*inv.X
	y0, y1 := (b.Lo.Y-o.Y)*inv.Y, (b.Hi.Y-o.Y)*inv.Y
	z0, z1 := (b.Lo.Z-o.Z)*inv.Z, (b.Hi.Z-o.Z)*inv.Z
	if x0 > x1 {
		x0, x1 = x1, x0
	}
	if y0 > y1 {
		y0, y1 = y1, y0
	}
	if z0 > z1 {
		z0, z1 = z1, z0
	}
	in, out := from, to
	if x0 > in {
		in = x0
	}
	if y0 > in {
		in = y0
	}
	if z0 > in {
		in = z0
	}
	if x1 < out {
		out = x1
	}
	if y1 < out {
		out = y1
	}
	if z1 < out {
		out = z1
	}
	return in <= out
}

// Never is the distance that stands for a ray that meets nothing.
const Never = float32(math.MaxFloat32)

// Bounds returns the box around all triangles of the tree.
func (t *Tree) Bounds() Bounds { return t.nodes[0].box }

// InParallel calls a function with each index from 0 to n − 1, on as many goroutines as there are processors. It
// returns after all calls have returned.
func InParallel(n int, do func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
