package raster

import (
	"math"
	"unsafe"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/refine"
)

// Geometry holds all bodies' triangles at several levels of detail. Bodies with the same parts share their triangles.
type Geometry struct {
	Vertices []Vertex
	Indices  []uint32 // indices into Vertices, three per triangle
	Bodies   []Body   // in the Scene's order
	Painted  [][]Run  // by material: vertices
}

// Run is a range of consecutive vertices.
type Run struct{ First, Count int }

// Level is a part's triangles with edges of at most Edge metres.
type Level struct {
	Edge         float64
	First, Count int32 // in Indices
	Vertices     int   // number of the part's vertices that the triangles use, from the part's first vertex on
}

// Part is a render.Part prepared for drawing.
type Part struct {
	Name     string
	Material int // in the Shading
	Pattern  render.Pattern
	Box      Box        // in B
	Centre   mgl64.Vec3 // centre of the bounding sphere, in B
	Radius   float64
	// index of the part's first vertex; the vertices of the levels follow each other, from coarse to fine
	FirstVertex int
	Levels      []Level // coarse to fine
}

// Body is a render.Body prepared for drawing.
type Body struct {
	Parts  []Part
	Centre mgl64.Vec3 // centre of the bounding sphere, in B
	Radius float64
	Box    Box // in B
	Static bool
}

// Bake prepares the bodies of a scene.
func Bake(s *render.Scene) *Geometry {
	g := &Geometry{Bodies: make([]Body, len(s.Bodies)), Painted: make([][]Run, len(s.Materials))}
	baked := map[*render.Part]int{} // indices of bodies by their first part, because bodies may share parts
	var all []*refined
	for i := range s.Bodies {
		rb := &s.Bodies[i]
		parts := unsafe.SliceData(rb.Parts)
		if same, ok := baked[parts]; ok && len(rb.Parts) == len(s.Bodies[same].Parts) &&
			rb.Cameras == s.Bodies[same].Cameras {
			g.Bodies[i] = g.Bodies[same]
			g.Bodies[i].Static = rb.Static
			continue
		}
		baked[parts] = i
		var r *refined
		g.Bodies[i], r = newBody(s, rb)
		all = append(all, r)
	}
	vertices, indices := 0, 0
	for _, r := range all {
		for i := range r.cuts {
			vertices += len(r.meshes[i].vertices) + len(r.cuts[i].vertices)
			indices += len(r.cuts[i].indices)
		}
	}
	g.Vertices, g.Indices = make([]Vertex, 0, vertices), make([]uint32, 0, indices)
	for _, r := range all {
		for i := range r.cuts {
			g.add(&r.parts[i], r.meshes[i].vertices, &r.cuts[i])
		}
	}
	return g
}

// refined holds the parts of a body, their meshes, and the cuts of these meshes.
type refined struct {
	parts  []Part // without levels
	meshes []partMesh
	cuts   []cut
}

func newBody(s *render.Scene, rb *render.Body) (Body, *refined) {
	out := Body{Static: rb.Static, Box: emptyBox()}
	meshes := make([]partMesh, len(rb.Parts))
	for i := range rb.Parts {
		var p Part
		p, meshes[i] = newPart(s, &rb.Parts[i])
		out.Parts = append(out.Parts, p)
		out.Box.add(p.Box.Lo)
		out.Box.add(p.Box.Hi)
	}
	if len(out.Parts) > 0 {
		out.Centre = out.Box.Centre()
		for _, p := range out.Parts {
			out.Radius = math.Max(out.Radius, p.Centre.Sub(out.Centre).Len()+p.Radius)
		}
	}
	return out, &refined{out.Parts, meshes, cutBody(rb, meshes)}
}

// newPart returns a part without levels, and its mesh with the vertices in B.
func newPart(s *render.Scene, rp *render.Part) (Part, partMesh) {
	mesh, material := &s.Meshes[rp.Mesh], &s.Materials[rp.Material]
	out := Part{Name: rp.Name, Material: rp.Material, Pattern: material.Pattern, Box: emptyBox()}
	own := partMesh{make([]Vertex, 0, len(mesh.Vertices)), mesh.Indices}
	for i, v := range mesh.Vertices {
		p := rp.PoseBP.Apply(spatial.Vec64(v.Pos))
		out.Box.add(p)
		posM := v.Pos
		if material.Pattern == render.Net {
			posM = v.NetPlane().Vec3(0)
		}
		if mesh.UV != nil {
			posM = mesh.UV[i].Vec3(0)
		}
		if mesh.Colors != nil {
			posM = mesh.Colors[i]
		}
		baked := Vertex{Pos: spatial.Vec32(p), PosM: posM,
			Normal: packNormal(rp.PoseBP.Rotate(spatial.Vec64(v.Normal)))}
		baked.Paint(material)
		own.vertices = append(own.vertices, baked)
	}
	out.Centre = out.Box.Centre()
	for _, v := range own.vertices {
		out.Radius = math.Max(out.Radius, spatial.Vec64(v.Pos).Sub(out.Centre).Len())
	}
	return out, own
}

