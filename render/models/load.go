package models

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// builder makes a Group from a document. It visits the nodes twice: first to check and count everything, and then to
// build the Group.
type builder struct {
	doc       *document
	store     *store
	checked   map[use]*elements
	quantized bool // integer texture coordinates are fractions only if their accessor says so
	placed    bool // whether poses are complete
	visited   int  // nodes and primitives
	blended   int  // elements of morph targets and joints
	size      size
	other     size                 // of the world's other models
	poses     map[int]mgl64.Mat4   // of the nodes in the group's frame, from the first visit
	bones     map[int][]mgl64.Mat4 // by skin
	decoded   map[int]*pixels      // by image
	hashed    int                  // bytes of images
	group     *render.Group
	part      part             // the latest
	surfaces  map[int]*surface // by material, of those that are used
	tinted    map[tint]int     // index of a material in the group
	leftOut
}

// use is an accessor, and what it is used for.
type use struct {
	accessor int
	layout   *layout
}

// build reads a model. The last argument is the size of the world's other models.
func build(data []byte, s *store, scale float64, other size) (*Model, error) {
	doc, bin, err := decode(data)
	if err != nil {
		return nil, err
	}
	s.doc, s.bin = doc, bin
	b := builder{doc: doc, store: s, checked: map[use]*elements{}, other: other, poses: map[int]mgl64.Mat4{},
		bones: map[int][]mgl64.Mat4{}, decoded: map[int]*pixels{}, group: &render.Group{},
		surfaces: map[int]*surface{}, tinted: map[tint]int{}}
	if err := b.extensions(); err != nil {
		return nil, err
	}
	roots, err := b.roots()
	if err != nil {
		return nil, err
	}
	// z forward, x left and y up become x, y and z.
	axes := mgl64.Mat4{0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1}.Mul4(mgl64.Scale3D(scale, scale, scale))
	if err := b.walk(roots, axes, 0, b.count); err != nil {
		return nil, err
	}
	g := b.group
	if err := b.paint(); err != nil {
		return nil, err
	}
	g.Meshes, g.Parts = make([]render.Mesh, 0, b.size.parts), make([]render.Part, 0, b.size.parts)
	b.placed, b.visited, b.size = true, 0, size{}
	if err := b.walk(roots, axes, 0, b.add); err != nil {
		return nil, err
	}
	if b.size.triangles == 0 {
		return nil, errors.New("has no triangles" + b.leftOut.instead())
	}
	b.note("animations", len(doc.Animations))
	b.note("cameras", len(doc.Cameras))
	return &Model{Group: g, LeftOut: b.leftOut.texts(), size: b.size}, nil
}

// known are the extensions that this package reads.
var known = []string{transformExtension, quantizationExtension}

const (
	transformExtension    = "KHR_texture_transform"
	quantizationExtension = "KHR_mesh_quantization"
)

// extensions refuses a file that requires an unknown extension.
func (b *builder) extensions() error {
	for _, name := range b.doc.ExtensionsRequired {
		if !slices.Contains(known, name) {
			return fmt.Errorf("requires the extension %.100q: must require none but %q", name, known)
		}
	}
	for _, name := range b.doc.ExtensionsUsed {
		if !slices.Contains(known, name) {
			b.leave("extensions", fmt.Sprintf("%.100s", name))
		}
	}
	b.quantized = slices.Contains(slices.Concat(b.doc.ExtensionsRequired, b.doc.ExtensionsUsed), quantizationExtension)
	return nil
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
		local, err := n.local()
		if err != nil {
			return fmt.Errorf("%s: %w", named("node", index, n.Name), err)
		}
		place := parent.Mul4(local)
		if _, ok := b.poses[index]; !ok {
			b.poses[index] = place
		}
		if n.Mesh != nil {
			if err := b.mesh(n, place, do); err != nil {
				return fmt.Errorf("%s: %w", named("node", index, n.Name), err)
			}
		}
		if err := b.walk(n.Children, place, depth+1, do); err != nil {
			return err
		}
	}
	return nil
}

// mesh calls the function do for every part of a node's mesh.
func (b *builder) mesh(n *node, place mgl64.Mat4, do func(*part) error) error {
	m, err := at(b.doc.Meshes, *n.Mesh, "mesh")
	if err != nil {
		return err
	}
	for i, p := range m.Primitives {
		if err := b.visit(); err != nil {
			return err
		}
		if p == nil {
			continue
		}
		shown, err := b.primitive(n, m, p, place)
		if err == nil && shown {
			err = do(&b.part)
		}
		if err != nil {
			return fmt.Errorf("mesh %d: primitive %d: %w", *n.Mesh, i, err)
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

// named returns what an error calls an object of the file.
func named(what string, index int, name string) string {
	if name == "" {
		return fmt.Sprintf("%s %d", what, index)
	}
	return fmt.Sprintf("%s %d %.40q", what, index, name)
}

// elements is store.elements, but checks each accessor only once.
func (b *builder) elements(accessor int, as *layout) (*elements, error) {
	key := use{accessor, as}
	if e := b.checked[key]; e != nil {
		return e, nil
	}
	e, err := b.store.elements(accessor, as)
	if err == nil {
		b.checked[key] = e
	}
	return e, err
}

// count adds up the size of the group before anything is built. Degenerate triangles count too, although add drops
// them.
func (b *builder) count(p *part) error {
	if err := b.size.add(p.size()); err != nil {
		return err
	}
	const most = 10_000_000 // two seconds' work
	if b.blended += p.size().vertices * p.blends(); b.blended > most {
		return fmt.Errorf("has too many morph targets and joints: at most %d for all its vertices", most)
	}
	all := b.other
	return all.add(b.size)
}

// add builds the mesh of a part and adds it to the group, unless it has no triangles.
func (b *builder) add(p *part) error {
	mesh, err := p.mesh()
	if err != nil || len(mesh.Indices) == 0 {
		return err
	}
	material := b.material(p, &mesh)
	g := b.group
	g.Meshes = append(g.Meshes, mesh)
	g.Parts = append(g.Parts, render.Part{Mesh: len(g.Meshes) - 1, Material: material, PoseBP: spatial.Identity(),
		Name: p.name})
	return b.size.add(size{1, len(mesh.Indices) / 3, len(mesh.Vertices)})
}
