package models

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// builder makes a Group from a document. It visits the nodes twice: first to check and count everything, and then to
// build the Group.
type builder struct {
	doc     *document
	store   *store
	vectors map[int]*elements // by accessor
	numbers map[int]*elements
	places  map[int]*elements // texture coordinates, by accessor
	used    map[int]bool      // by material
	visited int               // nodes and primitives
	size    size
	other   size // size of the world's other models
	group   *render.Group
}

// build reads a model. The last argument is the size of the world's other models.
func build(data []byte, s *store, scale float64, other size) (*group, error) {
	doc, bin, err := decode(data)
	if err != nil {
		return nil, err
	}
	if len(doc.ExtensionsRequired) > 0 {
		return nil, fmt.Errorf("requires the extensions %.100q: none is supported", doc.ExtensionsRequired)
	}
	s.doc, s.bin = doc, bin
	b := builder{doc: doc, store: s, vectors: map[int]*elements{}, numbers: map[int]*elements{},
		places: map[int]*elements{}, used: map[int]bool{}, other: other, group: &render.Group{}}
	roots, err := b.roots()
	if err != nil {
		return nil, err
	}
	// z forward, x left and y up become x, y and z.
	axes := mgl64.Mat4{0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1}.Mul4(mgl64.Scale3D(scale, scale, scale))
	if err := b.walk(roots, axes, 0, b.count); err != nil {
		return nil, err
	}
	if b.size.triangles == 0 {
		return nil, errors.New("has no triangles")
	}
	g := b.group
	g.Meshes, g.Parts = make([]render.Mesh, 0, b.size.parts), make([]render.Part, 0, b.size.parts)
	for i, m := range doc.Materials {
		if m == nil {
			m = &material{}
		}
		if b.used[i] {
			if err := b.bear(m); err != nil {
				return nil, fmt.Errorf("material %d: %w", i, err)
			}
		}
		g.Materials = append(g.Materials, m.render())
	}
	// the material of primitives without a material
	g.Materials = append(g.Materials, render.Material{Color: mgl32.Vec3{0.8, 0.8, 0.8}})
	b.visited = 0
	if err := b.walk(roots, axes, 0, b.add); err != nil {
		return nil, err
	}
	return &group{g, b.size}, nil
}

// roots returns the nodes of the document's scene. Without a scene, it returns all nodes that are not children.
func (b *builder) roots() ([]int, error) {
	if b.doc.Scene != nil || len(b.doc.Scenes) > 0 {
		s, err := at(b.doc.Scenes, or(b.doc.Scene, 0), "scene")
		if err != nil {
			return nil, err
		}
		return s.Nodes, nil
	}
	child := make([]bool, len(b.doc.Nodes))
	for _, n := range b.doc.Nodes {
		if n == nil {
			continue
		}
		for _, c := range n.Children {
			if c >= 0 && c < len(child) {
				child[c] = true
			}
		}
	}
	var roots []int
	for i := range b.doc.Nodes {
		if !child[i] {
			roots = append(roots, i)
		}
	}
	return roots, nil
}

// part is a primitive of triangles that is placed in the group.
type part struct {
	name      string
	atW       mgl64.Mat4 // transformation from the mesh's frame to the group's frame
	positions *elements
	normals   *elements // nil if absent
	indices   *elements // indices of positions; nil if the positions are in order
	places    *elements // texture coordinates; nil if absent
	corners   int       // three per triangle
	material  int       // index in the group
	both      bool      // whether both sides of the part's triangles are visible
}

// walk calls a function for every part of the given nodes and their descendants.
func (b *builder) walk(nodes []int, parent mgl64.Mat4, depth int, do func(*part) error) error {
	const deepest = 64
	for _, index := range nodes {
		if depth > deepest {
			return fmt.Errorf("has nested nodes in a cycle, or deeper than %d", deepest)
		}
		if err := b.visit(); err != nil {
			return err
		}
		n, err := at(b.doc.Nodes, index, "node")
		if err != nil {
			return err
		}
		place := parent.Mul4(n.local())
		if n.Mesh != nil {
			m, err := at(b.doc.Meshes, *n.Mesh, "mesh")
			if err != nil {
				return err
			}
			for i, p := range m.Primitives {
				if err := b.visit(); err != nil {
					return err
				}
				if err := b.primitive(p, place, n.Name, do); err != nil {
					return fmt.Errorf("mesh %d: primitive %d: %w", *n.Mesh, i, err)
				}
			}
		}
		if err := b.walk(n.Children, place, depth+1, do); err != nil {
			return err
		}
	}
	return nil
}

// visit counts one node or primitive. A node or primitive that is shown several times counts each time. visit fails if
// there are too many.
func (b *builder) visit() error {
	const most = 5 * maxParts
	if b.visited++; b.visited > most {
		return fmt.Errorf("shows more than %d nodes and primitives", most)
	}
	return nil
}

