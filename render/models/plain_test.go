package models

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
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
		must.Equal(t, area, 1, "%s: area", name)
	}
	got := must.Get(loadPlain("square.obj", plainSquare["square.obj"]))(t).LeftOut
	want := "[materials (square.obj:2: none.mtl: file does not exist, square.obj:8: red, which no library has)]"
	if fmt.Sprint(got) != want {
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
		{"a.dae", "<COLLADA/>", "has no visual_scene"},
		{"a.dae", "<COLLADA><a>", "line 1: is no COLLADA"},
		{"a.dae", "solid", "is no COLLADA"},
		{"a.dae", strings.Repeat("<a>", 200), "nested more than 128 deep"},
		{"a.dae", daeOf("", `<node id="loop"><instance_node url="#loop"/></node>`), "nested more than 64 deep"},
		{"a.dae", daeOf("", "<node>"+strings.Repeat(`<instance_geometry url="#g"/>`, 50_000)+"</node>"),
			"counted as often as nodes refer to them"},
		{"a.dae", daeOf("", "<node><matrix>1 2</matrix></node>"), "<matrix> has 2 numbers: must be 16"},
		{"a.dae", strings.Replace(daeOf("", placed), "<p>0 1 2 3", "<p>0 1 9 3", 1),
			"index 9: must be that of one of 4"},
		{"a.dae", strings.Replace(daeOf("", placed), "<p>0", "<p>x", 1), `<p>: "x": must be a number`},
		{"a.dae", strings.Replace(daeOf("", placed), "<vcount>4", "<vcount>9", 1), "polygon 0: has 9 corners"},
		{"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + strings.Repeat("f 1 2 3\n", maxTriangles+1),
			"has too many triangles"},
	} {
		must.Refuse(loadPlain(c.name, c.text))(t, c.want, c.name, c.text)
	}
}

// daeOf returns a COLLADA file with a geometry of two triangles and a rectangle, in inches, which face up.
func daeOf(asset, nodes string) string {
	return `<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>` + asset + `</asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><phong><diffuse><color>1 0.5 0 1</color></diffuse>
<specular><texture texture="shiny"/></specular></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="orange"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array count="12">0 0 1 2 0 1 2 2 1 0 2 1</float_array><technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<source id="n"><float_array count="3">0 0 4</float_array><technique_common><accessor stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles material="paint"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>
<p>0 0 1 0 2 0  0 0 2 0 3 0</p></triangles>
<polylist><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">` + nodes + `</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`
}

// placed places the geometry 10 up, turned by 90° about z, twice as large, and binds its material.
const placed = `<node><translate>0 0 10</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>
<node><matrix>1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="paint" target="#orange"/></technique_common></bind_material></instance_geometry></node></node>`

// A COLLADA file's scene has its poses, its unit and its colours, and what is not shown is named with its line.
func TestCOLLADA(t *testing.T) {
	m := must.Get(loadPlain("a.dae", daeOf(`<unit meter="0.1"/><up_axis>Y_UP</up_axis>`, placed)))(t)
	if len(m.Parts) != 2 || m.Plain || !m.FileAxes {
		t.Fatalf("%d parts, plain %v, want 2 with materials", len(m.Parts), m.Plain)
	}
	// scaled by 0.5: (x, y, z) is at (−2 y, 2 (x + 5), 2 z + 10) · 0.05
	for _, mesh := range m.Meshes {
		least, most := mgl32.Vec3{1e9, 1e9, 1e9}, mgl32.Vec3{-1e9, -1e9, -1e9}
		for _, v := range mesh.Vertices {
			for k := range v.Pos {
				least[k], most[k] = min(least[k], v.Pos[k]), max(most[k], v.Pos[k])
			}
			if !(v.Normal.Sub(mgl32.Vec3{0, 0, 1}).Len() < 1e-6) {
				t.Errorf("normal %v, want up", v.Normal)
			}
		}
		if want := (mgl32.Vec3{-0.2, 0.5, 0.6}); len(mesh.Vertices) != 6 || !(least.Sub(want).Len() < 1e-6) ||
			!(most.Sub(mgl32.Vec3{0, 0.7, 0.6}).Len() < 1e-6) {
			t.Errorf("%d vertices from %v to %v, want from %v", len(mesh.Vertices), least, most, want)
		}
	}
	colors := []mgl32.Vec3{m.Materials[0].Color, m.Materials[1].Color}
	orange := mgl32.Vec3{1, float32(render.Linear(0.5)), 0}
	if colors[0] != plainSurface().Color || colors[1] != orange {
		t.Errorf("colours %v, want grey and %v", colors, orange)
	}
	want := "turn to z up (a.dae:1: Y_UP), specular textures (a.dae:3)"
	must.Equal(t, strings.Join(m.LeftOut, ", "), want, "left out")
	mirrored := strings.Replace(placed, "<scale>2 2 2", "<scale>-2 2 2", 1)
	mesh := must.Get(loadPlain("a.dae", daeOf("", mirrored)))(t).Meshes[0]
	a, b, c := mesh.Vertices[0].Pos, mesh.Vertices[1].Pos, mesh.Vertices[2].Pos
	if n := b.Sub(a).Cross(c.Sub(a)); !(n[2] > 0) {
		t.Errorf("a mirrored triangle faces %v, want up", n)
	}
}

