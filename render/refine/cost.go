package refine

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Cost is what a body costs a renderer.
type Cost struct {
	Parts     int
	Triangles int // of its meshes
	Cut       int // triangles of all levels
}

// Bytes is about the memory that a renderer takes for it. Measured on Linux as what a process takes more at its peak
// with bodies of each kind than without, pictures and labels included: OpenGL by llvmpipe, which keeps its buffers in
// the same memory, takes 180 bytes for a triangle that was cut and 850 for one of a mesh, the ray caster up to 1200 for
// one of a mesh and nothing for cuts.
func (c Cost) Bytes() int {
	const part, triangle, cut = 2048, 1200, 200
	return part*c.Parts + triangle*c.Triangles + cut*max(c.Cut-c.Triangles, 0)
}

// CostOf counts what a body of a scene costs, by cutting it and keeping nothing. It stops where that is more than most
// bytes.
func CostOf(s *render.Scene, b *render.Body, most int) Cost {
	c := Cost{Parts: len(b.Parts)}
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
