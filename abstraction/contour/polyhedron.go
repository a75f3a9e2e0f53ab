package contour

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// polyhedron is a convex solid in its body's frame, in metres.
type polyhedron struct {
	corners []mgl64.Vec3
	faces   []plane
	edges   []edge
	around  []uint64 // the edges around each face, as one bit per edge; words for each face
	words   int      // number of words of a bit set of all edges
	centre  mgl64.Vec3
	radius  float64    // around the centre
	lo, hi  mgl64.Vec3 // of the box around it
}

// plane is the plane n·p = d. The unit vector n points outwards.
type plane struct {
	n mgl64.Vec3
	d float64
}

func (p *plane) above(at *mgl64.Vec3) float64 {
	return p.n[0]*at[0] + p.n[1]*at[1] + p.n[2]*at[2] - p.d
}

// edge is where two faces meet: indices of its corners.
type edge struct{ from, to int32 }

const (
	// thinnest is the thickness given to polyhedra that are thinner than half of it, m.
	thinnest = 1e-3
	// closest is the distance from a plane within which corners count as on the plane, m. Meshes have single precision.
	closest = 1e-6
)

// newPolyhedron returns the convex hull of points. It may leave out points that are outside of it by at most a
// tolerance, m. It returns nil for points on one line. Source: Barber, Dobkin and Huhdanpaa, "The quickhull algorithm
// for convex hulls", 1996.
func newPolyhedron(points []mgl64.Vec3, tolerance float64) *polyhedron {
	h := hull{points: points}
	if !h.begin() {
		return nil
	}
	for {
		far := -1
		for i := range h.facets {
			if f := &h.facets[i]; !f.gone && f.height > max(tolerance, closest) &&
				(far < 0 || f.height > h.facets[far].height) {
				far = i
			}
		}
		if far < 0 {
			return h.polyhedron()
		}
		h.add(h.facets[far].farthest)
	}
}

// hull is a polyhedron under construction.
type hull struct {
	points []mgl64.Vec3
	facets []facet
}

// facet is a triangle of a hull, and the points above it. Its corners are anticlockwise as seen from outside.
type facet struct {
	plane
	corners  [3]int32
	outside  []int32
	farthest int32 // of outside
	height   float64
	gone     bool
}

// begin makes the first tetrahedron. It returns false if all points lie on a line.
func (h *hull) begin() bool {
	if len(h.points) == 0 {
		return false
	}
	farthest := func(distance func(p mgl64.Vec3) float64) (at int32, most float64) {
		for i, p := range h.points {
			if d := distance(p); d > most {
				at, most = int32(i), d
			}
		}
		return at, most
	}
	first, _ := farthest(func(p mgl64.Vec3) float64 { return p.Sub(h.points[0]).Len() })
	a := h.points[first]
	second, length := farthest(func(p mgl64.Vec3) float64 { return p.Sub(a).Len() })
	if length < closest {
		return false
	}
	along := h.points[second].Sub(a).Mul(1 / length)
	third, width := farthest(func(p mgl64.Vec3) float64 { return p.Sub(a).Cross(along).Len() })
	if width < closest {
		return false
	}
	n := along.Cross(h.points[third].Sub(a)).Normalize()
	fourth, thickness := farthest(func(p mgl64.Vec3) float64 { return math.Abs(p.Sub(a).Dot(n)) })
	if thickness < thinnest/2 {
		flat := h.points
		h.points = nil
		for _, p := range flat {
			h.points = append(h.points, p.Add(n.Mul(thinnest/2)), p.Sub(n.Mul(thinnest/2)))
		}
		return h.begin()
	}
	if h.points[fourth].Sub(a).Dot(n) > 0 {
		second, third = third, second
	}
	h.facets = []facet{h.facet(first, second, third), h.facet(first, fourth, second), h.facet(second, fourth, third),
		h.facet(third, fourth, first)}
	for i := range h.points {
		h.assign(int32(i), 0)
	}
	return true
}

func (h *hull) facet(a, b, c int32) facet {
	f := facet{corners: [3]int32{a, b, c}}
	f.n = h.points[b].Sub(h.points[a]).Cross(h.points[c].Sub(h.points[a]))
	if l := f.n.Len(); l > 0 {
		f.n = f.n.Mul(1 / l)
	}
	f.d = f.n.Dot(h.points[a])
	return f
}

