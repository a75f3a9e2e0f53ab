package models

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// maxTriangles bounds what a model may have: more would take minutes to prepare.
const maxTriangles = 500_000

// Load reads a .gltf or .glb file and scales it. It fails for what is no glTF, what has no triangles or too many, and
// data that contradict each other.
func Load(path string, scale float64) (*render.Group, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Read(data, os.DirFS(filepath.Dir(path)), scale)
}

// Read does the same with a file's data; what it refers to is read from files, which may be nil.
func Read(data []byte, files fs.FS, scale float64) (group *render.Group, err error) {
	// The library follows indices of the file without asking whether they exist.
	defer func() {
		if r := recover(); r != nil {
			group, err = nil, fmt.Errorf("is broken: %v", r)
		}
	}()
	doc := gltf.NewDocument()
	if err := gltf.NewDecoderFS(bytes.NewReader(data), files).Decode(doc); err != nil {
		return nil, fmt.Errorf("is no glTF: %w", err)
	}
	if len(doc.ExtensionsRequired) > 0 {
		return nil, fmt.Errorf("needs the extensions %v, of which none is known", doc.ExtensionsRequired)
	}
	l := loader{doc: doc, group: &render.Group{}}
	for _, m := range doc.Materials {
		l.group.Materials = append(l.group.Materials, material(m))
	}
	l.group.Materials = append(l.group.Materials, render.Material{Color: mgl32.Vec3{0.8, 0.8, 0.8}}) // for what names none
	// z forward, x left and y up become x, y and z.
	root := mgl64.Mat4{0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1}.Mul4(mgl64.Scale3D(scale, scale, scale))
	for _, n := range l.roots() {
		if err := l.node(n, root, 0); err != nil {
			return nil, err
		}
	}
	if l.triangles == 0 {
		return nil, errors.New("has no triangles")
	}
	return l.group, nil
}

type loader struct {
	doc       *gltf.Document
	group     *render.Group
	triangles int
	nodes     int // that were visited
}

// roots returns the nodes of the scene, or all that are nobody's children.
func (l *loader) roots() []int {
	if l.doc.Scene != nil {
		return l.doc.Scenes[*l.doc.Scene].Nodes
	}
	if len(l.doc.Scenes) > 0 {
		return l.doc.Scenes[0].Nodes
	}
	child := make([]bool, len(l.doc.Nodes))
	for _, n := range l.doc.Nodes {
		for _, c := range n.Children {
			child[c] = true
		}
	}
	var roots []int
	for i := range l.doc.Nodes {
		if !child[i] {
			roots = append(roots, i)
		}
	}
	return roots
}

