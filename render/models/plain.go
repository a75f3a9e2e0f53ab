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

// readModel reads a model in the format that the end of its name gives: STL, OBJ or glTF.
func readModel(path string, data []byte, s *store, scale float64, other size) (*Model, error) {
	reader := readSTL
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".stl":
	case ".obj":
		reader = readOBJ
	case ".dae":
		return nil, errors.New("is COLLADA, which is not read: convert it to glTF, for example with assimp export " +
			"robot.dae robot.glb, and name that file")
	default:
		return build(data, s, scale, other)
	}
	p := plain{scale: scale}
	if err := reader(&p, data); err != nil {
		return nil, err
	}
	if len(p.mesh.Indices) == 0 {
		return nil, errors.New("has no triangles")
	}
	g := &render.Group{Meshes: []render.Mesh{p.mesh}, Materials: []render.Material{plainSurface()},
		Parts: []render.Part{{PoseBP: spatial.Identity()}}}
	return &Model{Group: g, Plain: true, LeftOut: p.leftOut.texts(),
		size: size{1, len(p.mesh.Indices) / 3, len(p.mesh.Vertices)}}, nil
}

// plainSurface returns the look of a model without materials: light grey plastic. Its values are guesses.
func plainSurface() render.Material {
	return render.Material{Color: mgl32.Vec3{0.45, 0.45, 0.45}, Gloss: 0.03, Shininess: 20,
		F0: mgl32.Vec3{0.04, 0.04, 0.04}, Roughness: 0.3}
}

// plain collects the triangles of a model without materials, in the axes of the file.
type plain struct {
	mesh  render.Mesh
	scale float64
	leftOut
}

// triangle adds a triangle. Without normals, it is flat. A triangle without an area is dropped.
func (p *plain) triangle(corners, normals [3]mgl64.Vec3) error {
	for _, c := range corners {
		if !(c.Mul(p.scale).Len() <= 1000) { // also false for NaN
			return fmt.Errorf("has a corner at %.4g: must be within a kilometre", c)
		}
	}
	across := corners[1].Sub(corners[0]).Cross(corners[2].Sub(corners[0]))
	if across.Len() == 0 {
		return nil
	}
	flat := across.Normalize()
	for k, c := range corners {
		normal := flat
		if l := normals[k].Len(); l > 1e-6 && l < 1e6 {
			normal = normals[k].Mul(1 / l)
		}
		p.mesh.Indices = append(p.mesh.Indices, uint32(len(p.mesh.Vertices)))
		p.mesh.Vertices = append(p.mesh.Vertices, render.Vertex{Pos: spatial.Vec32(c.Mul(p.scale)),
			Normal: spatial.Vec32(normal)})
	}
	if n := len(p.mesh.Indices) / 3; n > maxTriangles {
		return (&size{}).add(size{1, n, len(p.mesh.Vertices)})
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
	return eachLine(data, func(fields []string) error {
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
			return p.triangle(corners, [3]mgl64.Vec3{})
		}
		return nil
	})
}

func binarySTL(p *plain, data []byte) error {
	for ; len(data) >= stlFacet; data = data[stlFacet:] {
		var corners [3]mgl64.Vec3
		for k := range 9 {
			corners[k/3][k%3] = float64(math.Float32frombits(binary.LittleEndian.Uint32(data[12+4*k:])))
		}
		if err := p.triangle(corners, [3]mgl64.Vec3{}); err != nil {
			return err
		}
	}
	return nil
}

// readOBJ reads the polygons of a Wavefront OBJ file, with their normals.
func readOBJ(p *plain, data []byte) error {
	var places, normals []mgl64.Vec3
	return eachLine(data, func(fields []string) error {
		switch fields[0] {
		case "v", "vn":
			v, err := threeNumbers(fields)
			if fields[0] == "v" {
				places = append(places, v)
			} else {
				normals = append(normals, v)
			}
			return err
		case "usemtl":
			p.leave("materials", strings.Join(fields[1:], " "))
		case "f":
			return p.polygon(fields[1:], places, normals)
		}
		return nil
	})
}

// polygon adds a polygon as a fan of triangles. Its corners are v, v/vt, v//vn or v/vt/vn.
func (p *plain) polygon(fields []string, places, normals []mgl64.Vec3) error {
	if len(fields) < 3 {
		return fmt.Errorf("a face has %d corners: must be at least 3", len(fields))
	}
	corner := func(field string) (at, normal mgl64.Vec3, err error) {
		parts := strings.Split(field, "/")
		if at, err = numbered(places, parts[0], "vertex"); err == nil && len(parts) > 2 {
			normal, err = numbered(normals, parts[2], "normal")
		}
		return at, normal, err
	}
	var at, normal [3]mgl64.Vec3
	for i, field := range fields {
		k := min(i, 2)
		if i > 2 {
			at[1], normal[1] = at[2], normal[2]
		}
		var err error
		if at[k], normal[k], err = corner(field); err != nil {
			return err
		}
		if i >= 2 {
			if err := p.triangle(at, normal); err != nil {
				return err
			}
		}
	}
	return nil
}

// numbered returns an element by its number in a file: from 1 on, or from the end for negative numbers.
func numbered(all []mgl64.Vec3, number, what string) (mgl64.Vec3, error) {
	i, err := strconv.Atoi(number)
	if i < 0 {
		i += len(all) + 1
	}
	if err != nil || i < 1 || i > len(all) {
		return mgl64.Vec3{}, fmt.Errorf("%s %.20q: must be the number of one of the %d before it", what, number, len(all))
	}
	return all[i-1], nil
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

// eachLine calls a function with the fields of every line that has any. Its errors get the number of the line.
func eachLine(data []byte, do func(fields []string) error) error {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for n := 1; lines.Scan(); n++ {
		if fields := strings.Fields(lines.Text()); len(fields) > 0 {
			if err := do(fields); err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
	}
	return nil
}
