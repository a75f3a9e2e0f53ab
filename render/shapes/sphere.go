package shapes

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

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

// poseAlong returns a pose at pos whose z axis points along axis.
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