func (l *loader) node(index int, parent mgl64.Mat4, depth int) error {
	const most = 100_000
	if l.nodes++; depth > 64 || l.nodes > most {
		return errors.New("has nodes within nodes without end")
	}
	n := l.doc.Nodes[index]
	t, r, s := n.TranslationOrDefault(), n.RotationOrDefault(), n.ScaleOrDefault()
	local := mgl64.Mat4(n.MatrixOrDefault())
	if local == mgl64.Ident4() {
		local = mgl64.Translate3D(t[0], t[1], t[2]).
			Mul4(mgl64.Quat{W: r[3], V: mgl64.Vec3{r[0], r[1], r[2]}}.Mat4()).
			Mul4(mgl64.Scale3D(s[0], s[1], s[2]))
	}
	at := parent.Mul4(local)
	if n.Mesh != nil {
		for _, p := range l.doc.Meshes[*n.Mesh].Primitives {
			if err := l.primitive(p, at, n.Name); err != nil {
				return err
			}
		}
	}
	for _, c := range n.Children {
		if err := l.node(c, at, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// primitive adds a part of triangles; points and lines are left out.
func (l *loader) primitive(p *gltf.Primitive, at mgl64.Mat4, name string) error {
	positions, ok := p.Attributes[gltf.POSITION]
	if p.Mode != gltf.PrimitiveTriangles || !ok {
		return nil
	}
	points, err := modeler.ReadPosition(l.doc, l.doc.Accessors[positions], nil)
	if err != nil {
		return err
	}
	var indices []uint32
	if p.Indices != nil {
		if indices, err = modeler.ReadIndices(l.doc, l.doc.Accessors[*p.Indices], nil); err != nil {
			return err
		}
	} else {
		for i := range points {
			indices = append(indices, uint32(i))
		}
	}
	indices = indices[:len(indices)/3*3]
	var normals [][3]float32
	if n, ok := p.Attributes[gltf.NORMAL]; ok {
		if normals, err = modeler.ReadNormal(l.doc, l.doc.Accessors[n], nil); err != nil {
			return err
		}
	}
	mesh, err := newMesh(points, normals, indices, at)
	if err != nil {
		return fmt.Errorf("mesh %q: %w", name, err)
	}
	paint := len(l.group.Materials) - 1
	if p.Material != nil {
		paint = *p.Material
		if l.doc.Materials[paint].DoubleSided {
			mesh = bothSides(mesh)
		}
	}
	if l.triangles += len(mesh.Indices) / 3; l.triangles > maxTriangles {
		return fmt.Errorf("has more than %d triangles", maxTriangles)
	}
	l.group.Meshes = append(l.group.Meshes, mesh)
	l.group.Parts = append(l.group.Parts, render.Part{Mesh: len(l.group.Meshes) - 1, Material: paint, PoseBP: spatial.Identity(), Name: name})
	return nil
}

// newMesh moves points and normals; without normals each triangle gets its own corners and its own normal.
func newMesh(points, normals [][3]float32, indices []uint32, at mgl64.Mat4) (render.Mesh, error) {
	var m render.Mesh
	moved := make([]mgl64.Vec3, len(points))
	for i, p := range points {
		moved[i] = mgl64.TransformCoordinate(mgl64.Vec3{float64(p[0]), float64(p[1]), float64(p[2])}, at)
		if !(moved[i].Len() < 1000) {
			return m, fmt.Errorf("point %d lies at %v: must be within a kilometre", i, p)
		}
	}
	for _, i := range indices {
		if int(i) >= len(points) {
			return m, fmt.Errorf("index %d: there are %d points", i, len(points))
		}
	}
	mirrored := at.Det() < 0 // turns triangles inside out
	turn := at.Mat3().Inv().Transpose()
	if len(normals) == len(points) {
		for i := range points {
			n := turn.Mul3x1(mgl64.Vec3{float64(normals[i][0]), float64(normals[i][1]), float64(normals[i][2])})
			m.Vertices = append(m.Vertices, render.Vertex{Pos: spatial.Vec32(moved[i]), Normal: spatial.Vec32(unit(n))})
		}
		m.Indices = append(m.Indices, indices...)
	} else {
		for t := 0; t < len(indices); t += 3 {
			a, b, c := moved[indices[t]], moved[indices[t+1]], moved[indices[t+2]]
			n := unit(b.Sub(a).Cross(c.Sub(a)))
			if mirrored {
				n = n.Mul(-1)
			}
			for _, p := range [3]mgl64.Vec3{a, b, c} {
				m.Indices = append(m.Indices, uint32(len(m.Vertices)))
				m.Vertices = append(m.Vertices, render.Vertex{Pos: spatial.Vec32(p), Normal: spatial.Vec32(n)})
			}
		}
	}
	if mirrored {
		for t := 0; t < len(m.Indices); t += 3 {
			m.Indices[t+1], m.Indices[t+2] = m.Indices[t+2], m.Indices[t+1]
		}
	}
	return m, nil
}

// unit returns a vector of length 1, upwards when there is no telling.
func unit(v mgl64.Vec3) mgl64.Vec3 {
	if l := v.Len(); l > 0 && !math.IsInf(l, 0) {
		return v.Mul(1 / l)
	}
	return mgl64.Vec3{0, 0, 1}
}

// bothSides adds the back of every triangle.
func bothSides(m render.Mesh) render.Mesh {
	n := uint32(len(m.Vertices))
	for _, v := range m.Vertices[:n] {
		v.Normal = v.Normal.Mul(-1)
		m.Vertices = append(m.Vertices, v)
	}
	for t, end := 0, len(m.Indices); t < end; t += 3 {
		m.Indices = append(m.Indices, n+m.Indices[t], n+m.Indices[t+2], n+m.Indices[t+1])
	}
	return m
}

// material translates metal and roughness into gloss and the exponent of the highlight, 2/α² − 2 with α the square of
// the roughness. Source of the exponent: Karis, "Specular BRDF reference", 2013.
func material(m *gltf.Material) render.Material {
	out := render.Material{Color: mgl32.Vec3{0.8, 0.8, 0.8}, Gloss: 0.02, Shininess: 10}
	if p := m.PBRMetallicRoughness; p != nil {
		c := p.BaseColorFactorOrDefault()
		for i := range out.Color {
			out.Color[i] = float32(mgl64.Clamp(c[i], 0, 1))
		}
		rough := mgl64.Clamp(p.RoughnessFactorOrDefault(), 0.1, 1)
		out.Shininess = float32(mgl64.Clamp(2/math.Pow(rough, 4)-2, 2, 250))
		out.Gloss = float32(0.02 + 0.7*mgl64.Clamp(p.MetallicFactorOrDefault(), 0, 1)*(1-rough))
	}
	return out
}
