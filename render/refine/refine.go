// Package refine subdivides triangles until the straight edges between their corners approximate the curves in images
// of mirrors and lenses with distortion. It also estimates a scene's memory before a renderer is created.
//
// Bodies are subdivided at several levels. A view uses the coarsest level that is fine enough for its distance. Static
// bodies are subdivided more coarsely the farther they are from all expected cameras. The number of triangles of a
// static body then grows with the logarithm of its size instead of with its area.
//
//	levels := refine.Levels(body, len(indices), corner, middle, emit)
//	cost := refine.CostOf(scene, body, 256<<20)
//
// It renders nothing. Functions may be called from any goroutine.
package refine

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Cost holds the numbers that determine the memory that bodies take in a renderer.
type Cost struct {
	Bodies    int
	Parts     int
	Triangles int // of the original meshes
	Cut       int // number of triangles of all levels together
	// number of texels of all levels of textures; CostOf does not set it, because it does not know which bodies share
	// textures
	Texels int
}

// Bytes returns an estimate of a renderer's memory for bodies. It was measured on Linux as the difference of a
// process's peak memory with and without bodies of each kind. The measurement included images and labels, with both
// appearances. OpenGL on llvmpipe, whose buffers are in the same memory, takes 180 bytes per triangle of a level and
// 850 bytes per triangle of a mesh. The ray caster takes up to 1200 bytes per triangle of a mesh, and nothing for
// levels. The two tile renderers together take 4600 bytes per part. Package render/light stores at most body bytes per
// body for its shadow on the floor. A texel takes 3 bytes once, and 4 bytes in each renderer.
func (c Cost) Bytes() int {
	const body, part, triangle, cut, texel = 850 << 10, 5120, 1200, 200, 11
	return body*c.Bodies + part*c.Parts + triangle*c.Triangles + cut*max(c.Cut-c.Triangles, 0) + texel*c.Texels
}

// Add adds the cost of other bodies.
func (c *Cost) Add(o Cost) {
	*c = Cost{c.Bodies + o.Bodies, c.Parts + o.Parts, c.Triangles + o.Triangles, c.Cut + o.Cut, c.Texels + o.Texels}
}

// CostOf counts the triangles of a body of a scene. It subdivides them without storing the result. It stops early when
// the result of Bytes exceeds the last argument.
func CostOf(s *render.Scene, b *render.Body, most int) Cost {
	c := Cost{Bodies: 1, Parts: len(b.Parts)}
	if b.Static { // its shadow is part of the floor's light
		c.Bodies = 0
	}
	for i := range b.Parts {
		p := &b.Parts[i]
		mesh := &s.Meshes[p.Mesh]
		c.Triangles += len(mesh.Indices) / 3
		corner := func(i int) Corner {
			return Corner{Pos: spatial.Vec32(p.PoseBP.Apply(spatial.Vec64(mesh.Vertices[mesh.Indices[i]].Pos)))}
		}
		middle := func(i, j Corner) Corner { return Corner{Pos: Middle(i.Pos, j.Pos)} }
		count := func(i, j, k Corner) bool {
			c.Cut++
			return c.Bytes() <= most
		}
		Levels(b, len(mesh.Indices), corner, middle, count)
	}
	return c
}

// Edges holds, for each level that is finer than the original mesh, the length of its longest edges, metres. The finest
// level is for bodies nearer than half a metre, such as a robot under its own mirror.
var Edges = [...]float64{1.28, 0.64, 0.32, 0.16, 0.08, 0.04}

// Flat is the largest deviation, in pixels, of a straight edge in an image from the curve that it approximates.
const Flat = 0.5

// sharpest is the largest bend, in pixels, of the cameras for which distant bodies are subdivided. An edge that
// subtends an angle is imaged as a curve, which deviates from a straight line by bend·angle²/8 pixels. Mirrors and
// lenses have bends of 300 to 700 in images that are 1000 pixels wide.
const sharpest = 1000

// straight is the largest angle, rad, that an edge may subtend if it is to appear straight to a camera with the bend
// sharpest.
var straight = math.Sqrt(8 * Flat / sharpest)

// long returns the length of the edge from p to q. It also reports whether this length exceeds the given limit in
// metres, and the edge is too near to the cameras to appear straight. The result depends only on the two ends, so that
// neighbouring triangles remain joined.
func long(b *render.Body, edge float64, p, q mgl32.Vec3) (length float64, tooLong bool) {
	length = float64(p.Sub(q).Len())
	return length, length > edge && (b.Cameras == nil || length > far(b, p, q, length))
}

// far returns the largest length in metres at which an edge at the position of the edge from p to q still appears
// straight to all cameras in the body's region.
func far(b *render.Body, p, q mgl32.Vec3, length float64) float64 {
	return straight * (b.Cameras.Distance(Middle(p, q)) - length/2)
}

// Corner is a corner of a triangle, with an index that the caller chooses.
type Corner struct {
	Pos   mgl32.Vec3 // metres, in the body's frame
	Index uint32
}

// cut halves the edges of a triangle, the longest edge first, until no edge is too long. The function middle must
// return the corner halfway between two corners. cut calls the function emit with each piece. If emit returns false,
// cut stops and returns false.
func cut(b *render.Body, edge float64, i, j, k Corner, middle func(i, j Corner) Corner,
	emit func(i, j, k Corner) bool) bool {
	ij, over := long(b, edge, i.Pos, j.Pos)
	jk, above := long(b, edge, j.Pos, k.Pos)
	ki, beyond := long(b, edge, k.Pos, i.Pos)
	done := !over && !above && !beyond
	if !done { // consider only edges that are too long
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

// Level is a mesh that is subdivided so that its edges are at most Edge metres long where cameras come near enough.
type Level struct {
	Edge      float64
	Triangles int
}

// Levels subdivides a mesh of n corners, three per triangle, for every level that it needs, from coarse to fine. The
// first level is the mesh itself. Corners are in the body's frame. The function middle must return the corner halfway
// between two corners. For the same two corners it must always return the same corner. Levels calls the function emit
// with the pieces, level by level. If emit returns false, the subdivision stops.
func Levels(b *render.Body, n int, corner func(i int) Corner, middle func(i, j Corner) Corner,
	emit func(i, j, k Corner) bool) (levels []Level) {
	var l Level
	take := func(i, j, k Corner) bool {
		l.Triangles++
		for _, e := range [3][2]*Corner{{&i, &j}, {&j, &k}, {&k, &i}} {
			if length, longer := long(b, l.Edge, e[0].Pos, e[1].Pos); longer {
				l.Edge = length
			}
		}
		return emit(i, j, k)
	}
	going := true
	for t := 0; t < n && going; t += 3 {
		going = take(corner(t), corner(t+1), corner(t+2))
	}
	levels = append(levels, l)
	for _, edge := range Edges {
		if !going || l.Edge <= edge {
			continue
		}
		l = Level{}
		for t := 0; t < n && going; t += 3 {
			going = cut(b, edge, corner(t), corner(t+1), corner(t+2), middle, take)
		}
		levels = append(levels, l)
	}
	return levels
}
