package rays

import (
	"slices"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Surface holds the data of a triangle that shading needs, in the frame of the triangle's tree.
type Surface struct {
	normal [3]Vec // at its corners
	mesh   [3]Vec // corners in the mesh's frame, or their texture coordinates or colours if the mesh has any
	Flat   Vec    // geometric normal, unit length
	// the dot products of a vector in the triangle's plane with toU and toV are its coordinates along the first and
	// second edge
	toU, toV Vec
	Material int   // in the scene
	Part     int32 // in its body
}

// AddMesh appends the triangles of a part of a body at a pose, and their Surfaces. The Source of a triangle is the
// index of its surface in surfaces.
func AddMesh(triangles []Triangle, surfaces []Surface, mesh *render.Mesh, pose spatial.Pose, material int,
	part int32) ([]Triangle, []Surface) {
	f := NewFrame(pose)
	count := len(mesh.Indices) / 3
	triangles, surfaces = slices.Grow(triangles, count), slices.Grow(surfaces, count)
	for t := 0; t < len(mesh.Indices); t += 3 {
		s := Surface{Material: material, Part: part}
		var corner [3]Vec
		for c := range 3 {
			v := &mesh.Vertices[mesh.Indices[t+c]]
			s.mesh[c] = Vec32(v.Pos)
			if mesh.UV != nil {
				s.mesh[c] = Vec32(mesh.UV[mesh.Indices[t+c]].Vec3(0))
			}
			if mesh.Colors != nil {
				s.mesh[c] = Vec32(mesh.Colors[mesh.Indices[t+c]])
			}
			s.normal[c] = f.Rot.Apply(Vec32(v.Normal))
			corner[c] = Vec64(pose.Apply(spatial.Vec64(v.Pos)))
		}
		ab, ac := corner[1].Sub(corner[0]), corner[2].Sub(corner[0])
		if n := ab.Cross(ac); n.Len() > 0 {
			s.Flat = n.Unit()
			inv := 1 / n.Dot(n)
			s.toU, s.toV = ac.Cross(n).Mul(inv), n.Cross(ab).Mul(inv)
		}
		triangles = append(triangles, Triangle{corner[0], ab, ac, int32(len(surfaces))})
		surfaces = append(surfaces, s)
	}
	return triangles, surfaces
}

// AddTriangles is like AddMesh, without surfaces. The Source of all triangles is 0.
func AddTriangles(triangles []Triangle, mesh *render.Mesh, pose spatial.Pose) []Triangle {
	triangles = slices.Grow(triangles, len(mesh.Indices)/3)
	for t := 0; t+2 < len(mesh.Indices); t += 3 {
		var corner [3]Vec
		for c := range 3 {
			corner[c] = Vec64(pose.Apply(spatial.Vec64(mesh.Vertices[mesh.Indices[t+c]].Pos)))
		}
		triangles = append(triangles, Triangle{A: corner[0], AB: corner[1].Sub(corner[0]),
			AC: corner[2].Sub(corner[0])})
	}
	return triangles
}

// Normal returns the interpolated normal at an intersection. It does not have unit length.
func (s *Surface) Normal(m *Intersection) Vec {
	w := 1 - m.U - m.V
	return s.normal[0].Mul(w).Add(s.normal[1].Mul(m.U)).Add(s.normal[2].Mul(m.V))
}

// At returns the position of an intersection in the mesh's frame, or its texture coordinates or colour.
func (s *Surface) At(m *Intersection) Vec {
	e1, e2 := s.mesh[1].Sub(s.mesh[0]), s.mesh[2].Sub(s.mesh[0])
	return s.mesh[0].Add(e1.Mul(m.U)).Add(e2.Mul(m.V))
}

// IntoMesh transforms a vector in the triangle's plane into the mesh's frame. If the mesh has texture coordinates, the
// result is the corresponding difference of these instead.
func (s *Surface) IntoMesh(v Vec) Vec {
	return s.mesh[1].Sub(s.mesh[0]).Mul(s.toU.Dot(v)).Add(s.mesh[2].Sub(s.mesh[0]).Mul(s.toV.Dot(v)))
}

// Fan holds the differences between the direction of a pixel and the directions of the next pixel on the right and the
// next pixel below.
type Fan struct{ DX, DY Vec }

// Steps computes displacements on a plane with the given normal. A pixel's ray, with the direction d, meets the plane
// at the distance t. The results lead from that point to the points where the rays of the next pixel on the right and
// the next pixel below meet the plane.
func (f *Fan) Steps(d, normal Vec, t float32) (x, y Vec) {
	k := 1 / normal.Dot(d)
	x = f.DX.Sub(d.Mul(normal.Dot(f.DX) * k)).Mul(t)
	y = f.DY.Sub(d.Mul(normal.Dot(f.DY) * k)).Mul(t)
	return x, y
}

// Pentagon returns a value that is negative inside the pentagons of a ball, which is a truncated icosahedron. p is the
// direction from the ball's centre. The value depends on the cosines between p and the directions to the centres of the
// twelve pentagons. The corners of a pentagon divide the icosahedron's edges at a third. So a pentagon ends where the
// sum of the second and third largest cosine exceeds 1.32235 times the largest.
func Pentagon(p Vec) float32 {
	const a, b = 0.5257311, 0.8506508
	d := p.Unit()
	first, second, third := float32(-1), float32(-1), float32(-1)
	for _, c := range [6]float32{a*d.X + b*d.Y, a*d.X - b*d.Y, a*d.Y + b*d.Z, a*d.Y - b*d.Z, a*d.Z + b*d.X,
		a*d.Z - b*d.X} {
		c = Abs(c) // the absolute value also covers the opposite pentagon
		switch {
		case c > first:
			first, second, third = c, first, second
		case c > second:
			second, third = c, second
		case c > third:
			third = c
		}
	}
	return second + third - 1.32235*first
}

// NetCover returns the fraction of a pixel that a net's threads cover. The pixel shows the point p, and dx and dy are
// the steps to the points of the next pixels. All three are in the mesh's frame.
func (s *Surface) NetCover(p, dx, dy Vec) float32 {
	// Compute in the coordinate plane of the mesh's frame that is most nearly parallel to the net.
	n := s.mesh[1].Sub(s.mesh[0]).Cross(s.mesh[2].Sub(s.mesh[0]))
	x, y, z := Abs(n.X), Abs(n.Y), Abs(n.Z)
	var i, j int
	switch {
	case x >= y && x >= z:
		i, j = 1, 2
	case y >= z:
		i, j = 0, 2
	default:
		i, j = 0, 1
	}
	cover := func(axis int) float32 {
		w := max(Abs(dx.Axis(axis))+Abs(dy.Axis(axis)), 1e-5)
		lo, hi := (p.Axis(axis)-w/2)/render.NetPitch, (p.Axis(axis)+w/2)/render.NetPitch
		full := func(q float32) float32 {
			return Floor(q)*render.NetThread + min((q-Floor(q))*render.NetPitch, render.NetThread)
		}
		return Clamp01((full(hi) - full(lo)) / w)
	}
	return 1 - (1-cover(i))*(1-cover(j))
}
