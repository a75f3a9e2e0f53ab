package outline

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

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
	// mostCorners is the number of corners from which a surface is cut without testing whether it is convex. For so
	// many corners the test would take too long.
	mostCorners = 4000
)

// convexPieces returns the points of the convex pieces of a surface: of the surface itself if it is convex, else of its
// slices.
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
			continue // a sliver, bounded by its neighbours
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

// at returns an end of an edge, or where the edge enters the range of heights.
func at(end, other mgl64.Vec3, low, high float64) mgl64.Vec3 {
	z := math.Min(math.Max(end[2], low), high)
	if z == end[2] {
		return end
	}
	return end.Add(other.Sub(end).Mul((z - end[2]) / (other[2] - end[2])))
}
