package models

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// stlOf returns a binary STL file with triangles, and a head that announces as many.
func stlOf(announced int, triangles ...[9]float32) string {
	data := append(make([]byte, 80), byte(announced), 0, 0, 0)
	for _, t := range triangles {
		data = append(data, make([]byte, 12)...)
		for _, x := range t {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		data = append(data, 0, 0)
	}
	return string(data)
}

func loadPlain(name, text string) (*Model, error) {
	return new(Library).LoadFS(fstest.MapFS{name: {Data: []byte(text)}}, name, 0.5)
}

// plainSquare is a square of 2 m in the plane z = 1 that faces up, in three formats.
var plainSquare = map[string]string{
	"ascii.stl": `solid two
 facet normal 0 0 1
  outer loop
   vertex 0 0 1
   vertex 2 0 1
   vertex 2 2 1e0
  endloop
 endfacet
 facet normal 0 0 0
  outer loop
   vertex 0 0 1
   vertex 2 2 1
   vertex 0 2 1
  endloop
 endfacet
 facet normal 0 0 0
  outer loop
   vertex 0 0 1
   vertex 0 0 1
   vertex 0 2 1
  endloop
 endfacet
endsolid two`,
	"binary.STL": stlOf(2, [9]float32{0, 0, 1, 2, 0, 1, 2, 2, 1}, [9]float32{0, 0, 1, 2, 2, 1, 0, 2, 1}),
	"square.obj": "# a square\nmtllib none.mtl\nv 0 0 1\nv 2 0 1\nv 2 2 1\nv 0 2 1\nvn 0 0 1\nusemtl red\nf 1//1 2//1 3//1 -1//-1\n",
}

func TestPlainFormats(t *testing.T) {
	for name, text := range plainSquare {
		m := must.Get(loadPlain(name, text))(t)
		mesh := m.Meshes[0]
		if len(mesh.Indices) != 6 || !m.Plain {
			t.Fatalf("%s: %d corners, plain %v; want 6, plain", name, len(mesh.Indices), m.Plain)
		}
		area := float32(0)
		for i := 0; i < 6; i += 3 {
			corner := func(k int) render.Vertex { return mesh.Vertices[mesh.Indices[i+k]] }
			a, b, c := corner(0), corner(1), corner(2)
			across := b.Pos.Sub(a.Pos).Cross(c.Pos.Sub(a.Pos))
			area += across[2] / 2
			if a.Normal != (mgl32.Vec3{0, 0, 1}) || a.Pos[2] != 0.5 {
				t.Errorf("%s: vertex %+v, want one at z = 0.5 that faces up", name, a)
			}
		}
		if area != 1 {
			t.Errorf("%s: area %v, want 1", name, area)
		}
	}
	got := must.Get(loadPlain("square.obj", plainSquare["square.obj"]))(t).LeftOut
	if fmt.Sprint(got) != "[materials (red)]" {
		t.Errorf("left out %v", got)
	}
}

func TestPlainFormatsRefuse(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.stl", "", "has no triangles"},
		{"a.stl", "solid x\nfacet\nvertex 0 0 0\nendfacet", "line 4: a facet has 1 corners: must be 3"},
		{"a.stl", "vertex 0 0 x", "line 1: vertex: \"x\": must be a number"},
		{"a.stl", "vertex 0 0", "vertex has 2 numbers: must be 3"},
		{"a.stl", stlOf(3, [9]float32{1}), "its head announces 3 triangles, and it has room for 1"},
		{"a.stl", stlOf(1, [9]float32{1e9, 0, 0, 1}), "must be within a kilometre"},
		{"a.obj", "f 1 2 3", `line 1: vertex "1": must be the number of one of the 0 before it`},
		{"a.obj", "v 0 0 0\nf 1 1", "a face has 2 corners: must be at least 3"},
		{"a.obj", "v 0 0 0\nf 1//2 1//1 1//1", `normal "2"`},
		{"a.dae", "<COLLADA/>", "is COLLADA, which is not read: convert it to glTF"},
		{"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + strings.Repeat("f 1 2 3\n", maxTriangles+1),
			"has too many triangles"},
	} {
		if _, err := loadPlain(c.name, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.40q: got %v, want %q", c.name, c.text, err, c.want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for name, text := range plainSquare {
		f.Add([]byte(text), strings.HasSuffix(name, "obj"))
	}
	f.Fuzz(func(t *testing.T, data []byte, obj bool) {
		name := "a.stl"
		if obj {
			name = "a.obj"
		}
		m, err := loadPlain(name, string(data))
		if err != nil {
			return
		}
		mesh := m.Meshes[0]
		for _, i := range mesh.Indices {
			v := mesh.Vertices[i]
			if l := v.Normal.Len(); !(l > 0.999 && l < 1.001) || v.Pos != v.Pos {
				t.Fatalf("vertex %+v", v)
			}
		}
	})
}
