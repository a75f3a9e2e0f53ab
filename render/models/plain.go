package models

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// readModel reads a model in the format that the end of its name gives: STL, OBJ, COLLADA or glTF.
func readModel(path string, data []byte, s *store, scale float64, other size) (*Model, error) {
	reader := readSTL
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".stl":
	case ".obj":
		reader = readOBJ
	case ".dae":
		reader = readDAE
	default:
		return build(data, s, scale, other)
	}
	p := plain{file: strings.TrimPrefix(filepath.Base(path), "fs:"), scale: scale, store: s, named: map[string]int{}}
	p.paint("", nil)
	if err := reader(&p, data); err != nil {
		return nil, err
	}
	g := &render.Group{}
	whole := size{}
	for i, m := range p.meshes {
		if len(m.Indices) == 0 {
			continue
		}
		g.Parts = append(g.Parts, render.Part{Mesh: len(g.Meshes), Material: len(g.Meshes), PoseBP: spatial.Identity()})
		g.Meshes, g.Materials = append(g.Meshes, m), append(g.Materials, p.materials[i])
		whole.parts, whole.triangles, whole.vertices = whole.parts+1, whole.triangles+len(m.Indices)/3,
			whole.vertices+len(m.Vertices)
	}
	if whole.parts == 0 {
		return nil, errors.New("has no triangles" + p.instead())
	}
	bare := whole.parts == 1 && len(p.meshes[0].Indices) > 0
	return &Model{Group: g, FileAxes: true, Plain: bare, LeftOut: p.leftOut.texts(), size: whole}, nil
}

// plainSurface returns the look of a model without materials: light grey plastic. Its values are guesses.
func plainSurface() render.Material { return painted(mgl32.Vec3{0.45, 0.45, 0.45}) }

// painted returns plastic of a colour, linear. Its values are guesses.
func painted(color mgl32.Vec3) render.Material {
	return render.Material{Color: color, Gloss: 0.03, Shininess: 20, F0: mgl32.Vec3{0.04, 0.04, 0.04}, Roughness: 0.3}
}

// plain collects the triangles of a model in the axes of the file, in a mesh for each material.
type plain struct {
	file      string // its name
	scale     float64
	store     *store
	meshes    []render.Mesh // the first is of triangles without a material
	materials []render.Material
	named     map[string]int // indices of meshes by the names of their materials
	mesh      int            // of the next triangles
	triangles int
	leftOut
}

// paint gives the next triangles a material. Its look is asked for when its name is new, and is a stand-in without it.
func (p *plain) paint(name string, look func() render.Material) {
	mesh, ok := p.named[name]
	if !ok {
		mesh = len(p.meshes)
		p.named[name] = mesh
		m := plainSurface()
		if look != nil {
			m = look()
		}
		p.meshes, p.materials = append(p.meshes, render.Mesh{}), append(p.materials, m)
	}
	p.mesh = mesh
}

// textured returns the material of a surface with an image, by which its colour is multiplied. The place is where the
// file names the image. An image that cannot be read is left out.
func (p *plain) textured(color mgl32.Vec3, image, place string) render.Material {
	decoder := builder{store: p.store}
	im, err := decoder.decode(&picture{URI: &uri{file: image}})
	if err != nil {
		p.leave("textures", fmt.Sprintf("%s: %v", place, err))
		return painted(color)
	}
	return Surface(color, im.texture([2]render.Wrap{}), 0.55, 0)
}

// polygonCorner is a corner of a polygon. A normal of 0 is that of the polygon. The place in the texture is from the
// left and from the bottom.
type polygonCorner struct {
	pos, normal mgl64.Vec3
	uv          mgl64.Vec2
}

