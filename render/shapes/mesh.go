package shapes

import (
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// builder accumulates a mesh.
type builder struct{ mesh render.Mesh }

func (b *builder) vertex(pos, normal mgl64.Vec3) uint32 {
	b.mesh.Vertices = append(b.mesh.Vertices, render.Vertex{Pos: spatial.Vec32(pos), Normal: spatial.Vec32(normal)})
	return uint32(len(b.mesh.Vertices) - 1)
}

// triangle adds a triangle, unless it is degenerate, as at a pole.
func (b *builder) triangle(i, j, k uint32) {
	v := b.mesh.Vertices
	if v[i].Pos == v[j].Pos || v[j].Pos == v[k].Pos || v[k].Pos == v[i].Pos {
		return
	}
	b.mesh.Indices = append(b.mesh.Indices, i, j, k)
}

func (b *builder) quad(i, j, k, l uint32) {
	b.triangle(i, j, k)
	b.triangle(i, k, l)
}

// face adds a flat convex polygon, with its corners anticlockwise as seen from outside.
func (b *builder) face(corners ...mgl64.Vec3) {
	// Newell's method tolerates coincident corners.
	var n mgl64.Vec3
	for i, p := range corners {
		n = n.Add(p.Cross(corners[(i+1)%len(corners)]))
	}
	n = n.Normalize()
	first := b.vertex(corners[0], n)
	last := b.vertex(corners[1], n)
	for _, p := range corners[2:] {
		next := b.vertex(p, n)
		b.triangle(first, last, next)
		last = next
	}
}

// Transform returns a mesh whose vertices are those of m, transformed by poseAM from the frame M to the frame A.
func Transform(m render.Mesh, poseAM spatial.Pose) render.Mesh {
	out := render.Mesh{Vertices: make([]render.Vertex, len(m.Vertices)), Indices: append([]uint32(nil), m.Indices...)}
	for i, v := range m.Vertices {
		p := spatial.Vec64(v.Pos)
		n := spatial.Vec64(v.Normal)
		out.Vertices[i] = render.Vertex{Pos: spatial.Vec32(poseAM.Apply(p)), Normal: spatial.Vec32(poseAM.Rotate(n))}
	}
	return out
}

// Join merges meshes into one.
func Join(meshes ...render.Mesh) render.Mesh {
	vertices, indices := 0, 0
	for _, m := range meshes {
		vertices, indices = vertices+len(m.Vertices), indices+len(m.Indices)
	}
	out := render.Mesh{Vertices: make([]render.Vertex, 0, vertices), Indices: make([]uint32, 0, indices)}
	for _, m := range meshes {
		base := uint32(len(out.Vertices))
		out.Vertices = append(out.Vertices, m.Vertices...)
		for _, i := range m.Indices {
			out.Indices = append(out.Indices, base+i)
		}
	}
	return out
}
