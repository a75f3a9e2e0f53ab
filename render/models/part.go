package models

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Modes of primitives, in OpenGL's numbers. Those below triangles are points and lines.
const triangles, triangleStrip, triangleFan = 4, 5, 6

// part is a primitive of triangles that is placed in the group.
type part struct {
	name      string
	mode      int
	atW       mgl64.Mat4 // from the mesh's frame to the group's; without effect on a skinned mesh
	positions stream
	normals   stream
	places    stream // texture coordinates
	colors    stream
	indices   *elements // indices of positions; nil if the positions are in order
	corners   int       // of the indices, or of the positions
	bones     []mgl64.Mat4
	joints    []*elements // sets of four for each vertex: indices into bones
	weights   []*elements // their weights
	transform func(uv mgl64.Vec2) mgl64.Vec2
	material  int  // index in the group
	both      bool // whether both sides of its triangles are visible
}

// stream is what a primitive has for each vertex: an attribute, to which morph targets add multiples of others.
type stream struct {
	*elements // nil if absent
	targets   []target
}

type target struct {
	weight float64
	*elements
}

func (s stream) at(i int) (v mgl64.Vec4) {
	s.read(i, v[:s.components])
	for _, t := range s.targets {
		var d mgl64.Vec4
		t.read(i, d[:t.components])
		v = v.Add(d.Mul(t.weight))
	}
	return v
}

// primitive sets b.part to the part that a primitive makes. It returns false if nothing of it can be seen.
func (b *builder) primitive(n *node, m *mesh, p *primitive, place mgl64.Mat4) (shown bool, err error) {
	out := &b.part
	*out = part{name: n.Name, mode: or(p.Mode, triangles), atW: place, material: len(b.doc.Materials)}
	switch _, ok := p.Attributes["POSITION"]; {
	case out.mode < 0 || out.mode > triangleFan:
		return false, fmt.Errorf("mode = %d: must lie in [0, %d]", out.mode, triangleFan)
	case out.mode < triangles:
		b.leave("points and lines", named("mesh", *n.Mesh, m.Name))
		return false, nil
	case !ok:
		b.leave("primitives without POSITION", named("mesh", *n.Mesh, m.Name))
		return false, nil
	}
	weights := n.Weights
	if weights == nil {
		weights = m.Weights
	}
	if have, want := len(weights), len(p.Targets); weights != nil && have != want {
		return false, fmt.Errorf("%d weights: there are %d morph targets", have, want)
	}
	if out.positions, err = b.stream(p, "POSITION", vectors, weights, 0); err != nil {
		return false, err
	}
	count := out.positions.count
	if out.normals, err = b.stream(p, "NORMAL", vectors, weights, count); err != nil {
		return false, err
	}
	if out.colors, err = b.stream(p, "COLOR_0", colors, weights, count); err != nil {
		return false, err
	}
	if err := b.topology(p, out); err != nil {
		return false, err
	}
	if n.Skin != nil {
		if err := b.skin(*n.Skin, p, out); err != nil {
			return false, err
		}
	}
	if p.Material == nil {
		return true, nil
	}
	surface, err := b.surface(*p.Material)
	if err != nil {
		return false, err
	}
	if surface.hidden {
		return false, nil
	}
	out.material, out.both = *p.Material, surface.both
	if info := surface.places; info != nil {
		set := fmt.Sprintf("TEXCOORD_%d", info.set())
		out.places, err = b.stream(p, set, b.layoutOfPlaces(), weights, count)
		if err == nil && out.places.elements == nil {
			err = fmt.Errorf("has no %s, by which material %d places its texture", set, *p.Material)
		}
		if err != nil {
			return false, err
		}
		out.transform = surface.transform
	}
	return true, nil
}

// stream returns an attribute of a primitive with its morph targets. The attribute must have count elements, unless
// count is 0.
func (b *builder) stream(p *primitive, name string, as *layout, weights []float64, count int) (out stream, err error) {
	get := func(from attributes) (*elements, error) {
		accessor, ok := from[name]
		if !ok {
			return nil, nil
		}
		e, err := b.elements(accessor, as)
		if err == nil && count > 0 && e.count != count {
			err = fmt.Errorf("%s has %d elements: there are %d positions", name, e.count, count)
		}
		return e, err
	}
	if out.elements, err = get(p.Attributes); err != nil || out.elements == nil {
		return out, err
	}
	count = out.count
	for i, w := range weights {
		if w == 0 {
			continue
		}
		e, err := get(p.Targets[i])
		if err != nil {
			return out, fmt.Errorf("target %d: %w", i, err)
		}
		if e != nil {
			out.targets = append(out.targets, target{w, e})
		}
	}
	return out, nil
}

