// Package outline computes the silhouettes of rendered bodies for the levels without images: a few upright prisms in
// the body's frame, m.
package outline

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Silhouette returns the silhouette of a body together with other bodies that are placed on it.
func Silhouette(scene *render.Scene, body *render.Body, others ...Placed) *abstraction.Silhouette {
	return abstraction.NewSilhouette(Largest(scene, body, others...))
}

// Largest returns the largest prisms of a body together with other bodies that are placed on it. They make up the
// body's silhouette. The lowest prism comes first.
func Largest(scene *render.Scene, body *render.Body, others ...Placed) []abstraction.Prism {
	return most(Prisms(scene, body, nil, others...))
}

// OfBoxes returns the silhouette of upright boxes as seen from around a point on the floor.
func OfBoxes(boxes []spatial.UprightBox, axis mgl64.Vec2) *abstraction.Silhouette {
	var all []abstraction.Prism
	for i := range boxes {
		b := &boxes[i]
		sin, cos := math.Sincos(b.Heading)
		x, y := mgl64.Vec2{cos, sin}.Mul(b.Half[0]), mgl64.Vec2{-sin, cos}.Mul(b.Half[1])
		at := b.Centre.Vec2().Sub(axis)
		plan := []mgl64.Vec2{at.Sub(x).Sub(y), at.Add(x).Sub(y), at.Add(x).Add(y), at.Sub(x).Add(y)}
		if b.Round {
			plan = abstraction.Disc(b.Half[0])
			for k := range plan {
				plan[k] = plan[k].Add(at)
			}
		}
		all = append(all, abstraction.Prism{Plan: plan, Bottom: b.Bottom(), Top: b.Top()})
	}
	return abstraction.NewSilhouette(most(all))
}

const (
	mostPrisms  = 8    // a larger number would cost time in every frame
	leastShare  = 0.01 // a prism is dropped if its fraction of the total visible area is smaller
	sliceHeight = 0.04 // maximum height of a slice, m; a piece is cut into slices if its plan changes with height
	mostSlices  = 6
)

// Placed is a body at a pose on another body.
type Placed struct {
	Body   *render.Body
	PoseBP spatial.Pose
}

// Prisms returns all prisms of a body and of other bodies that are placed on it. It leaves out the parts of the body
// whose names are in the argument without.
func Prisms(scene *render.Scene, body *render.Body, without []string, others ...Placed) []abstraction.Prism {
	var all []abstraction.Prism
	for _, p := range append([]Placed{{body, spatial.Identity()}}, others...) {
		for i := range p.Body.Parts {
			if !slices.Contains(without, p.Body.Parts[i].Name) {
				all = appendPrisms(all, triangles(scene, &p.Body.Parts[i], p.PoseBP))
			}
		}
	}
	return all
}

// most returns the largest prisms, which make up a silhouette, lowest first. It leaves out prisms inside of others.
func most(all []abstraction.Prism) []abstraction.Prism {
	slices.SortStableFunc(all, func(a, b abstraction.Prism) int { return cmp.Compare(facing(b), facing(a)) })
	total := 0.0
	for _, p := range all {
		total += facing(p)
	}
	var kept []abstraction.Prism
	for _, p := range all {
		inside := slices.ContainsFunc(kept, func(o abstraction.Prism) bool { return within(p, o) })
		if !inside && len(kept) < mostPrisms && facing(p) > leastShare*total {
			kept = append(kept, p)
		}
	}
	slices.SortStableFunc(kept, func(a, b abstraction.Prism) int { return cmp.Compare(a.Bottom, b.Bottom) })
	return kept
}

// facing returns the approximate visible area of a prism, m².
func facing(p abstraction.Prism) float64 {
	return (p.Top - p.Bottom) * math.Sqrt(math.Abs(area(p.Plan)))
}

