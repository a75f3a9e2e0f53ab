package refine

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
)

// Edges are the longest edges of the levels below the meshes' own, metres. The finest serves what is nearer than half a
// metre, as the robot under its own mirror is.
var Edges = [...]float64{1.28, 0.64, 0.32, 0.16, 0.08, 0.04}

// Flat is the largest deviation, pixels, of the straight line between two corners from its true curve in an image.
const Flat = 0.5

// sharpest is the largest bend, pixels, of cameras for which distant bodies are subdivided: an edge that subtends an
// angle deviates from its curve by bend·angle²/8 pixels. Mirrors and lenses have 300 to 700 in images 1000 pixels wide.
const sharpest = 1000

// straight is the largest angle, rad, of an edge that is straight in the image of such a camera.
var straight = math.Sqrt(8 * Flat / sharpest)

// long tells whether an edge is longer than a level's longest, and too near to the cameras to be straight in their
// images. It depends on the edge's ends alone, so that neighbouring triangles stay joined.
func long(b *render.Body, edge float64, p, q mgl32.Vec3) (length float64, tooLong bool) {
	length = float64(p.Sub(q).Len())
	return length, length > edge && (b.Cameras == nil || length > far(b, p, q, length))
}

// far returns the largest length of an edge, metres, that is straight in the images of all cameras in the body's
// region.
func far(b *render.Body, p, q mgl32.Vec3, length float64) float64 {
	return straight * (b.Cameras.Distance(Middle(p, q)) - length/2)
}

// Corner is a corner of a triangle, with a number of the caller's.
type Corner struct {
	Pos   mgl32.Vec3 // metres, in the body's frame
	Index uint32
}

// cut halves the edges of a triangle until none is too long, the longest of those first. middle returns the corner
// between two others; emit receives the pieces, and ends the subdivision by returning false, as cut then does.
func cut(b *render.Body, edge float64, i, j, k Corner, middle func(i, j Corner) Corner,
	emit func(i, j, k Corner) bool) bool {
	ij, over := long(b, edge, i.Pos, j.Pos)
	jk, above := long(b, edge, j.Pos, k.Pos)
	ki, beyond := long(b, edge, k.Pos, i.Pos)
	done := !over && !above && !beyond
	if !done { // only those count
		ij, jk, ki = orZero(ij, over), orZero(jk, above), orZero(ki, beyond)
	}
	// Turn the longest edge to i–j.
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

// Middle is the point between two others.
func Middle(p, q mgl32.Vec3) mgl32.Vec3 { return p.Add(q).Mul(0.5) }
