package refine

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Cost counts what determines the memory that bodies take in a renderer.
type Cost struct {
	Bodies    int
	Parts     int
	Triangles int // of the original meshes
	Cut       int // triangles of all levels together
	Texels    int // of all levels of textures; CostOf leaves them out, since it does not know which bodies share them
}

// Bytes returns an estimate of a renderer's memory for bodies. It was measured on Linux as the difference of a
// process's peak memory with and without bodies of each kind, including images and labels, with both appearances.
// OpenGL on llvmpipe, whose buffers are in the same memory, takes 180 bytes per triangle of a level and 850 per
// triangle of a mesh. The ray caster takes up to 1200 per triangle of a mesh and none for levels. The tile renderers,
// two of them, take 4600 per part. Package render/light stores at most body bytes per body for its shadow on the floor.
// A texel takes 3 bytes once, and 4 in each renderer.
func (c Cost) Bytes() int {
	const body, part, triangle, cut, texel = 850 << 10, 5120, 1200, 200, 11
	return body*c.Bodies + part*c.Parts + triangle*c.Triangles + cut*max(c.Cut-c.Triangles, 0) + texel*c.Texels
}

// Add adds the cost of other bodies.
func (c *Cost) Add(o Cost) {
	*c = Cost{c.Bodies + o.Bodies, c.Parts + o.Parts, c.Triangles + o.Triangles, c.Cut + o.Cut, c.Texels + o.Texels}
}

// CostOf counts the triangles of a body of a scene by subdividing them without storing the result. It stops early when
// the cost's Bytes exceed the argument most.
func CostOf(s *render.Scene, b *render.Body, most int) Cost {
	c := Cost{Bodies: 1, Parts: len(b.Parts)}
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