// within reports whether the prism p lies in the prism o, up to a small tolerance.
func within(p, o abstraction.Prism) bool {
	const slack = 2e-3
	if p.Bottom < o.Bottom-slack || p.Top > o.Top+slack {
		return false
	}
	for _, v := range p.Plan {
		for i, a := range o.Plan {
			edge := o.Plan[(i+1)%len(o.Plan)].Sub(a)
			if edge[0]*(v[1]-a[1])-edge[1]*(v[0]-a[0]) < -slack*edge.Len() {
				return false
			}
		}
	}
	return true
}

type triangle [3]mgl64.Vec3

// triangles returns the surface of a part of a body at a pose.
func triangles(scene *render.Scene, part *render.Part, poseBP spatial.Pose) []triangle {
	mesh := &scene.Meshes[part.Mesh]
	pose := poseBP.Mul(part.PoseBP)
	at := make([]mgl64.Vec3, len(mesh.Vertices))
	for i := range mesh.Vertices {
		at[i] = pose.Apply(spatial.Vec64(mesh.Vertices[i].Pos))
	}
	var out []triangle
	for i := 0; i+2 < len(mesh.Indices); i += 3 {
		out = append(out, triangle{at[mesh.Indices[i]], at[mesh.Indices[i+1]], at[mesh.Indices[i+2]]})
	}
	return out
}

// appendPrisms appends a part as one prism, or as several if its plan changes with height.
func appendPrisms(into []abstraction.Prism, surface []triangle) []abstraction.Prism {
	bottom, top := math.Inf(1), math.Inf(-1)
	for _, t := range surface {
		for _, v := range t {
			bottom, top = min(bottom, v[2]), max(top, v[2])
		}
	}
	level := func(share float64) []mgl64.Vec2 { return plan(surface, bottom+share*(top-bottom)) }
	a, b, c := area(level(0.15)), area(level(0.5)), area(level(0.85))
	n := 1
	if max(a, b, c) > 1.15*min(a, b, c) {
		n = min(max(int(math.Ceil((top-bottom)/sliceHeight)), 1), mostSlices)
	}
	for i := range n {
		p := abstraction.Prism{
			Plan:   level((float64(i) + 0.5) / float64(n)),
			Bottom: bottom + float64(i)/float64(n)*(top-bottom), Top: bottom + float64(i+1)/float64(n)*(top-bottom),
		}
		if len(p.Plan) > 2 {
			into = append(into, p)
		}
	}
	return into
}

// plan returns the convex hull of a surface's section at a height, anticlockwise.
func plan(surface []triangle, z float64) []mgl64.Vec2 {
	var points []mgl64.Vec2
	for _, t := range surface {
		for i := range t {
			a, b := t[i], t[(i+1)%3]
			if (a[2] <= z) != (b[2] <= z) {
				share := (z - a[2]) / (b[2] - a[2])
				p := a.Add(b.Sub(a).Mul(share))
				points = append(points, mgl64.Vec2{p[0], p[1]})
			}
		}
	}
	return hull(points)
}

// hull returns the convex hull of points, anticlockwise (Andrew's monotone chain).
func hull(points []mgl64.Vec2) []mgl64.Vec2 {
	slices.SortFunc(points, func(a, b mgl64.Vec2) int {
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		return cmp.Compare(a[1], b[1])
	})
	var out []mgl64.Vec2
	for pass := range 2 {
		first := len(out)
		for _, p := range points {
			for len(out) >= first+2 {
				a, b := out[len(out)-2], out[len(out)-1]
				if (b[0]-a[0])*(p[1]-a[1])-(b[1]-a[1])*(p[0]-a[0]) > 1e-12 {
					break
				}
				out = out[:len(out)-1]
			}
			out = append(out, p)
		}
		if len(out) > first {
			out = out[:len(out)-1] // the next pass starts with the removed point
		}
		if pass == 0 {
			slices.Reverse(points)
		}
	}
	return out
}

// area returns the area of a plan.
func area(plan []mgl64.Vec2) float64 {
	sum := 0.0
	for i, a := range plan {
		b := plan[(i+1)%len(plan)]
		sum += a[0]*b[1] - a[1]*b[0]
	}
	return sum / 2
}

