package gl

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// vertex is one corner as the shaders take it.
type vertex struct {
	pos    mgl32.Vec3 // in the body's frame
	posM   mgl32.Vec3 // in the mesh's frame; of a net, in its plane
	normal [4]int16   // in the body's frame, normalized
	color  [4]uint16  // normalized; the last is shininess/255
	color2 [4]uint16  // normalized; the last is gloss
}

// level is a part's triangles with edges no longer than edge.
type level struct {
	edge         float64
	first, count int32 // in the index buffer
}

// part is a render.Part, ready to draw.
type part struct {
	name    string
	pattern render.Pattern
	box     box        // in the body's frame
	centre  mgl64.Vec3 // of the bounding sphere, in the body's frame
	radius  float64
	levels  []level // coarse to fine
}

// body is a render.Body, ready to draw.
type body struct {
	parts  []part
	centre mgl64.Vec3 // of the bounding sphere, in the body's frame
	radius float64
	box    box // in the body's frame
	static bool
}

// edgeLevels are the longest edges of the finer levels, metres. The finest serves what is nearer than half a metre, as
// the robot under its own mirror is.
var edgeLevels = [...]float64{1.28, 0.64, 0.32, 0.16, 0.08, 0.04}

// baker collects the vertices and indices of all bodies.
type baker struct {
	vertices []vertex
	indices  []uint32
	middles  map[[2]uint32]uint32 // of edges of the current part
}

func (b *baker) body(s *render.Scene, rb *render.Body) body {
	var out body
	all := emptyBox()
	for i := range rb.Parts {
		p := b.part(s, &rb.Parts[i])
		out.parts = append(out.parts, p)
		all.add(p.box.lo)
		all.add(p.box.hi)
	}
	out.static, out.box = rb.Static, all
	if len(out.parts) > 0 {
		out.centre = all.centre()
		for _, p := range out.parts {
			out.radius = math.Max(out.radius, p.centre.Sub(out.centre).Len()+p.radius)
		}
	}
	return out
}

func (b *baker) part(s *render.Scene, rp *render.Part) part {
	mesh, material := &s.Meshes[rp.Mesh], &s.Materials[rp.Material]
	out := part{name: rp.Name, pattern: material.Pattern, box: emptyBox()}
	b.middles = map[[2]uint32]uint32{}
	base := uint32(len(b.vertices))
	c, c2 := material.Color, material.Color2
	for _, v := range mesh.Vertices {
		p := rp.PoseBP.Apply(spatial.Vec64(v.Pos))
		out.box.add(p)
		posM := v.Pos
		if material.Pattern == render.Net {
			posM = netPlane(v)
		}
		b.vertices = append(b.vertices, vertex{
			pos: spatial.Vec32(p), posM: posM,
			normal: packNormal(rp.PoseBP.Rotate(spatial.Vec64(v.Normal))),
			color:  [4]uint16{unit16(c[0]), unit16(c[1]), unit16(c[2]), unit16(material.Shininess / 255)},
			color2: [4]uint16{unit16(c2[0]), unit16(c2[1]), unit16(c2[2]), unit16(material.Gloss)},
		})
	}
	out.centre = out.box.centre()
	for _, v := range b.vertices[base:] {
		out.radius = math.Max(out.radius, spatial.Vec64(v.pos).Sub(out.centre).Len())
	}
	triangles := make([]uint32, len(mesh.Indices))
	for i, index := range mesh.Indices {
		triangles[i] = base + index
	}
	out.levels = append(out.levels, b.level(triangles))
	for _, edge := range edgeLevels {
		if coarse := out.levels[len(out.levels)-1]; coarse.edge > edge {
			out.levels = append(out.levels, b.level(b.split(triangles, edge)))
		}
	}
	return out
}

func (b *baker) level(triangles []uint32) level {
	l := level{first: int32(len(b.indices)), count: int32(len(triangles))}
	for t := 0; t < len(triangles); t += 3 {
		for k := range 3 {
			l.edge = math.Max(l.edge, b.length(triangles[t+k], triangles[t+(k+1)%3]))
		}
	}
	b.indices = append(b.indices, triangles...)
	return l
}

