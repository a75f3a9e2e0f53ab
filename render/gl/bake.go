package gl

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/refine"
)

// vertex is a vertex in the layout of the shaders.
type vertex struct {
	pos    mgl32.Vec3 // in the body's frame
	posM   mgl32.Vec3 // in the mesh's frame; of a net, in its plane
	normal [4]int16   // in the body's frame, normalized
	color  [4]uint16  // normalized; the last is shininess/255
	color2 [4]uint16  // normalized; the last is gloss
}

func (v *vertex) paint(m *render.Material) {
	c, c2 := m.Color, m.Color2
	v.color = [4]uint16{unit16(c[0]), unit16(c[1]), unit16(c[2]), unit16(m.Shininess / 255)}
	v.color2 = [4]uint16{unit16(c2[0]), unit16(c2[1]), unit16(c2[2]), unit16(m.Gloss)}
}

// level is a part's triangles with edges of at most edge, metres.
type level struct {
	edge         float64
	first, count int32 // in the index buffer
}

// part is a render.Part, prepared for drawing.
type part struct {
	name    string
	pattern render.Pattern
	box     box        // in the body's frame
	centre  mgl64.Vec3 // of the bounding sphere, in the body's frame
	radius  float64
	levels  []level // coarse to fine
}

// body is a render.Body, prepared for drawing.
type body struct {
	parts  []part
	centre mgl64.Vec3 // of the bounding sphere, in the body's frame
	radius float64
	box    box // in the body's frame
	static bool
}

// baker collects the vertices and indices of all bodies.
type baker struct {
	vertices []vertex
	indices  []uint32
	middles  map[[2]uint32]uint32 // of edges of the current part
	users    [][]run              // of each material
}

func (b *baker) body(s *render.Scene, rb *render.Body) body {
	var out body
	all := emptyBox()
	for i := range rb.Parts {
		p := b.part(s, rb, &rb.Parts[i])
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

func (b *baker) part(s *render.Scene, body *render.Body, rp *render.Part) part {
	mesh, material := &s.Meshes[rp.Mesh], &s.Materials[rp.Material]
	out := part{name: rp.Name, pattern: material.Pattern, box: emptyBox()}
	b.middles = map[[2]uint32]uint32{}
	base := uint32(len(b.vertices))
	for _, v := range mesh.Vertices {
		p := rp.PoseBP.Apply(spatial.Vec64(v.Pos))
		out.box.add(p)
		posM := v.Pos
		if material.Pattern == render.Net {
			posM = netPlane(v)
		}
		baked := vertex{pos: spatial.Vec32(p), posM: posM, normal: packNormal(rp.PoseBP.Rotate(spatial.Vec64(v.Normal)))}
		baked.paint(material)
		b.vertices = append(b.vertices, baked)
	}
	out.centre = out.box.centre()
	for _, v := range b.vertices[base:] {
		out.radius = math.Max(out.radius, spatial.Vec64(v.pos).Sub(out.centre).Len())
	}
	first := int32(len(b.indices))
	for _, l := range refine.Levels(body, len(mesh.Indices),
		func(i int) refine.Corner { return b.corner(base + mesh.Indices[i]) },
		func(i, j refine.Corner) refine.Corner { return b.corner(b.middle(i.Index, j.Index)) },
		func(i, j, k refine.Corner) bool {
			b.indices = append(b.indices, i.Index, j.Index, k.Index)
			return true
		}) {
		out.levels = append(out.levels, level{l.Edge, first, int32(3 * l.Triangles)})
		first += int32(3 * l.Triangles)
	}
	b.users[rp.Material] = append(b.users[rp.Material], run{int(base), len(b.vertices) - int(base)})
	return out
}

func (b *baker) corner(i uint32) refine.Corner {
	return refine.Corner{Pos: b.vertices[i].pos, Index: i}
}

func (b *baker) middle(i, j uint32) uint32 {
	key := [2]uint32{min(i, j), max(i, j)}
	if m, ok := b.middles[key]; ok {
		return m
	}
	p, q := &b.vertices[i], &b.vertices[j]
	v := *p
	v.pos = refine.Middle(p.pos, q.pos)
	v.posM = refine.Middle(p.posM, q.posM)
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

// box is an axis-aligned box, metres.
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

// distance returns the distance of a point from the box, 0 inside.
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
