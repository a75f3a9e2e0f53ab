package shapes

import (
	"math"

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

// triangle adds a triangle, unless its area is 0, which is the case at a pole.
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

// face adds a flat convex polygon. Its corners are anticlockwise as seen from outside.
func (b *builder) face(corners ...mgl64.Vec3) {
	// Newell's method also works if corners coincide.
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

// Sphere returns a sphere around the origin: an icosahedron of 20·4^levels triangles with its corners on the sphere.
func Sphere(radius float64, levels int) render.Mesh {
	g := (1 + math.Sqrt(5)) / 2
	var b builder
	for _, p := range []mgl64.Vec3{
		{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0}, {0, -1, g}, {0, 1, g},
		{0, -1, -g}, {0, 1, -g}, {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1},
	} {
		n := p.Normalize()
		b.vertex(n.Mul(radius), n)
	}
	b.mesh.Indices = []uint32{
		0, 11, 5, 0, 5, 1, 0, 1, 7, 0, 7, 10, 0, 10, 11, 1, 5, 9, 5, 11, 4, 11, 10, 2, 10, 7, 6, 7, 1, 8,
		3, 9, 4, 3, 4, 2, 3, 2, 6, 3, 6, 8, 3, 8, 9, 4, 9, 5, 2, 4, 11, 6, 2, 10, 8, 6, 7, 9, 8, 1,
	}
	for range levels {
		middle := map[[2]uint32]uint32{}
		split := func(i, j uint32) uint32 {
			key := [2]uint32{min(i, j), max(i, j)}
			m, ok := middle[key]
			if !ok {
				v := b.mesh.Vertices
				sum := v[i].Normal.Add(v[j].Normal)
				n := mgl64.Vec3{float64(sum[0]), float64(sum[1]), float64(sum[2])}.Normalize()
				m = b.vertex(n.Mul(radius), n)
				middle[key] = m
			}
			return m
		}
		old := b.mesh.Indices
		b.mesh.Indices = make([]uint32, 0, 4*len(old))
		for t := 0; t < len(old); t += 3 {
			i, j, k := old[t], old[t+1], old[t+2]
			ij, jk, ki := split(i, j), split(j, k), split(k, i)
			b.mesh.Indices = append(b.mesh.Indices, i, ij, ki, j, jk, ij, k, ki, jk, ij, jk, ki)
		}
	}
	return b.mesh
}

// poseAlong returns a pose at pos. Its z axis is parallel to axis.
func poseAlong(pos, axis mgl64.Vec3) spatial.Pose {
	z := mgl64.Vec3{0, 0, 1}
	a := axis.Normalize()
	if turn := z.Cross(a); turn.Len() > 1e-9 {
		return spatial.Pose{Pos: pos, Rot: mgl64.QuatRotate(math.Atan2(turn.Len(), z.Dot(a)), turn.Normalize())}
	}
	rot := mgl64.QuatIdent()
	if a[2] < 0 {
		rot = mgl64.QuatRotate(math.Pi, mgl64.Vec3{1, 0, 0})
	}
	return spatial.Pose{Pos: pos, Rot: rot}
}

// crease is the angle between two steps of a profile above which the edge between the steps is sharp. 35° is a guess.
// It is more than the 30° between the sides of a regular dodecagon, and less than the 45° of a chamfer.
const crease = 35 * spatial.Degree

// Lathe returns a solid of revolution around z, with n steps. Its profile is a list of points (r, z) from bottom to
// top. Ends that are not on the axis are closed by discs.
func Lathe(profile []mgl64.Vec2, n int) render.Mesh {
	p := append([]mgl64.Vec2(nil), profile...)
	if p[0][0] > 0 {
		p = append([]mgl64.Vec2{{0, p[0][1]}}, p...)
	}
	if last := p[len(p)-1]; last[0] > 0 {
		p = append(p, mgl64.Vec2{0, last[1]})
	}
	normals := make([]mgl64.Vec2, len(p)-1) // per step, in (r, z)
	for i := range normals {
		d := p[i+1].Sub(p[i]).Normalize()
		normals[i] = mgl64.Vec2{d[1], -d[0]}
	}
	smooth := func(i, neighbour int) mgl64.Vec2 {
		if neighbour < 0 || neighbour >= len(normals) || normals[i].Dot(normals[neighbour]) < math.Cos(crease) {
			return normals[i]
		}
		return normals[i].Add(normals[neighbour]).Normalize()
	}
	var b builder
	for i, flat := range normals {
		low, high := smooth(i, i-1), smooth(i, i+1)
		// On the axis, a smooth surface is level. The tip of a cone keeps the slope of its side.
		if i == 0 && math.Abs(flat[1]) > math.Cos(crease) {
			low = mgl64.Vec2{0, math.Copysign(1, flat[1])}
		}
		if i == len(normals)-1 && math.Abs(flat[1]) > math.Cos(crease) {
			high = mgl64.Vec2{0, math.Copysign(1, flat[1])}
		}
		first := uint32(len(b.mesh.Vertices))
		for k := range n {
			s, c := math.Sincos(2 * math.Pi * float64(k) / float64(n))
			b.vertex(mgl64.Vec3{p[i][0] * c, p[i][0] * s, p[i][1]}, mgl64.Vec3{low[0] * c, low[0] * s, low[1]})
			b.vertex(mgl64.Vec3{p[i+1][0] * c, p[i+1][0] * s, p[i+1][1]}, mgl64.Vec3{high[0] * c, high[0] * s, high[1]})
		}
		for k := range uint32(n) {
			a, next := first+2*k, first+2*((k+1)%uint32(n))
			b.quad(a, next, next+1, a+1)
		}
	}
	return b.mesh
}

// Cylinder returns a cylinder around z, centred on the origin, with n sides.
func Cylinder(radius, height float64, n int) render.Mesh {
	return Lathe([]mgl64.Vec2{{radius, -height / 2}, {radius, height / 2}}, n)
}

// Tube returns a rod from a to b with n sides.
func Tube(a, b mgl64.Vec3, radius float64, n int) render.Mesh {
	axis := b.Sub(a)
	m := Cylinder(radius, axis.Len(), n)
	pose := poseAlong(a.Add(b).Mul(0.5), axis)
	return Transform(m, pose)
}