// topology sets the indices of a part, and checks how many there are.
func (b *builder) topology(p *primitive, out *part) (err error) {
	out.corners = out.positions.count
	if p.Indices != nil {
		if out.indices, err = b.elements(*p.Indices, indices); err != nil {
			return err
		}
		out.corners = out.indices.count
	}
	if out.mode == triangles && out.corners%3 != 0 {
		return fmt.Errorf("%d indices of triangles: must be three a triangle", out.corners)
	}
	if out.corners < 3 {
		return fmt.Errorf("%d indices of a strip or fan: must be at least three", out.corners)
	}
	return nil
}

// triangle returns the corners of a triangle.
func (p *part) triangle(t int) [3]int {
	switch {
	case p.mode == triangleStrip && t%2 == 1:
		return [3]int{t, t + 2, t + 1}
	case p.mode == triangleStrip:
		return [3]int{t, t + 1, t + 2}
	case p.mode == triangleFan:
		return [3]int{t + 1, t + 2, 0}
	}
	return [3]int{3 * t, 3*t + 1, 3*t + 2}
}

// count returns the number of triangles.
func (p *part) count() int {
	if p.mode == triangles {
		return p.corners / 3
	}
	return p.corners - 2
}

// size returns the number of triangles and vertices of the part, with degenerate triangles.
func (p *part) size() size {
	s := size{1, p.count(), 3 * p.count()}
	if p.normals.elements != nil {
		s.vertices = p.positions.count
	}
	if p.both {
		s.triangles, s.vertices = 2*s.triangles, 2*s.vertices
	}
	return s
}

// blends returns how many elements of morph targets and joints make one vertex.
func (p *part) blends() int {
	n := 4 * len(p.joints)
	for _, s := range [...]stream{p.positions, p.normals, p.places, p.colors} {
		n += len(s.targets)
	}
	return n
}

// mesh transforms points and normals. Without normals, each triangle gets its own corners and its own normal. A
// triangle that has a vertex twice, as strips do at their joints, is dropped.
func (p *part) mesh() (m render.Mesh, err error) {
	n := p.size()
	m = render.Mesh{Vertices: make([]render.Vertex, 0, n.vertices), Indices: make([]uint32, 0, 3*n.triangles)}
	first, err := p.index(p.triangle(0)[0])
	if err != nil {
		return m, err
	}
	at, err := p.frame(first)
	if err != nil {
		return m, err
	}
	mirrored := at.Det() < 0 // mirroring turns triangles inside out
	if p.normals.elements != nil {
		err = p.shared(&m, mirrored)
	} else {
		err = p.apart(&m, mirrored)
	}
	if err == nil && p.both {
		addBacks(&m)
	}
	return m, err
}

// shared adds the vertices as in the file. Triangles share them.
func (p *part) shared(m *render.Mesh, mirrored bool) error {
	turn := turning(p.atW)
	for i := range p.positions.count {
		pos, at, err := p.position(i)
		if err != nil {
			return err
		}
		if p.bones != nil {
			turn = turning(at)
		}
		n := p.normals.at(i).Vec3()
		if l := n.Len(); math.IsNaN(l) || math.IsInf(l, 0) {
			return fmt.Errorf("normal %d is %v: must be finite", i, n)
		}
		m.Vertices = append(m.Vertices, render.Vertex{Pos: spatial.Vec32(pos),
			Normal: spatial.Vec32(unit(turn.Mul3x1(n)))})
		if err := p.addLooks(m, i); err != nil {
			return err
		}
	}
	for t := range p.count() {
		var corner [3]uint32
		for k, c := range p.triangle(t) {
			index, err := p.index(c)
			if err != nil {
				return err
			}
			corner[k] = uint32(index)
		}
		if mirrored {
			corner[1], corner[2] = corner[2], corner[1]
		}
		if !twice(corner) {
			m.Indices = append(m.Indices, corner[:]...)
		}
	}
	return nil
}