// An OBJ file has a mesh for each material of its libraries, with colours and textures.
func TestMaterialsOfOBJ(t *testing.T) {
	texture := new(bytes.Buffer)
	must.Do(t, png.Encode(texture, image.NewGray(image.Rect(0, 0, 2, 2))))
	files := fstest.MapFS{
		"a.obj": {Data: []byte("mtllib a.mtl\nmtllib b.mtl\n\nv 0 0 1\nv 2 0 1\nv 2 2 1\nvt 0 0.25\n" +
			"f 1 2 3\nusemtl red\nf 1 2 3\nusemtl wood\nf 1/1 2/1 3/1\nusemtl none\nf 1 2 3\n")},
		"a.mtl":    {Data: []byte("newmtl red\nKd 0.5 0 0\n\nd 0.5\nnewmtl wood\nKd 1 1 1\nmap_Kd wood.png\nbump b.png\n")},
		"wood.png": {Data: texture.Bytes()},
	}
	m := must.Get(new(Library).LoadFS(files, "a.obj", 1))(t)
	if len(m.Parts) != 3 || m.Plain {
		t.Fatalf("%d parts, plain %v, want 3 with materials", len(m.Parts), m.Plain)
	}
	red := float32(render.Linear(0.5))
	if got := m.Materials[1].Color; got != (mgl32.Vec3{red, 0, 0}) || m.Materials[2].Texture == nil {
		t.Errorf("colour %v and texture %v", got, m.Materials[2].Texture)
	}
	if got, want := m.Meshes[2].UV[0], (mgl32.Vec2{0, 0.75}); got != want || m.Meshes[1].UV != nil {
		t.Errorf("place in the texture %v, want %v", got, want)
	}
	must.Equal(t, len(m.Meshes[0].Indices), 6, "corners without material")
	want := "transparency (a.mtl:4), other textures (a.mtl:8), materials (a.obj:2: b.mtl: file does not exist, a.obj:13: none, which no library has)"
	must.Equal(t, strings.Join(m.LeftOut, ", "), want, "left out")
	delete(files, "wood.png")
	m = must.Get(new(Library).LoadFS(files, "a.obj", 1))(t)
	left := strings.Join(m.LeftOut, ", ")
	if !strings.Contains(left, "textures (a.mtl:7: ") || m.Materials[2].Texture != nil {
		t.Errorf("without its image: %s", left)
	}
}

func FuzzPlain(f *testing.F) {
	formats := []string{"a.stl", "a.obj", "a.dae"}
	for name, text := range plainSquare {
		format := uint8(0)
		if strings.HasSuffix(name, "obj") {
			format = 1
		}
		f.Add([]byte(text), format)
	}
	f.Add([]byte(daeOf(`<unit meter="0.1"/>`, placed)), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, format uint8) {
		m, err := loadPlain(formats[int(format)%len(formats)], string(data))
		if err != nil {
			return
		}
		for _, mesh := range m.Meshes {
			for _, i := range mesh.Indices {
				v := mesh.Vertices[i]
				if l := v.Normal.Len(); !(l > 0.999 && l < 1.001) || v.Pos != v.Pos {
					t.Fatalf("vertex %+v", v)
				}
			}
		}
	})
}
