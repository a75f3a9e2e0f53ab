package light

import (
	"math"
	"sort"
	"sync"

	"github.com/go-gl/mathgl/mgl32"
	"gonum.org/v1/gonum/mat"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

const (
	openPoints     = 48 // sample points on a part's surface
	openDirections = 24 // rays from each
)

// Open says how much of a uniform ambient light the rest of a body lets through to the surface of a part. For a surface
// with the normal n = (x, y, z) in the body's frame, the fraction, 0 to 1, is Open[0] + Open[1]·x + Open[2]·y +
// Open[3]·z.
type Open [4]float32

// Share returns the fraction of the ambient light that reaches a surface with a normal in the body's frame.
func (o *Open) Share(n mgl32.Vec3) float32 {
	return min(max(o[0]+o[1]*n[0]+o[2]*n[1]+o[3]*n[2], 0), 1)
}

var opens = cache[Open]{most: 4096}

// Openness computes the openness of each body's parts; static bodies are fully open.
func Openness(s *render.Scene) [][]Open {
	all := make([][]Open, len(s.Bodies))
	for i := range s.Bodies {
		b := &s.Bodies[i]
		all[i] = make([]Open, len(b.Parts))
		if b.Static {
			for k := range all[i] {
				all[i][k][0] = 1
			}
			continue
		}
		x := shapeOf(s, b)
		tree := sync.OnceValue(func() *rays.Tree {
			return rays.NewTree(trianglesOf(s, b, x.takes,
				spatial.Identity()))
		})
		rays.InParallel(len(b.Parts), func(k int) {
			all[i][k] = opens.get(x.all.and(x.parts[k]),
				func() Open { return open(tree(), trianglesOf(s, b, []int{k}, spatial.Identity())) })
		})
	}
	return all
}

// open computes the openness of the triangles part within the tree of its whole body.
func open(tree *rays.Tree, part []rays.Triangle) Open {
	areas, total := make([]float32, len(part)), float32(0)
	for i := range part {
		total += part[i].AB.Cross(part[i].AC).Len()
		areas[i] = total
	}
	if !(total > 0) {
		return Open{1}
	}
	// Least squares over the sample points, regularised slightly towards their mean.
	const even = 0.02 // weight of the regularisation relative to the points
	normals, values := mat.NewDense(openPoints+3, 4, nil), mat.NewVecDense(openPoints+3, nil)
	for i := range 3 {
		normals.Set(openPoints+i, i+1, math.Sqrt(even*openPoints))
	}
	for k := range openPoints {
		at := (float32(k) + 0.5) / openPoints * total
		t := &part[min(sort.Search(len(areas), func(i int) bool { return areas[i] > at }), len(part)-1)]
		// Points within a triangle by the additive recurrence of the plastic number. Source: Roberts, "The unreasonable
		// effectiveness of quasirandom sequences", 2018.
		u, v := math.Mod(0.7548776662*float64(k), 1), math.Mod(0.5698402910*float64(k), 1)
		if u+v > 1 {
			u, v = 1-u, 1-v
		}
		n := t.AB.Cross(t.AC).Unit()
		side := rays.V(1, 0, 0)
		if rays.Abs(n.X) > 0.7 {
			side = rays.V(0, 1, 0)
		}
		side = side.Sub(n.Mul(side.Dot(n))).Unit()
		other := n.Cross(side)
		p := t.A.Add(t.AB.Mul(float32(u))).Add(t.AC.Mul(float32(v))).Add(n.Mul(1e-4))
		free := 0
		for j := range openDirections {
			r := math.Sqrt((float64(j) + 0.5) / openDirections)
			sin, cos := math.Sincos(goldenAngle*float64(j) + float64(k))
			d := side.Mul(float32(r * cos)).Add(other.Mul(float32(r * sin))).Add(n.Mul(float32(math.Sqrt(1 - r*r))))
			if !tree.Blocks(p, d, rays.V(1/d.X, 1/d.Y, 1/d.Z), 0, rays.Never) {
				free++
			}
		}
		normals.SetRow(k, []float64{1, float64(n.X), float64(n.Y), float64(n.Z)})
		values.SetVec(k, float64(free)/openDirections)
	}
	var fit mat.VecDense
	if err := fit.SolveVec(normals, values); err != nil {
		return Open{1}
	}
	return Open{float32(fit.AtVec(0)), float32(fit.AtVec(1)), float32(fit.AtVec(2)), float32(fit.AtVec(3))}
}

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