// assign assigns a point to the facet that the point is highest above. It considers only the facet with index first and
// those after it.
func (h *hull) assign(point int32, first int) {
	best, most := -1, closest
	for i := first; i < len(h.facets); i++ {
		if above := h.facets[i].above(&h.points[point]); above > most {
			best, most = i, above
		}
	}
	if best < 0 {
		return
	}
	f := &h.facets[best]
	f.outside = append(f.outside, point)
	if most > f.height {
		f.farthest, f.height = point, most
	}
}

// add extends the hull by a point. It removes the facets that are visible from the point, and connects their border
// with the point.
func (h *hull) add(point int32) {
	seen := map[[2]int32]bool{}
	var edges [][2]int32 // ordered, so that the same points always give the same hull
	var loose []int32
	for i := range h.facets {
		f := &h.facets[i]
		if f.gone || f.above(&h.points[point]) <= closest/2 {
			continue
		}
		f.gone = true
		loose = append(loose, f.outside...)
		for k, a := range f.corners {
			e := [2]int32{a, f.corners[(k+1)%3]}
			seen[e] = true
			edges = append(edges, e)
		}
	}
	from := len(h.facets)
	for _, e := range edges {
		if !seen[[2]int32{e[1], e[0]}] {
			h.facets = append(h.facets, h.facet(e[0], e[1], point))
		}
	}
	for _, p := range loose {
		if p != point {
			h.assign(p, from)
		}
	}
}

// polyhedron returns the finished hull. Facets in one plane become one face.
func (h *hull) polyhedron() *polyhedron {
	p := &polyhedron{}
	var left []facet
	for _, f := range h.facets {
		if !f.gone {
			left = append(left, f)
		}
	}
	owner := map[[2]int32]int{} // index of the facet on the left of each edge
	face := make([]int32, len(left))
	for i := range left {
		c := &left[i].corners
		for k := range c {
			owner[[2]int32{c[k], c[(k+1)%3]}] = i
		}
		face[i] = -1
		for k := range i {
			if left[i].n.Dot(left[k].n) > 1-1e-9 && math.Abs(left[k].above(&h.points[c[0]])) < closest {
				face[i] = face[k]
				break
			}
		}
		if face[i] < 0 {
			face[i] = int32(len(p.faces))
			p.faces = append(p.faces, left[i].plane)
		}
	}
	index := map[int32]int32{}
	corner := func(point int32) int32 {
		at, ok := index[point]
		if !ok {
			at = int32(len(p.corners))
			index[point] = at
			p.corners = append(p.corners, h.points[point])
		}
		return at
	}
	var beside [][2]int32 // the faces on both sides of each edge
	for i := range left {
		c := &left[i].corners
		for k, a := range c {
			b := c[(k+1)%3]
			other, ok := owner[[2]int32{b, a}]
			if a < b && ok && face[other] != face[i] {
				p.edges = append(p.edges, edge{corner(a), corner(b)})
				beside = append(beside, [2]int32{face[i], face[other]})
			}
		}
	}
	p.words = (len(p.edges) + 63) / 64
	p.around = make([]uint64, len(p.faces)*p.words)
	for i, faces := range beside {
		for _, f := range faces {
			p.around[int(f)*p.words+i/64] |= 1 << (i % 64)
		}
	}
	p.measure()
	return p
}

// measure sets the bounds of the polyhedron.
func (p *polyhedron) measure() {
	p.lo, p.hi = p.corners[0], p.corners[0]
	for _, c := range p.corners {
		for k := range c {
			p.lo[k], p.hi[k] = min(p.lo[k], c[k]), max(p.hi[k], c[k])
		}
	}
	p.centre = p.lo.Add(p.hi).Mul(0.5)
	for _, c := range p.corners {
		p.radius = max(p.radius, c.Sub(p.centre).Len())
	}
}

// contains reports whether another polyhedron lies inside p, or sticks out of it by at most a length, m.
func (p *polyhedron) contains(o *polyhedron, slack float64) bool {
	if o.centre.Sub(p.centre).Len() > p.radius+slack {
		return false
	}
	for i := range p.faces {
		for k := range o.corners {
			if p.faces[i].above(&o.corners[k]) > slack {
				return false
			}
		}
	}
	return true
}