// Pieces cuts parts of a body into convex pieces. It returns the pieces of marked parts separately from the others.
// Each piece is the convex hull of a list of points. Pieces leaves out nets, which occlude nothing.
func Pieces(scene *render.Scene, parts []render.Part, isMarked func(name string) bool) (plain, marked [][]mgl64.Vec3) {
	for i := range parts {
		p := &parts[i]
		if scene.Materials[p.Material].Pattern == render.Net {
			continue
		}
		into := &plain
		if isMarked(p.Name) {
			into = &marked
		}
		*into = append(*into, convexPieces(triangles(scene, p, spatial.Identity()))...)
	}
	return plain, marked
}

const (
	// dent is the depth of a dent up to which a surface counts as convex, m.
	dent = 1e-3
	// mostLevels is the maximum number of heights at which a surface that is not convex is cut. Such a surface is cut
	// at the heights of its corners. If there are more such heights, it is cut at mostLevels evenly spaced heights
	// instead.
	mostLevels = 16
	// mostCorners is the number of corners from which a surface is always cut. The test of whether it is convex would
	// take too long.
	mostCorners = 4000
)

// convexPieces returns the points of the convex pieces of a surface. If the surface is convex, it is the only piece.
// Otherwise the pieces are its slices.
func convexPieces(surface []triangle) [][]mgl64.Vec3 {
	corners := cornersOf(surface)
	if len(corners) <= mostCorners && convex(surface, corners) {
		return [][]mgl64.Vec3{corners}
	}
	var levels []float64
	for _, c := range corners {
		levels = append(levels, c[2])
	}
	slices.Sort(levels)
	levels = slices.CompactFunc(levels, func(a, b float64) bool { return math.Abs(a-b) < dent })
	if low, high := levels[0], levels[len(levels)-1]; len(levels) > mostLevels {
		levels = levels[:0]
		for k := range mostLevels {
			levels = append(levels, low+(high-low)*float64(k)/(mostLevels-1))
		}
	}
	var all [][]mgl64.Vec3
	for k := range len(levels) - 1 {
		if slice := sliceOf(surface, levels[k], levels[k+1]); len(slice) > 3 {
			all = append(all, slice)
		}
	}
	return all
}

// cornersOf returns the distinct corners of a surface.
func cornersOf(surface []triangle) []mgl64.Vec3 {
	var all []mgl64.Vec3
	for _, t := range surface {
		all = append(all, t[:]...)
	}
	slices.SortFunc(all, func(a, b mgl64.Vec3) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
	})
	return slices.Compact(all)
}

// convex reports whether no corner lies above a triangle of the surface.
func convex(surface []triangle, corners []mgl64.Vec3) bool {
	for _, t := range surface {
		n := t[1].Sub(t[0]).Cross(t[2].Sub(t[0]))
		l := n.Len()
		if l < 1e-12 {
			continue // the triangle is a sliver, and its neighbours bound the surface
		}
		n = n.Mul(1 / l)
		d := n.Dot(t[0])
		for _, c := range corners {
			if n.Dot(c) > d+dent {
				return false
			}
		}
	}
	return true
}

// sliceOf returns the corners of the part of a surface between two heights.
func sliceOf(surface []triangle, low, high float64) []mgl64.Vec3 {
	var cut []triangle
	for _, t := range surface {
		for i, a := range t {
			if b := t[(i+1)%3]; math.Max(a[2], b[2]) >= low && math.Min(a[2], b[2]) <= high {
				cut = append(cut, triangle{at(a, b, low, high), at(b, a, low, high), at(a, b, low, high)})
			}
		}
	}
	return cornersOf(cut)
}

// at returns the first point on the way from end to other whose height lies in the range of heights.
func at(end, other mgl64.Vec3, low, high float64) mgl64.Vec3 {
	z := math.Min(math.Max(end[2], low), high)
	if z == end[2] {
		return end
	}
	return end.Add(other.Sub(end).Mul((z - end[2]) / (other[2] - end[2])))
}