// apart adds three vertices per triangle, so that triangles share no vertices.
func (p *part) apart(m *render.Mesh, mirrored bool) error {
	for t := range p.count() {
		var corners [3]mgl64.Vec3
		var indices [3]int
		for k, c := range p.triangle(t) {
			index, err := p.index(c)
			if err != nil {
				return err
			}
			if corners[k], _, err = p.position(index); err != nil {
				return err
			}
			indices[k] = index
		}
		if twice(indices) {
			continue
		}
		order := [3]int{0, 1, 2}
		if mirrored {
			order = [3]int{0, 2, 1}
		}
		a, b, c := corners[0], corners[order[1]], corners[order[2]]
		n := unit(b.Sub(a).Cross(c.Sub(a)))
		for _, k := range order {
			m.Indices = append(m.Indices, uint32(len(m.Vertices)))
			m.Vertices = append(m.Vertices, render.Vertex{Pos: spatial.Vec32(corners[k]), Normal: spatial.Vec32(n)})
			if err := p.addLooks(m, indices[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// twice reports whether a triangle has a vertex more than once.
func twice[T comparable](c [3]T) bool { return c[0] == c[1] || c[1] == c[2] || c[2] == c[0] }

// index returns the index of the position of a corner.
func (p *part) index(corner int) (int, error) {
	if p.indices == nil {
		return corner, nil
	}
	index := p.indices.integer(corner)
	if restart := uint32(1)<<(8*componentSize[p.indices.kind]) - 1; index == restart {
		return 0, fmt.Errorf("index %d: must be less, since it is the largest number of its type", index)
	}
	if int64(index) >= int64(p.positions.count) {
		return 0, fmt.Errorf("index %d: there are %d positions", index, p.positions.count)
	}
	return int(index), nil
}

// position returns a position in the group's frame, and the transformation that leads there.
func (p *part) position(i int) (pos mgl64.Vec3, at mgl64.Mat4, err error) {
	if at, err = p.frame(i); err != nil {
		return pos, at, err
	}
	pos = mgl64.TransformCoordinate(p.positions.at(i).Vec3(), at)
	if !(pos.Len() < 1000) { // also false for NaN
		return pos, at, fmt.Errorf("position %d is at %.4g: must be within a kilometre", i, pos)
	}
	return pos, at, nil
}

// addLooks adds the texture coordinates and the colour of a vertex.
func (p *part) addLooks(m *render.Mesh, i int) error {
	const farthest = 1000 // a larger float32 cannot distinguish neighbouring texels
	if p.places.elements != nil {
		at := p.transform(p.places.at(i).Vec2())
		if !(math.Abs(at[0]) <= farthest && math.Abs(at[1]) <= farthest) { // also false for NaN
			return fmt.Errorf("place %d in the texture is %.4g: must lie within ±%d", i, at, farthest)
		}
		m.UV = append(m.UV, mgl32.Vec2{float32(at[0]), float32(at[1])})
	}
	if p.colors.elements != nil {
		c := p.colors.at(i).Vec3()
		for k := range c {
			if math.IsNaN(c[k]) {
				return fmt.Errorf("colour %d is %v: must be finite", i, c)
			}
			c[k] = mgl64.Clamp(c[k], 0, 1)
		}
		m.Colors = append(m.Colors, spatial.Vec32(c))
	}
	return nil
}

// addBacks adds, for each triangle, a triangle with the same corners and the opposite orientation.
func addBacks(m *render.Mesh) {
	n := uint32(len(m.Vertices))
	for _, v := range m.Vertices[:n] {
		v.Normal = v.Normal.Mul(-1)
		m.Vertices = append(m.Vertices, v)
	}
	m.UV, m.Colors = append(m.UV, m.UV...), append(m.Colors, m.Colors...)
	for t, end := 0, len(m.Indices); t < end; t += 3 {
		m.Indices = append(m.Indices, n+m.Indices[t], n+m.Indices[t+2], n+m.Indices[t+1])
	}
}

// turning returns the matrix that turns normals, up to their length.
func turning(at mgl64.Mat4) mgl64.Mat3 {
	m := at.Mat3()
	if m.Det() != 0 {
		return m.Inv().Transpose()
	}
	x, y, z := m.Col(0), m.Col(1), m.Col(2) // flattened: the cofactors
	return mgl64.Mat3FromCols(y.Cross(z), z.Cross(x), x.Cross(y))
}

// unit returns v scaled to length 1. It returns the unit vector upwards if v has no direction.
func unit(v mgl64.Vec3) mgl64.Vec3 {
	if l := v.Len(); l > 0 && !math.IsInf(l, 0) {
		return v.Mul(1 / l)
	}
	return mgl64.Vec3{0, 0, 1}
}