// triangle adds a triangle. A triangle without an area is dropped.
func (p *plain) triangle(corners *[3]polygonCorner) error {
	for i := range corners {
		if c := corners[i].pos; !(c.Mul(p.scale).Len() <= 1000) { // also false for NaN
			return fmt.Errorf("has a corner at %.4g: must be within a kilometre", c)
		}
	}
	across := corners[1].pos.Sub(corners[0].pos).Cross(corners[2].pos.Sub(corners[0].pos))
	if across.Len() == 0 {
		return nil
	}
	flat, mesh := across.Normalize(), &p.meshes[p.mesh]
	for i := range corners {
		c := &corners[i]
		normal := flat
		if l := c.normal.Len(); l > 1e-6 && l < 1e6 {
			normal = c.normal.Mul(1 / l)
		}
		mesh.Indices = append(mesh.Indices, uint32(len(mesh.Vertices)))
		mesh.Vertices = append(mesh.Vertices, render.Vertex{Pos: spatial.Vec32(c.pos.Mul(p.scale)),
			Normal: spatial.Vec32(normal)})
		if p.materials[p.mesh].Texture != nil {
			u, v := mgl64.Clamp(c.uv[0], -mostUV, mostUV), mgl64.Clamp(c.uv[1], -mostUV, mostUV)
			mesh.UV = append(mesh.UV, mgl32.Vec2{float32(u), float32(1 - v)})
		}
	}
	if p.triangles++; p.triangles > maxTriangles {
		return (&size{}).add(size{1, p.triangles, 0})
	}
	return nil
}

// mostUV is the largest coordinate in a texture, in widths and heights of the texture.
const mostUV = 1000

// fan adds a polygon as a fan of triangles.
func (p *plain) fan(corners []polygonCorner) error {
	for i := 2; i < len(corners); i++ {
		if err := p.triangle(&[3]polygonCorner{corners[0], corners[i-1], corners[i]}); err != nil {
			return err
		}
	}
	return nil
}

// stlHead and stlFacet are the lengths of the head and of a triangle in a binary STL file.
const stlHead, stlFacet = 84, 50

// readSTL reads STL, binary or in ASCII. A file is binary if its length is that of the number of triangles in its head.
func readSTL(p *plain, data []byte) error {
	if len(data) >= stlHead {
		count := int(binary.LittleEndian.Uint32(data[80:]))
		if len(data) == stlHead+stlFacet*count {
			return binarySTL(p, data[stlHead:])
		}
		if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("solid")) {
			return fmt.Errorf("is no STL: its head announces %d triangles, and it has room for %d", count,
				(len(data)-stlHead)/stlFacet)
		}
	}
	var corners [3]mgl64.Vec3
	n := 0
	return eachLine(data, func(_ int, fields []string) error {
		switch fields[0] {
		case "vertex":
			v, err := threeNumbers(fields)
			if err != nil {
				return err
			}
			if n == 3 {
				return errors.New("a facet has more than three corners")
			}
			corners[n] = v
			n++
		case "endfacet":
			if n != 3 {
				return fmt.Errorf("a facet has %d corners: must be 3", n)
			}
			n = 0
			return p.facet(&corners)
		}
		return nil
	})
}

// facet adds a triangle without normals.
func (p *plain) facet(c *[3]mgl64.Vec3) error {
	return p.triangle(&[3]polygonCorner{{pos: c[0]}, {pos: c[1]}, {pos: c[2]}})
}

func binarySTL(p *plain, data []byte) error {
	for ; len(data) >= stlFacet; data = data[stlFacet:] {
		var corners [3]mgl64.Vec3
		for k := range 9 {
			corners[k/3][k%3] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[12+4*k:])))
		}
		if err := p.facet(&corners); err != nil {
			return err
		}
	}
	return nil
}

// threeNumbers reads three numbers after the first field.
func threeNumbers(fields []string) (v mgl64.Vec3, err error) {
	if len(fields) < 4 {
		return v, fmt.Errorf("%s has %d numbers: must be 3", fields[0], len(fields)-1)
	}
	for k := range v {
		if v[k], err = strconv.ParseFloat(fields[k+1], 64); err != nil || math.IsNaN(v[k]) {
			return v, fmt.Errorf("%s: %.40q: must be a number", fields[0], fields[k+1])
		}
	}
	return v, nil
}

// eachLine calls a function with the number and the fields of every line that has any. Its errors get the number of the
// line.
func eachLine(data []byte, do func(line int, fields []string) error) error {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		if fields := strings.Fields(lines.Text()); len(fields) > 0 {
			if err := do(n, fields); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
	}
	return nil
}