// local returns the node's transformation in its parent's frame.
func (n *node) local() mgl64.Mat4 {
	if n.Matrix != nil && *n.Matrix != mgl64.Ident4() {
		return *n.Matrix
	}
	t, r, s := or(n.Translation, [3]float64{}), or(n.Rotation, [4]float64{3: 1}), or(n.Scale, [3]float64{1, 1, 1})
	return mgl64.Translate3D(t[0], t[1], t[2]).
		Mul4(mgl64.Quat{W: r[3], V: mgl64.Vec3{r[0], r[1], r[2]}}.Mat4()).
		Mul4(mgl64.Scale3D(s[0], s[1], s[2]))
}

// primitive calls a function with the part that consists of a primitive's triangles. It ignores points and lines.
func (b *builder) primitive(p *primitive, place mgl64.Mat4, name string, do func(*part) error) (err error) {
	if p == nil || or(p.Mode, triangles) != triangles || p.Attributes.Position == nil {
		return nil
	}
	out := part{name: name, atW: place, material: len(b.doc.Materials)}
	if out.positions, err = b.elements(b.vectors, *p.Attributes.Position, 3, typeFloat); err != nil {
		return err
	}
	out.corners = out.positions.count / 3 * 3
	if p.Indices != nil {
		if out.indices, err = b.elements(b.numbers, *p.Indices, 1, typeUbyte, typeUshort, typeUint); err != nil {
			return err
		}
		out.corners = out.indices.count / 3 * 3
	}
	if p.Attributes.Normal != nil {
		if out.normals, err = b.elements(b.vectors, *p.Attributes.Normal, 3, typeFloat); err != nil {
			return err
		}
		if have, want := out.normals.count, out.positions.count; have != want {
			return fmt.Errorf("%d normals: there are %d positions", have, want)
		}
	}
	if p.Material != nil {
		m, err := at(b.doc.Materials, *p.Material, "material")
		if err != nil {
			return err
		}
		out.material, out.both = *p.Material, m.DoubleSided
		b.used[*p.Material] = true
		if out.places, err = b.placesOf(p, m, out.positions.count); err != nil {
			return err
		}
	}
	return do(&out)
}

// placesOf returns the texture coordinates of a primitive. It returns nil if the primitive's material has no texture.
func (b *builder) placesOf(p *primitive, m *material, positions int) (*elements, error) {
	if m.PBRMetallicRoughness == nil || m.PBRMetallicRoughness.BaseColorTexture == nil {
		return nil, nil
	}
	set := m.PBRMetallicRoughness.BaseColorTexture.TexCoord
	accessor := map[int]*int{0: p.Attributes.TexCoord0, 1: p.Attributes.TexCoord1}[set]
	if accessor == nil {
		return nil, fmt.Errorf("has no TEXCOORD_%d, by which material %d places its texture", set, *p.Material)
	}
	places, err := b.elements(b.places, *accessor, 2, typeFloat, typeUbyte, typeUshort)
	if err == nil && places.count != positions {
		err = fmt.Errorf("%d places in the texture: there are %d positions", places.count, positions)
	}
	return places, err
}

// elements is like store.elements, but checks each accessor only once. It keeps the results in the map checked.
func (b *builder) elements(checked map[int]*elements, accessor, components int, kinds ...int) (*elements, error) {
	if e := checked[accessor]; e != nil {
		return e, nil
	}
	e, err := b.store.elements(accessor, components, kinds...)
	if err == nil {
		checked[accessor] = e
	}
	return e, err
}

// size returns the number of triangles and vertices of the part.
func (p *part) size() size {
	s := size{1, p.corners / 3, p.corners}
	if p.normals != nil {
		s.vertices = p.positions.count
	}
	if p.both {
		s.triangles, s.vertices = 2*s.triangles, 2*s.vertices
	}
	return s
}

// count adds the size of a part to the size of the group, before anything is built.
func (b *builder) count(p *part) error {
	if err := b.size.add(p.size()); err != nil {
		return err
	}
	all := b.other
	return all.add(b.size)
}

// add builds the mesh of a part and adds it to the group.
func (b *builder) add(p *part) error {
	mesh, err := p.mesh()
	if err != nil {
		return err
	}
	b.group.Meshes = append(b.group.Meshes, mesh)
	b.group.Parts = append(b.group.Parts, render.Part{Mesh: len(b.group.Meshes) - 1, Material: p.material,
		PoseBP: spatial.Identity(), Name: p.name})
	return nil
}

// unit returns v scaled to length 1. It returns the unit vector upwards if v has no direction.
func unit(v mgl64.Vec3) mgl64.Vec3 {
	if l := v.Len(); l > 0 && !math.IsInf(l, 0) {
		return v.Mul(1 / l)
	}
	return mgl64.Vec3{0, 0, 1}
}