func (b *baker) length(i, j uint32) float64 {
	return float64(b.vertices[i].pos.Sub(b.vertices[j].pos).Len())
}

// split halves edges until none is longer than edge. Whether and where an edge is cut depends on its ends alone, so
// that neighbours stay joined.
func (b *baker) split(triangles []uint32, edge float64) []uint32 {
	var out []uint32
	var cut func(i, j, k uint32)
	cut = func(i, j, k uint32) {
		// Turn the longest edge to i–j.
		ij, jk, ki := b.length(i, j), b.length(j, k), b.length(k, i)
		switch {
		case jk > ij && jk >= ki:
			i, j, k, ij = j, k, i, jk
		case ki > ij:
			i, j, k, ij = k, i, j, ki
		}
		if ij <= edge {
			out = append(out, i, j, k)
			return
		}
		m := b.middle(i, j)
		cut(i, m, k)
		cut(m, j, k)
	}
	for t := 0; t < len(triangles); t += 3 {
		cut(triangles[t], triangles[t+1], triangles[t+2])
	}
	return out
}

func (b *baker) middle(i, j uint32) uint32 {
	key := [2]uint32{min(i, j), max(i, j)}
	if m, ok := b.middles[key]; ok {
		return m
	}
	p, q := &b.vertices[i], &b.vertices[j]
	v := *p
	v.pos = p.pos.Add(q.pos).Mul(0.5)
	v.posM = p.posM.Add(q.posM).Mul(0.5)
	var n mgl64.Vec3
	for k := range n {
		n[k] = float64(p.normal[k]) + float64(q.normal[k])
	}
	v.normal = packNormal(n.Normalize())
	b.vertices = append(b.vertices, v)
	m := uint32(len(b.vertices) - 1)
	b.middles[key] = m
	return m
}

// netPlane returns a vertex's position in the plane, of the mesh's three, that its normal is closest to.
func netPlane(v render.Vertex) mgl32.Vec3 {
	p, n := v.Pos, v.Normal
	x, y, z := mgl32.Abs(n[0]), mgl32.Abs(n[1]), mgl32.Abs(n[2])
	switch {
	case x >= y && x >= z:
		return mgl32.Vec3{p[1], p[2]}
	case y >= z:
		return mgl32.Vec3{p[0], p[2]}
	}
	return mgl32.Vec3{p[0], p[1]}
}

func packNormal(n mgl64.Vec3) [4]int16 {
	var out [4]int16
	for i, x := range n {
		out[i] = int16(math.Round(mgl64.Clamp(x, -1, 1) * math.MaxInt16))
	}
	return out
}

func unit16(x float32) uint16 { return uint16(mgl32.Clamp(x, 0, 1)*math.MaxUint16 + 0.5) }

// box is aligned with the axes.
type box struct{ lo, hi mgl64.Vec3 }

func emptyBox() box {
	inf := math.Inf(1)
	return box{mgl64.Vec3{inf, inf, inf}, mgl64.Vec3{-inf, -inf, -inf}}
}

func (b *box) add(p mgl64.Vec3) {
	for i := range p {
		b.lo[i], b.hi[i] = math.Min(b.lo[i], p[i]), math.Max(b.hi[i], p[i])
	}
}

func (b *box) centre() mgl64.Vec3 { return b.lo.Add(b.hi).Mul(0.5) }

// distance returns how far a point is from the box, 0 inside.
func (b *box) distance(p mgl64.Vec3) float64 {
	var d mgl64.Vec3
	for i := range p {
		d[i] = math.Max(0, math.Max(b.lo[i]-p[i], p[i]-b.hi[i]))
	}
	return d.Len()
}

// corner returns one of the eight corners.
func (b *box) corner(i int) mgl64.Vec3 {
	p := b.lo
	for axis := range p {
		if i>>axis&1 == 1 {
			p[axis] = b.hi[axis]
		}
	}
	return p
}
