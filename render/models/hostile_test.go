package models

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/models"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// one is a file with one triangle: three positions, then three indices of two bytes.
func one(positions ...float32) string {
	if positions == nil {
		positions = []float32{0, 0, 0, 1, 0, 0, 0, 1, 0}
	}
	var data []byte
	for _, x := range positions {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	data = append(data, 0, 0, 1, 0, 2, 0)
	return `{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}, {"bufferView": 1, "componentType": 5123, "type": "SCALAR", "count": 3}],
"bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 6}],
"buffers": [{"byteLength": 42, "uri": "data:application/octet-stream;base64,` + base64.StdEncoding.EncodeToString(data) + `"}]}`
}

// edit returns one with a part of its text replaced.
func edit(old, new string) string {
	text := one()
	if !strings.Contains(text, old) {
		panic("no " + old)
	}
	return strings.Replace(text, old, new, 1)
}

const (
	firstView  = `"bufferView": 0, "componentType": 5126`
	secondView = `"bufferView": 1, "componentType": 5123`
	sparse     = `"sparse": {"count": 1, "indices": {"bufferView": 1, "componentType": 5123, "byteOffset": 2}, "values": {"bufferView": 0, "byteOffset": 12}}`
)

func fsOf(text string) fs.FS { return fstest.MapFS{"m.gltf": {Data: []byte(text)}} }

func load(text string) (*Model, error) {
	l := Library{}
	_, err := l.LoadFS(fsOf(text), "m.gltf", 1)
	return l.models[shown{"fs:m.gltf", 1}], err
}

func TestOneTriangleIsOne(t *testing.T) {
	for name, text := range map[string]string{
		"as it is":            one(),
		"without indices":     edit(`, "indices": 1`, ""),
		"escaped":             edit("data:application/", `data:application\/`),
		"sparse":              edit(firstView, sparse+", "+firstView),
		"sparse, no view":     edit(firstView, sparse+`, "componentType": 5126`),
		"with a null":         edit(`"nodes": [`, `"scenes": [{"nodes": [1]}], "nodes": [null, `),
		"longer than it says": edit(`"byteLength": 42`, `"byteLength": 42, "extras": {"a": 1}`),
	} {
		g, err := load(text)
		if err != nil || g.size != (size{1, 1, 3}) || len(g.Meshes) != 1 || len(g.Meshes[0].Indices) != 3 {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
	// Sparse values replace those of the view, here position 1, or zeros by (1, 0, 0), which is y in a Group.
	g := must.Get(load(edit(firstView, sparse+`, "componentType": 5126`)))(t)
	if v := g.Meshes[0].Vertices; v[0].Pos != v[2].Pos || v[1].Pos[1] != 1 {
		t.Errorf("sparse positions are %v", v)
	}
}

// Inconsistent files are refused with a rule, whatever sizes they claim, before memory is allocated.
func TestBadModelsAreRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct{ text, want string }{
		"text":       {"hello", "is not glTF"},
		"empty":      {`{"asset": {"version": "2.0"}}`, "has no triangles"},
		"wrong type": {edit(`"mesh": 0`, `"mesh": "a"`), "is not glTF: nodes.mesh: must not be a " + "string"},
		"cycle":      {edit(`"mesh": 0`, `"children": [0]`), "has no triangles"}, // no node is a root
		"cycle below a scene": {edit(`"nodes": [{"mesh": 0`,
			`"scenes": [{"nodes": [0]}], "nodes": [{"children": [0, 0, 0]`), "in a cycle"},
		"doubling":      {doubling(30), "has too many parts"},
		"mesh":          {edit(`"mesh": 0`, `"mesh": 77`), "mesh 77: there are 1"},
		"negative mesh": {edit(`"mesh": 0`, `"mesh": -1`), "mesh -1: there are 1"},
		"null mesh":     {edit(`"meshes": [`, `"meshes": [null, `), "mesh 0: there are 2"},
		"scene":         {edit(`"nodes"`, `"scene": -3, "nodes"`), "scene -3: there are 0"},
		"child":         {edit(`"mesh": 0`, `"mesh": 0, "children": [-5]`), "node -5: there are 1"},
		"material":      {edit(`"indices": 1`, `"indices": 1, "material": -1`), "material -1: there are 0"},
		"accessor":      {edit(`"POSITION": 0`, `"POSITION": -1`), "accessor -1: there are 2"},
		"view":          {edit(firstView, `"bufferView": -1, "componentType": 5126`), "accessor 0: buffer view -1: there are 2"},
		"buffer":        {edit(`"buffer": 0`, `"buffer": -1`), "buffer -1: there are 1"},
		"huge count": {edit(`"count": 3`, `"count": 1000000000000`),
			"accessor 0: count = 1000000000000: must lie in [1, "},
		"count beyond its view": {edit(`"count": 3`, `"count": 2000000`),
			"2000000 elements from byte 0 on: buffer view 0 has 36 bytes"},
		"negative count":  {edit(`"count": 3`, `"count": -3`), "count = -3"},
		"negative offset": {edit(firstView, `"byteOffset": -4, `+firstView), "from byte -4 on"},
		"offset that overflows": {edit(firstView, `"byteOffset": 9223372036854775807, `+firstView),
			"from byte 9223372036854775807 on"},
		"negative view offset": {edit(`"byteLength": 36`, `"byteLength": 36, "byteOffset": -1`),
			"buffer view 0: 36 bytes from byte -1 on: buffer 0 has 42"},
		"view that overflows": {edit(`"byteLength": 36`, `"byteLength": 9223372036854775807, "byteOffset": 9`),
			"buffer view 0: 9223372036854775807 bytes"},
		"negative stride": {edit(`"byteLength": 36`, `"byteLength": 36, "byteStride": -12`),
			"byteStride = -12: elements have 12 bytes"},
		"stride of a byte": {edit(`"byteLength": 36`, `"byteLength": 36, "byteStride": 1`),
			"byteStride = 1: elements have 12 bytes"},
		"stride that overflows": {edit(`"byteLength": 36`, `"byteLength": 36, "byteStride": 9223372036854775807`),
			"3 elements from byte 0 on"},
		"buffer of more": {edit(`"byteLength": 42`, `"byteLength": 1000000000000`),
			"buffer 0: byteLength = 1000000000000: there are 42 bytes"},
		"buffer of less": {edit(`"byteLength": 42`, `"byteLength": -1`), "buffer 0: byteLength = -1"},
		"no data":        {edit(`"uri"`, `"url"`), "buffer 0: byteLength = 42: there are 0 bytes"},
		"no view": {edit(firstView+`, "type": "VEC3", "count": 3`,
			`"componentType": 5126, "type": "VEC3", "count": 2000000`), "has neither a buffer view nor sparse values"},
		"index beyond": {edit(`"byteOffset": 36, "byteLength": 6`, `"byteOffset": 12, "byteLength": 6`),
			"there are 3 positions"},
		"sparse without end": {edit(firstView+`, "type": "VEC3", "count": 3`,
			sparse+`, "componentType": 5126, "type": "VEC3", "count": 500000000`),
			"count = 500000000: must lie in [1, "},
		"sparse of more": {edit(firstView, strings.Replace(sparse, `"count": 1`, `"count": 4`,
			1)+", "+firstView), "sparse: count = 4: must lie in [1, 3]"},
		"sparse of none": {edit(firstView, strings.Replace(sparse, `"count": 1`, `"count": -1`,
			1)+", "+firstView), "sparse: count = -1"},
		"sparse beyond its view": {edit(firstView, strings.Replace(sparse, `"count": 1`, `"count": 3`,
			1)+", "+firstView), "sparse: indices: 3 elements from byte 2 on"},
		"sparse that descends": {edit(secondView, strings.NewReplacer(`"count": 1`, `"count": 2`, `"byteOffset": 2`,
			`"byteOffset": 0`, `5123`, `5121`).Replace(sparse)+", "+secondView), "must ascend"},
		"sparse by floats": {edit(firstView, strings.Replace(sparse, "5123", "5126", 1)+", "+firstView),
			"must be an unsigned integer's"},
		"scalars as positions": {edit(`"VEC3"`, `"SCALAR"`), `type = "SCALAR", componentType = 5126: must be VEC3`},
		"floats as indices": {edit(secondView, `"bufferView": 0, "componentType": 5126`),
			`must be SCALAR, one of [5121 5123 5125]`},
		"NaN":      {one(0, 0, 0, nan, 0, 0, 0, 1, 0), "must be within a kilometre"},
		"infinity": {one(0, 0, 0, 0, 0, inf, 0, 1, 0), "must be within a kilometre"},
		"normals that are NaN": {strings.NewReplacer(`"POSITION": 0`, `"POSITION": 2, "NORMAL": 0`, `"count": 3}]`,
			`"count": 3}, {"componentType": 5126, "type": "VEC3", "count": 3, `+sparse+`}]`).Replace(one(0, nan, 0, 1,
			0, 0, 0, 1, 0)), "normal 0 is [0 NaN 0]: must be finite"},
		"scaled beyond": {edit(`"mesh": 0`, `"mesh": 0, "scale": [1, 1e300, 1e300]`), "must be within a kilometre"},
		"turned by nothing": {edit(`"mesh": 0`, `"mesh": 0, "rotation": [1e200, 1e200, 0, 0]`),
			"must be a unit quaternion"},
		"no base64":  {edit(";base64", ""), "must be base64"},
		"bad base64": {edit("base64,", "base64,*"), "is not glTF: illegal base64"},
		"URL": {edit("data:application/octet-stream;base64,", "http://localhost/"),
			"must be the name of a file"},
		"file outside": {edit("data:application/octet-stream;base64,", "../"), "must lie in the model's folder"},
		"file from the root": {edit("data:application/octet-stream;base64,", "/etc/passwd?"),
			"must lie in the model's folder"},
		"extensions": {edit(`"nodes"`, `"extensionsRequired": ["KHR_draco_mesh_compression"], "nodes"`), "KHR_draco"},
		"objects":    {edit(`"mesh": 0}`, `"mesh": 0}`+strings.Repeat(",{}", maxObjects)), "objects in its text"},
		"values": {edit(`"mesh": 0`, `"mesh": 0, "children": [0`+strings.Repeat(",0", maxValues)+`]`),
			"values in its text"},
		"parts": {edit(`"nodes": [`, `"nodes": [`+strings.Repeat(`{"mesh":0},`, maxParts)), "has too many parts"},
		"instances": {strings.Replace(grid(100, true), `"nodes": [`,
			`"nodes": [`+strings.Repeat(`{"mesh":0},`, 30), 1), "has too many triangles"},
		"JSON within JSON": {strings.Repeat("[", 1<<20), "is not glTF"},
		"binary, cut": {"glTF\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xffJSON",
			"its chunks do not match its length"},
		"binary, nothing": {"glTF", "is not glTF version 2"},
		"binary, empty":   {"glTF\x02\x00\x00\x00\x0c\x00\x00\x00", "is not glTF"},
	} {
		t.Run(name, func(t *testing.T) {
			limit := uint64(8 << 20)
			if len(c.text) > 100_000 {
				limit = allocs.ParseLimit
			}
			allocs.AtMost(t, limit, func() {
				switch _, err := load(c.text); {
				case c.want == "" && err != nil:
					t.Error(err)
				case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
					t.Errorf("%v, want %q", err, c.want)
				}
			})
		})
	}
}

// doubling has nodes each of which shows the next one twice.
func doubling(levels int) string {
	var nodes []string
	for i := range levels {
		nodes = append(nodes, fmt.Sprintf(`{"children": [%d, %d]}`, i+1, i+1))
	}
	return edit(`"nodes": [`, `"scenes": [{"nodes": [0]}], "nodes": [`+strings.Join(nodes, ",")+",")
}

// grid is a mesh of n × n squares, with shared vertices, or without normals, with separate ones.
func grid(n int, normals bool) string {
	positions, indices := models.Grid(n, 1)
	return models.Text(positions, indices, normals, 1)
}

// The largest models that a megabyte can describe stay within the limit too: instances of a mesh, and many meshes.
func TestModelsTakeWhatTheirTextMayTake(t *testing.T) {
	for name, text := range map[string]string{
		"instances of much": strings.Replace(grid(100, true), `"nodes": [`, `"nodes": [`+strings.Repeat(`{"mesh":0},`,
			11), 1),
		"instances of little": edit(`"nodes": [`,
			`"nodes": [`+strings.Repeat(`{"mesh":0,"name":"of a length of twenty"},`, maxParts-1)),
		"one mesh":      grid(125, true),
		"many vertices": grid(140, false),
	} {
		t.Run(name, func(t *testing.T) {
			if len(text) > 1<<20 {
				t.Fatalf("%d bytes", len(text))
			}
			allocs.AtMost(t, allocs.ParseLimit, func() {
				if _, err := load(text); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Files next to the model are read once, completely, and only if they are valid.
func TestBuffersBesideTheModel(t *testing.T) {
	dir := t.TempDir()
	text := edit("data:application/octet-stream;base64,", "./the%20data.bin?")
	start := strings.Index(text, "?") + 1
	end := start + strings.IndexByte(text[start:], '"')
	data := must.Get(base64.StdEncoding.DecodeString(text[start:end]))(t)
	text = text[:start-1] + text[end:]
	path := filepath.Join(dir, "m.gltf")
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	must.Refuse(new(Library).Load(path, 1))(t, `buffer 0: "./the%20data.bin": no such file`, "without the buffer")
	buffer := filepath.Join(dir, "the data.bin")
	must.Do(t, os.Symlink("/dev/zero", buffer))
	must.Refuse(new(Library).Load(path, 1))(t, "is a device: must be a regular file", "a device as buffer")
	must.Do(t, os.Remove(buffer))
	must.Do(t, os.WriteFile(buffer, data, 0o644))
	var l Library
	first := must.Get(l.Load(path, 1))(t)
	if again, err := l.Load(filepath.Join(dir, ".", "m.gltf"), 1); err != nil || again != first {
		t.Errorf("loaded again: another group, %v", err)
	}
	if l.size != (size{2, 2, 6}) || l.bytes != len(text)+len(data) {
		t.Errorf("two take %+v and %d bytes", l.size, l.bytes)
	}
	must.Do(t, os.Truncate(buffer, maxBytes))
	allocs.AtMost(t, 2*maxBytes, func() {
		if _, err := new(Library).Load(path, 1); err == nil || !strings.Contains(err.Error(), "is too long") {
			t.Errorf("a model of %d bytes: %v", maxBytes+len(text), err)
		}
	})
}

// No file makes a Library panic or take much memory, and its result is consistent.
func FuzzRead(f *testing.F) {
	whole := must.Get(os.ReadFile(bench))(f)
	f.Add(whole)
	f.Add([]byte(one()))
	f.Add([]byte(edit(firstView, sparse+", "+firstView)))
	f.Add([]byte(edit(firstView, sparse+`, "componentType": 5126`)))
	f.Add([]byte(doubling(3)))
	f.Add([]byte(grid(2, true)))
	f.Add(binaryOf(one()))
	for _, edit := range []func(f *file){
		func(f *file) { skinned(f, []float64{0, 1, 0, 0}, typeFloat, []float64{0.5, 0.5, 0, 0}) },
		func(f *file) {
			f.prim["targets"] = []any{object{"POSITION": f.add(typeShort, "VEC3", slices.Repeat([]float64{1}, 12)...)}}
			f.mesh["weights"] = []float64{0.5}
		},
		func(f *file) {
			f.attribute["COLOR_0"] = f.add(typeUbyte, "VEC4", 0, 0, 9, 9, 9, 9, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8)
			reindex(5, typeUshort, 0, 1, 2, 2, 2, 1, 3)(f)
		},
	} {
		model := newFile()
		edit(model)
		f.Add([]byte(model.text(f)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			return
		}
		var g *Model
		allocs.AtMost(t, allocs.ParseLimit, func() { g, _ = load(string(data)) })
		if g == nil {
			return
		}
		n := size{parts: len(g.Parts)}
		for _, p := range g.Parts {
			m := g.Meshes[p.Mesh]
			if len(m.UV)%max(len(m.Vertices), 1) != 0 || len(m.Colors)%max(len(m.Vertices), 1) != 0 {
				t.Fatalf("%d places and %d colours of %d vertices", len(m.UV), len(m.Colors), len(m.Vertices))
			}
			if p.Material >= len(g.Materials) || len(m.Indices)%3 != 0 {
				t.Fatal("a part without its material, or half a triangle")
			}
			n.triangles, n.vertices = n.triangles+len(m.Indices)/3, n.vertices+len(m.Vertices)
			for _, i := range m.Indices {
				if int(i) >= len(m.Vertices) {
					t.Fatal("an index beyond the vertices")
				}
			}
			for _, v := range m.Vertices {
				if !(v.Pos.Len() < 1001) || !(math.Abs(float64(v.Normal.Len())-1) < 1e-3) {
					t.Fatalf("a vertex at %v, its normal %v", v.Pos, v.Normal)
				}
			}
		}
		if n != g.size {
			t.Fatalf("counted %+v, made %+v", g.size, n)
		}
	})
}

// binaryOf is a .glb file.
func binaryOf(text string) []byte {
	data := []byte("glTF\x02\x00\x00\x00")
	data = binary.LittleEndian.AppendUint32(data, uint32(20+len(text)))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
	return append(append(data, "JSON"...), text...)
}