// Limits of a file's text. They are far above those of any model that can be drawn. With them, decoded data take at
// most about ten times the memory of the text.
const (
	maxObjects = 100_000
	maxValues  = 500_000
)

// document holds the parts of a glTF file that this package reads or writes. Source: the Khronos group's glTF 2.0
// specification.
type document struct {
	Asset              asset         `json:"asset"`
	ExtensionsRequired []string      `json:"extensionsRequired,omitempty"`
	Scene              *int          `json:"scene,omitempty"`
	Scenes             []*scene      `json:"scenes,omitempty"`
	Nodes              []*node       `json:"nodes,omitempty"`
	Meshes             []*mesh       `json:"meshes,omitempty"`
	Materials          []*material   `json:"materials,omitempty"`
	Textures           []*texture    `json:"textures,omitempty"`
	Images             []*picture    `json:"images,omitempty"`
	Samplers           []*sampler    `json:"samplers,omitempty"`
	Accessors          []*accessor   `json:"accessors,omitempty"`
	BufferViews        []*bufferView `json:"bufferViews,omitempty"`
	Buffers            []*buffer     `json:"buffers,omitempty"`
}

type asset struct {
	Version   string `json:"version"`
	Generator string `json:"generator"`
}

type scene struct {
	Nodes []int `json:"nodes"`
}

type node struct {
	Name        string       `json:"name"`
	Children    []int        `json:"children,omitempty"`
	Mesh        *int         `json:"mesh,omitempty"`
	Matrix      *[16]float64 `json:"matrix,omitempty"`
	Translation *[3]float64  `json:"translation,omitempty"`
	Rotation    *[4]float64  `json:"rotation,omitempty"`
	Scale       *[3]float64  `json:"scale,omitempty"`
	Extras      *extras      `json:"extras,omitempty"`
}

// extras is data that other programs may ignore. This package writes extras, but never reads them.
type extras struct{ data any }

func (e *extras) MarshalJSON() ([]byte, error) { return json.Marshal(e.data) }

func (e *extras) UnmarshalJSON([]byte) error { return nil }

type mesh struct {
	Primitives []*primitive `json:"primitives"`
}

type primitive struct {
	Attributes attributes `json:"attributes"`
	Indices    *int       `json:"indices,omitempty"`
	Material   *int       `json:"material,omitempty"`
	Mode       *int       `json:"mode,omitempty"`
}

const triangles = 4 // mode of a primitive that consists of triangles, which is also the default mode

// decode reads the text of a .gltf file, or the chunks of a .glb file. The result bin is the binary chunk, or nil.
func decode(data []byte) (doc *document, bin []byte, err error) {
	text := data
	if bytes.HasPrefix(data, []byte("glTF")) {
		if text, bin, err = chunks(data); err != nil {
			return nil, nil, err
		}
	}
	if n := bytes.Count(text, []byte("{")); n > maxObjects {
		return nil, nil, fmt.Errorf("has %d objects in its text: must be at most %d", n, maxObjects)
	}
	if n := bytes.Count(text, []byte(",")); n > maxValues {
		return nil, nil, fmt.Errorf("has %d values in its text: must be at most %d", n, maxValues)
	}
	doc = &document{}
	if err := json.Unmarshal(text, doc); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, nil, fmt.Errorf("is not glTF: %s: must not be a %s", wrong.Field, wrong.Value)
		}
		return nil, nil, fmt.Errorf("is not glTF: %w", err)
	}
	return doc, bin, nil
}

// chunks splits a .glb file into the text and the binary chunk. The file begins with a header of 12 bytes. Before each
// chunk are its length and its kind.
func chunks(data []byte) (text, bin []byte, err error) {
	const header, kindJSON, kindBIN = 12, 0x4E4F534A, 0x004E4942
	wrong := errors.New("is not glTF: its chunks do not match its length")
	if len(data) < header || binary.LittleEndian.Uint32(data[4:]) != 2 {
		return nil, nil, errors.New("is not glTF version 2")
	}
	for rest := data[header:]; len(rest) > 0; {
		if len(rest) < 8 {
			return nil, nil, wrong
		}
		length, kind := uint64(binary.LittleEndian.Uint32(rest)), binary.LittleEndian.Uint32(rest[4:])
		if rest = rest[8:]; length > uint64(len(rest)) {
			return nil, nil, wrong
		}
		switch chunk := rest[:length]; {
		case kind == kindJSON && text == nil:
			text = chunk
		case kind == kindBIN && bin == nil:
			bin = chunk
		}
		rest = rest[length:]
	}
	return text, bin, nil
}

// at returns an element of one of the document's lists.
func at[T any](list []*T, i int, what string) (*T, error) {
	if i < 0 || i >= len(list) || list[i] == nil {
		return nil, fmt.Errorf("%s %d: there are %d", what, i, len(list))
	}
	return list[i], nil
}
