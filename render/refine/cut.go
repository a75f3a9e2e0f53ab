package refine

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
)

// Edges holds, for each level finer than the original mesh, the length of its longest edges, metres. The finest level
// is for bodies nearer than half a metre, such as a robot under its own mirror.
var Edges = [...]float64{1.28, 0.64, 0.32, 0.16, 0.08, 0.04}

// Flat is the largest deviation, pixels, of the straight line between two corners from its true curve in an image.
const Flat = 0.5

// sharpest is the largest bend, pixels, of cameras for which distant bodies are subdivided. An edge that subtends an
// angle deviates from its curve by bend·angle²/8 pixels. Mirrors and lenses have bends of 300 to 700 in images 1000
// pixels wide.
const sharpest = 1000

// straight is the largest angle, rad, that an edge may subtend so that a camera with the bend sharpest shows it as
// straight.
var straight = math.Sqrt(8 * Flat / sharpest)

// long returns the length of the edge from p to q, and whether that is longer than the argument edge, metres, and too
// near to the cameras to appear straight. The result depends only on the edge's ends, so that neighbouring triangles
// stay joined.
func long(b *render.Body, edge float64, p, q mgl32.Vec3) (length float64, tooLong bool) {
	length = float64(p.Sub(q).Len())
	return length, length > edge && (b.Cameras == nil || length > far(b, p, q, length))
}

// far returns the largest length, metres, that an edge may have where the edge from p to q is, to appear straight to
// all cameras in the body's region.
func far(b *render.Body, p, q mgl32.Vec3, length float64) float64 {
	return straight * (b.Cameras.Distance(Middle(p, q)) - length/2)
}

// Corner is a corner of a triangle, with an index that the caller chooses.
type Corner struct {
	Pos   mgl32.Vec3 // metres, in the body's frame
	Index uint32
}

// cut halves the edges of a triangle, the longest one first, until none is too long. The function middle must return
// the corner halfway between two corners. cut calls the function emit with each piece; if emit returns false, cut stops
// and returns false.
func cut(b *render.Body, edge float64, i, j, k Corner, middle func(i, j Corner) Corner,
	emit func(i, j, k Corner) bool) bool {
	ij, over := long(b, edge, i.Pos, j.Pos)
	jk, above := long(b, edge, j.Pos, k.Pos)
	ki, beyond := long(b, edge, k.Pos, i.Pos)
	done := !over && !above && !beyond
	if !done { // only counts edges that are too long
		ij, jk, ki = orZero(ij, over), orZero(jk, above), orZero(ki, beyond)
	}
	// Rotate the corners so that i–j is the longest edge.
	switch {
	case jk > ij && jk >= ki:
		i, j, k = j, k, i
	case ki > ij:
		i, j, k = k, i, j
	}
	if done {
		return emit(i, j, k)
	}
	m := middle(i, j)
	return cut(b, edge, i, m, k, middle, emit) && cut(b, edge, m, j, k, middle, emit)
}

func orZero(x float64, counts bool) float64 {
	if !counts {
		return 0
	}
	return x
}

// Middle returns the point halfway between p and q.
func Middle(p, q mgl32.Vec3) mgl32.Vec3 { return p.Add(q).Mul(0.5) }