// add adds the vertices and the cut of a part.
func (g *Geometry) add(p *Part, own []Vertex, c *cut) {
	base, first := uint32(len(g.Vertices)), int32(len(g.Indices))
	p.FirstVertex = int(base)
	g.Vertices = append(append(g.Vertices, own...), c.vertices...)
	g.Indices = append(g.Indices, c.indices...)
	for i := range g.Indices[first:] {
		g.Indices[int(first)+i] += base
	}
	for _, l := range c.levels {
		l.First += first
		p.Levels = append(p.Levels, l)
	}
	g.Painted[p.Material] = append(g.Painted[p.Material], Run{int(base), len(g.Vertices) - int(base)})
}

// Vertex is a corner of triangles with its material, packed for OpenGL's shaders.
type Vertex struct {
	Pos mgl32.Vec3 // in B, metres
	// position in M, metres; for a net, in the plane of the net; for a mesh with texture coordinates or colours, those
	PosM   mgl32.Vec3
	Normal [4]int16  // normal in B, unit length, times 32767
	Color  [4]uint16 // reflectance times 65535; the last element is the shininess/255
	Color2 [4]uint16 // second reflectance times 65535; the last element is the gloss
}

// UnitNormal returns the normal in B, of unit length up to rounding.
func (v *Vertex) UnitNormal() mgl32.Vec3 {
	const scale = 1.0 / math.MaxInt16
	return mgl32.Vec3{float32(v.Normal[0]) * scale, float32(v.Normal[1]) * scale, float32(v.Normal[2]) * scale}
}

// Paint sets the vertex's colours, shininess and gloss to those of a material, or its colour to the mesh's own.
func (v *Vertex) Paint(m *render.Material) {
	c, c2 := m.Color, m.Color2
	if m.Pattern == render.VertexColors {
		c = v.PosM
	}
	v.Color = [4]uint16{unit16(c[0]), unit16(c[1]), unit16(c[2]), unit16(m.Shininess / 255)}
	v.Color2 = [4]uint16{unit16(c2[0]), unit16(c2[1]), unit16(c2[2]), unit16(m.Gloss)}
}

// middle returns the vertex halfway between two vertices of a part.
func middle(p, q *Vertex) Vertex {
	v := *p
	v.Pos = refine.Middle(p.Pos, q.Pos)
	v.PosM = refine.Middle(p.PosM, q.PosM)
	for k := range v.Color {
		v.Color[k] = uint16((uint(p.Color[k]) + uint(q.Color[k])) / 2)
	}
	var n mgl64.Vec3
	for k := range n {
		n[k] = float64(p.Normal[k]) + float64(q.Normal[k])
	}
	v.Normal = packNormal(n.Normalize())
	return v
}

func packNormal(n mgl64.Vec3) [4]int16 {
	var out [4]int16
	for i, x := range n {
		out[i] = int16(math.Round(mgl64.Clamp(x, -1, 1) * math.MaxInt16))
	}
	return out
}

func unit16(x float32) uint16 { return uint16(mgl32.Clamp(x, 0, 1)*math.MaxUint16 + 0.5) }

// Box is an axis-aligned box, metres.
type Box struct{ Lo, Hi mgl64.Vec3 }

func emptyBox() Box {
	inf := math.Inf(1)
	return Box{mgl64.Vec3{inf, inf, inf}, mgl64.Vec3{-inf, -inf, -inf}}
}

func (b *Box) add(p mgl64.Vec3) {
	for i := range p {
		b.Lo[i], b.Hi[i] = math.Min(b.Lo[i], p[i]), math.Max(b.Hi[i], p[i])
	}
}

// Centre returns the centre of the box.
func (b *Box) Centre() mgl64.Vec3 { return b.Lo.Add(b.Hi).Mul(0.5) }

// SquareDistance returns the square of the distance of a point from the box. It is 0 inside the box.
func (b *Box) SquareDistance(p *mgl64.Vec3) (sum float64) {
	for i := range p {
		if d := b.Lo[i] - p[i]; d > 0 {
			sum += d * d
		} else if d := p[i] - b.Hi[i]; d > 0 {
			sum += d * d
		}
	}
	return sum
}

// Corner returns one of the eight corners. Bit 0 of i selects the upper x, bit 1 the upper y, and bit 2 the upper z.
func (b *Box) Corner(i int) mgl64.Vec3 {
	p := b.Lo
	for axis := range p {
		if i>>axis&1 == 1 {
			p[axis] = b.Hi[axis]
		}
	}
	return p
}
