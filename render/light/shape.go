package light

import (
	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// shape is the part of a body that blocks light from the floor and from its own parts: everything except nets and tiny
// parts.
type shape struct {
	takes []int   // indices of parts
	all   content // hash of these parts
	parts []content
}

// tiny is the area, m², below which parts are left out. Robots that differ only in the digits painted on them then have
// the same shape.
const tiny = 0.005

func shapeOf(s *render.Scene, b *render.Body) (out shape) {
	out.all = noContent
	for i := range b.Parts {
		p := &b.Parts[i]
		m := &p.PoseBP
		c := noContent.with(m.Pos[0], m.Pos[1], m.Pos[2], m.Rot.W, m.Rot.V[0], m.Rot.V[1], m.Rot.V[2])
		mesh, area := &s.Meshes[p.Mesh], 0.0
		for t := 0; t+2 < len(mesh.Indices); t += 3 {
			x, y, z := mesh.Vertices[mesh.Indices[t]].Pos, mesh.Vertices[mesh.Indices[t+1]].Pos,
				mesh.Vertices[mesh.Indices[t+2]].Pos
			for _, v := range [...][3]float32{x, y, z} {
				c = c.with(float64(v[0]), float64(v[1]), float64(v[2]))
			}
			area += float64(y.Sub(x).Cross(z.Sub(x)).Len()) / 2
		}
		out.parts = append(out.parts, c)
		if s.Materials[p.Material].Pattern == render.Net || area < tiny {
			continue
		}
		out.takes = append(out.takes, i)
		out.all = out.all.and(c)
	}
	return out
}

// trianglesOf returns the triangles of the given parts of a body, in the frame in which the body has the given pose.
func trianglesOf(s *render.Scene, b *render.Body, parts []int, pose spatial.Pose) (out []rays.Triangle) {
	for _, i := range parts {
		p := &b.Parts[i]
		out = rays.AddTriangles(out, &s.Meshes[p.Mesh], pose.Mul(p.PoseBP))
	}
	return out
}
