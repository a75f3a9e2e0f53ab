package raycast

import (
	"math"
	"slices"
)

// triangle is one corner and two edges, in its body's frame.
type triangle struct {
	a, ab, ac vec
	source    int32 // index of the surface triangle
}

// tree is a bounding volume hierarchy of triangles, split by the surface area heuristic.
type tree struct {
	nodes     []node
	triangles []triangle
}

// node is a box and its two halves, at next and next+1, or, with count > 0, its triangles from next.
type node struct {
	box         bounds
	next, count int32
	axis        int32 // along which the halves are split
}

const leafSize = 4 // triangles

func newTree(triangles []triangle) *tree {
	t := &tree{triangles: triangles, nodes: make([]node, 1, len(triangles)+1)}
	if len(triangles) > 0 {
		t.split(0, 0, len(triangles))
	}
	return t
}

func (t *triangle) corners() [3]vec { return [3]vec{t.a, t.a.add(t.ab), t.a.add(t.ac)} }

func (t *triangle) box() bounds {
	b := nowhere
	for _, p := range t.corners() {
		b = b.with(p)
	}
	return b
}

// split makes node i of the triangles from lo to hi.
func (t *tree) split(i, lo, hi int) {
	box, centres := nowhere, nowhere
	for k := lo; k < hi; k++ {
		b := t.triangles[k].box()
		box = box.join(b)
		centres = centres.with(b.centre())
	}
	t.nodes[i].box = box
	axis, at := t.best(lo, hi, box, centres)
	if hi-lo <= leafSize || axis < 0 {
		t.nodes[i].next, t.nodes[i].count = int32(lo), int32(hi-lo)
		return
	}
	mid := lo
	for k := lo; k < hi; k++ {
		if t.triangles[k].box().centre().axis(axis) < at {
			t.triangles[k], t.triangles[mid] = t.triangles[mid], t.triangles[k]
			mid++
		}
	}
	if mid == lo || mid == hi { // all centres in one place
		t.nodes[i].next, t.nodes[i].count = int32(lo), int32(hi-lo)
		return
	}
	next := len(t.nodes)
	t.nodes = append(t.nodes, node{}, node{})
	t.nodes[i].next, t.nodes[i].axis = int32(next), int32(axis)
	t.split(next, lo, mid)
	t.split(next+1, mid, hi)
}

// best returns the cheapest of some splits; axis is −1 if none is cheaper than a leaf.
func (t *tree) best(lo, hi int, box, centres bounds) (axis int, at float32) {
	const bins = 8
	axis = -1
	cheapest := float32(hi-lo) * box.area()
	for a := range 3 {
		from, width := centres.lo.axis(a), centres.hi.axis(a)-centres.lo.axis(a)
		if width <= 0 {
			continue
		}
		var count [bins]int
		var boxes [bins]bounds
		for k := range boxes {
			boxes[k] = nowhere
		}
		for k := lo; k < hi; k++ {
			b := t.triangles[k].box()
			bin := min(int(bins*(b.centre().axis(a)-from)/width), bins-1)
			count[bin]++
			boxes[bin] = boxes[bin].join(b)
		}
		for cut := 1; cut < bins; cut++ {
			left, right, nl, nr := nowhere, nowhere, 0, 0
			for k := range bins {
				if count[k] == 0 {
					continue
				}
				if k < cut {
					left, nl = left.join(boxes[k]), nl+count[k]
				} else {
					right, nr = right.join(boxes[k]), nr+count[k]
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

// intersection is where a ray intersects a triangle: at t times its direction, at a + u·ab + v·ac.
type intersection struct {
	t, u, v float32
	source  int32 // the surface triangle; −1 for none
}

// intersect returns where a ray intersects the front of a triangle between from and to.
func (t *triangle) intersect(o, d vec, from, to float32) (m intersection, ok bool) {
	p := d.cross(t.ac)
	det := t.ab.dot(p)
	if det <= 1e-12 { // seen from behind, or on edge
		return m, false
	}
	s := o.sub(t.a)
	u := s.dot(p)
	if u < 0 || u > det {
		return m, false
	}
	q := s.cross(t.ab)
	v := d.dot(q)
	if v < 0 || u+v > det {
		return m, false
	}
	inv := 1 / det
	at := t.ac.dot(q) * inv
	if !(at > from && at < to) {
		return m, false
	}
	return intersection{at, u * inv, v * inv, t.source}, true
}

// first replaces best by the first intersection after from, if that is nearer. inv is the inverses of d's components.
func (t *tree) first(o, d, inv vec, from float32, best *intersection, skip []bool, surfaces []surface) {
	var stack [48]int32
	top := 0
	stack[0] = 0
	if !t.nodes[0].box.crosses(o, inv, from, best.t) {
		return
	}
	for top >= 0 {
		n := &t.nodes[stack[top]]
		top--
		if n.count > 0 {
			for k := n.next; k < n.next+n.count; k++ {
				if m, ok := t.triangles[k].intersect(o, d, from, best.t); ok && (skip == nil || !skip[surfaces[m.source].part]) {
					*best = m
				}
			}
			continue
		}
		near, far := n.next, n.next+1
		if inv.axis(int(n.axis)) < 0 {
			near, far = far, near
		}
		if t.nodes[far].box.crosses(o, inv, from, best.t) {
			top++
			stack[top] = far
		}
		if t.nodes[near].box.crosses(o, inv, from, best.t) {
			top++
			stack[top] = near
		}
	}
}

// all appends every intersection between from and to, the farthest first.
func (t *tree) all(o, d vec, from, to float32, found []intersection) []intersection {
	for i := range t.triangles {
		if m, ok := t.triangles[i].intersect(o, d, from, to); ok {
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b intersection) int {
		if a.t < b.t {
			return 1
		}
		return -1
	})
	return found
}

// crosses tells whether a ray passes through the box between from and to.
func (b *bounds) crosses(o, inv vec, from, to float32) bool {
	x0, x1 := (b.lo.x-o.x)*inv.x, (b.hi.x-o.x)*inv.x
	y0, y1 := (b.lo.y-o.y)*inv.y, (b.hi.y-o.y)*inv.y
	z0, z1 := (b.lo.z-o.z)*inv.z, (b.hi.z-o.z)*inv.z
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

const never = float32(math.MaxFloat32)
