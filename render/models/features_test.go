package models

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// object is an object of JSON.
type object = map[string]any

// file makes a glTF file with one primitive, a square of 1 m that faces z, from the origin on to the right and up, as a
// node's mesh. Tests change its fields.
type file struct {
	object                      // the root
	node, mesh, prim, attribute object
	views, accessors            []object
	data                        []byte
}

func newFile() *file {
	f := &file{attribute: object{}}
	f.prim = object{"attributes": f.attribute}
	f.mesh = object{"primitives": []any{f.prim}}
	f.node = object{"mesh": 0}
	f.object = object{"asset": object{"version": "2.0"}, "nodes": []any{f.node}, "meshes": []any{f.mesh}}
	f.attribute["POSITION"] = f.add(typeFloat, "VEC3", 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0)
	f.prim["indices"] = f.add(typeUbyte, "SCALAR", 0, 1, 2, 2, 1, 3)
	return f
}

// add adds an accessor with its own view, and returns its index.
func (f *file) add(kind int, shape string, values ...float64) int {
	f.accessors = append(f.accessors, object{"bufferView": f.view(kind, values...), "componentType": kind,
		"type": shape, "count": len(values) / componentsOf[shape]})
	return len(f.accessors) - 1
}

func (f *file) view(kind int, values ...float64) int {
	for len(f.data)%4 != 0 {
		f.data = append(f.data, 0)
	}
	start := len(f.data)
	for _, x := range values {
		switch componentSize[kind] {
		case 1:
			f.data = append(f.data, byte(int(x)))
		case 2:
			f.data = binary.LittleEndian.AppendUint16(f.data, uint16(int(x)))
		default:
			bits := uint32(int64(x))
			if kind == typeFloat {
				bits = math.Float32bits(float32(x))
			}
			f.data = binary.LittleEndian.AppendUint32(f.data, bits)
		}
	}
	f.views = append(f.views, object{"buffer": 0, "byteOffset": start, "byteLength": len(f.data) - start})
	return len(f.views) - 1
}

// material gives the square a material.
func (f *file) material(m object) {
	f.prim["material"], f.object["materials"] = 0, []any{m}
}

// textured gives the square a texture of 3 × 2 pixels and texture coordinates.
func (f *file) textured(t *testing.T, im image.Image, info, m object) {
	info["index"] = 0
	pbr := object{"baseColorTexture": info, "metallicFactor": 0}
	m["pbrMetallicRoughness"] = pbr
	f.material(m)
	var picture object
	must.Do(t, json.Unmarshal([]byte(inText(encoded(t, im))), &picture))
	f.object["textures"], f.object["images"] = []any{object{"source": 0}}, []any{picture}
	f.attribute["TEXCOORD_0"] = f.add(typeFloat, "VEC2", 0, 1, 1, 1, 0, 0, 1, 0)
}

func (f *file) text(t testing.TB) string {
	t.Helper()
	f.object["bufferViews"], f.object["accessors"] = f.views, f.accessors
	f.object["buffers"] = []any{object{"byteLength": len(f.data), "uri": "data:application/octet-stream;base64," +
		base64.StdEncoding.EncodeToString(f.data)}}
	return string(must.Get(json.Marshal(f.object))(t))
}

// seen is what one sees of a model, in the axes of its file: y up and z forward.
type seen struct {
	triangles int
	area      mgl64.Vec3 // the sum of the triangles' areas times their normals, m²
	lo, hi    mgl64.Vec3 // corners of the box around all triangles
}

// seenIn measures a model, and checks that vertices' normals point out of the side from which a triangle is visible.
func seenIn(t *testing.T, m *Model) (s seen) {
	t.Helper()
	s.lo, s.hi = mgl64.Vec3{9, 9, 9}, mgl64.Vec3{-9, -9, -9}
	for _, p := range m.Parts {
		mesh := &m.Meshes[p.Mesh]
		for i := 0; i < len(mesh.Indices); i += 3 {
			var c, n [3]mgl64.Vec3
			for k := range c {
				v := &mesh.Vertices[mesh.Indices[i+k]]
				for axis := range 3 { // x, y and z of a file are y, z and x of a Group
					c[k][axis], n[k][axis] = float64(v.Pos[(axis+1)%3]), float64(v.Normal[(axis+1)%3])
					s.lo[axis], s.hi[axis] = min(s.lo[axis], c[k][axis]), max(s.hi[axis], c[k][axis])
				}
			}
			area := c[1].Sub(c[0]).Cross(c[2].Sub(c[0])).Mul(0.5)
			for _, n := range n {
				if !(n.Dot(area) > 0) {
					t.Errorf("triangle %v with the area %v has the normal %v", c, area, n)
				}
			}
			s.triangles, s.area = s.triangles+1, s.area.Add(area)
		}
	}
	return s
}

// square is the square of a file that nothing changes.
var square = seen{2, mgl64.Vec3{0, 0, 1}, mgl64.Vec3{}, mgl64.Vec3{1, 1, 0}}

// moved is the square elsewhere.
func moved(by mgl64.Vec3) seen { return seen{2, square.area, square.lo.Add(by), square.hi.Add(by)} }

// feature is a feature of glTF 2.0 with what must be seen of it.
type feature struct {
	edit  func(f *file)
	want  seen
	warns string // what is left out
}

func checkFeatures(t *testing.T, all map[string]feature) {
	t.Helper()
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			f := newFile()
			c.edit(f)
			m := must.Get(load(f.text(t)))(t)
			got := seenIn(t, m)
			if got.triangles != c.want.triangles || !(got.area.Sub(c.want.area).Len() <= 1e-6) ||
				!(got.lo.Sub(c.want.lo).Len() <= 1e-6) || !(got.hi.Sub(c.want.hi).Len() <= 1e-6) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if warns := strings.Join(m.LeftOut, "; "); warns != c.warns {
				t.Errorf("leaves out %q, want %q", warns, c.warns)
			}
		})
	}
}

// reindex replaces the square's indices.
func reindex(mode, kind int, indices ...float64) func(f *file) {
	return func(f *file) {
		f.prim["mode"], f.prim["indices"] = mode, f.add(kind, "SCALAR", indices...)
	}
}

// Lists, strips and fans of triangles show the same square, with all types of indices; points and lines are left out.
func TestTopologies(t *testing.T) {
	checkFeatures(t, map[string]feature{
		"list":           {func(f *file) {}, square, ""},
		"list of shorts": {reindex(4, typeUshort, 0, 1, 2, 2, 1, 3), square, ""},
		"list of ints":   {reindex(4, typeUint, 0, 1, 2, 2, 1, 3), square, ""},
		"strip":          {reindex(5, typeUbyte, 0, 1, 2, 3), square, ""},
		"strip without indices": {func(f *file) {
			f.prim["mode"] = 5
			delete(f.prim, "indices")
		}, square, ""},
		// Two strips with a joint of triangles that have a vertex twice.
		"strip with a joint": {reindex(5, typeUbyte, 0, 1, 2, 2, 2, 1, 3), square, ""},
		"fan":                {reindex(6, typeUbyte, 0, 1, 3, 2), square, ""},
		"with normals": {func(f *file) {
			reindex(6, typeUbyte, 0, 1, 3, 2)(f)
			f.attribute["NORMAL"] = f.add(typeFloat, "VEC3", 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1)
		}, square, ""},
		"points and lines beside": {func(f *file) {
			var all []any
			for mode := range 4 {
				all = append(all, object{"attributes": f.attribute, "mode": mode})
			}
			f.mesh["name"] = "wire"
			f.mesh["primitives"] = append(all, f.prim, object{"attributes": object{}})
		}, square, `points and lines (mesh 0 "wire"); primitives without POSITION (mesh 0 "wire")`},
	})
}

// Nodes place meshes by a matrix or by translation, rotation and scale; a negative scale turns no triangle inside out.
func TestNodes(t *testing.T) {
	half := math.Sqrt(0.5)
	place := func(fields object) func(f *file) {
		return func(f *file) {
			for name, value := range fields {
				f.node[name] = value
			}
		}
	}
	mirrored := seen{2, mgl64.Vec3{0, 0, 2}, mgl64.Vec3{-2, 0, 0}, mgl64.Vec3{0, 1, 0}}
	normals := func(f *file) { f.attribute["NORMAL"] = f.add(typeFloat, "VEC3", 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1) }
	checkFeatures(t, map[string]feature{
		"matrix": {place(object{"matrix": []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1}}),
			moved(mgl64.Vec3{1, 2, 3}), ""},
		"translation, rotation and scale": {place(object{"translation": []float64{1, 0, 0}, "scale": []float64{2, 1,
			1}, "rotation": []float64{0, half, 0, half}}), // a quarter turn from z to x
			seen{2, mgl64.Vec3{2, 0, 0}, mgl64.Vec3{1, 0, -2}, mgl64.Vec3{1, 1, 0}}, ""},
		"negative scale": {place(object{"scale": []float64{-2, 1, 1}}), mirrored, ""},
		"negative scale with normals": {func(f *file) {
			place(object{"scale": []float64{-2, 1, 1}})(f)
			normals(f)
		}, mirrored, ""},
		"negative matrix": {place(object{"matrix": []float64{-2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}),
			mirrored, ""},
		"flattened": {func(f *file) {
			place(object{"scale": []float64{1, 1, 0}})(f)
			normals(f)
		}, square, ""},
		"child": {func(f *file) {
			f.object["nodes"] = []any{object{"translation": []float64{0, 1, 0}, "children": []int{1}}, f.node}
		}, moved(mgl64.Vec3{0, 1, 0}), ""},
		"second scene": {func(f *file) {
			f.object["nodes"] = []any{f.node, object{"mesh": 0, "translation": []float64{0, 1, 0}}}
			f.object["scenes"], f.object["scene"] = []any{object{"nodes": []int{0}}, object{"nodes": []int{1}}}, 1
		}, moved(mgl64.Vec3{0, 1, 0}), ""},
		"first scene": {func(f *file) {
			f.object["nodes"] = []any{f.node, object{"mesh": 0, "translation": []float64{0, 1, 0}}}
			f.object["scenes"] = []any{object{"nodes": []int{1}}, object{"nodes": []int{0}}}
		}, moved(mgl64.Vec3{0, 1, 0}), ""},
	})
}

// A plane that is stretched along one axis keeps normals that are perpendicular to it.
func TestNormalsStayPerpendicular(t *testing.T) {
	f := newFile()
	f.attribute["POSITION"] = f.add(typeFloat, "VEC3", 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1) // a slope of 45°
	n := -math.Sqrt(0.5)
	f.attribute["NORMAL"] = f.add(typeFloat, "VEC3", n, 0, -n, n, 0, -n, n, 0, -n, n, 0, -n)
	f.node["scale"] = []float64{3, 1, 1}
	m := must.Get(load(f.text(t)))(t)
	seenIn(t, m)
	want := mgl32.Vec3{3, -1, 0}.Normalize() // z, x, y
	if got := m.Meshes[0].Vertices[0].Normal; !(got.Sub(want).Len() <= 1e-6) {
		t.Errorf("normal %v, want %v", got, want)
	}
}

// Accessors may be sparse, interleaved, quantized, and in a .glb file; integers may be written as 4.0 or 0.4e1.
func TestAccessors(t *testing.T) {
	up := moved(mgl64.Vec3{0, 1, 0})
	ints := func(f *file) object { return f.accessors[f.attribute["POSITION"].(int)] }
	checkFeatures(t, map[string]feature{
		"sparse": {func(f *file) {
			ints(f)["sparse"] = object{"count": 4, "indices": object{"bufferView": f.view(typeUbyte, 0, 1, 2, 3),
				"componentType": typeUbyte}, "values": object{"bufferView": f.view(typeFloat, 0, 1, 0, 1, 1, 0, 0, 2, 0,
				1, 2, 0)}}
		}, up, ""},
		"interleaved": {func(f *file) {
			f.attribute["POSITION"] = f.add(typeFloat, "VEC3", 0, 1, 0, 7, 7, 7, 1, 1, 0, 7, 7, 7, 0, 2, 0, 7, 7, 7, 1,
				2, 0, 7, 7, 7)
			f.views[len(f.views)-1]["byteStride"] = 24
			ints(f)["count"] = 4
		}, up, ""},
		"quantized to bytes": {func(f *file) {
			f.object["extensionsRequired"] = []string{"KHR_mesh_quantization"}
			f.attribute["POSITION"] = f.add(typeByte, "VEC3", 0, -100, 0, 100, -100, 0, 0, 0, 0, 100, 0, 0)
			f.node["scale"] = []float64{0.01, 0.01, 0.01}
		}, moved(mgl64.Vec3{0, -1, 0}), ""},
		"quantized to fractions": {func(f *file) {
			f.object["extensionsUsed"] = []string{"KHR_mesh_quantization"}
			f.attribute["POSITION"] = f.add(typeShort, "VEC3", 0, -32767, 0, 32767, -32767, 0, 0, 0, 0, 32767, 0, 0)
			ints(f)["normalized"] = true
			f.attribute["NORMAL"] = f.add(typeByte, "VEC3", 0, 0, 127, 0, 0, 127, 0, 0, 127, 0, 0, 127)
			f.accessors[len(f.accessors)-1]["normalized"] = true
		}, moved(mgl64.Vec3{0, -1, 0}), ""},
		"integers with decimals": {func(f *file) {
			f.node["mesh"], f.prim["mode"] = json.Number("0.0"), json.Number("0.4e1")
			f.accessors[1]["count"], f.accessors[0]["componentType"] = json.Number("6e0"), json.Number("51260e-1")
			f.node["name"], f.node["extras"] = `4.0 \" 5.0`, object{"a": []any{json.Number("1.0"), `"`}}
		}, square, ""},
	})
	f := newFile()
	f.text(t)
	delete(f.object["buffers"].([]any)[0].(object), "uri")
	data := binaryOf(string(must.Get(json.Marshal(f.object))(t)))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(f.data)))
	must.Equal(t, seenIn(t, must.Get(load(string(append(append(data, "BIN\x00"...), f.data...))))(t)), square,
		"in a .glb file")
}

// Morph targets move positions and normals by the weights of the node, or else of the mesh.
func TestMorphTargets(t *testing.T) {
	morph := func(f *file) {
		f.prim["targets"] = []any{object{"POSITION": f.add(typeFloat, "VEC3", 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0)},
			object{"POSITION": f.add(typeFloat, "VEC3", 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0)}}
	}
	checkFeatures(t, map[string]feature{
		"no weights": {morph, square, ""},
		"of the mesh": {func(f *file) {
			morph(f)
			f.mesh["weights"] = []float64{1, 0.25}
		}, moved(mgl64.Vec3{0.5, 1, 0}), ""},
		"of the node": {func(f *file) {
			morph(f)
			f.mesh["weights"], f.node["weights"] = []float64{0, 0}, []float64{-1, 0}
		}, moved(mgl64.Vec3{0, -1, 0}), ""},
		"none at the node": {func(f *file) {
			morph(f)
			f.mesh["weights"], f.node["weights"] = []float64{1, 1}, []float64{0, 0}
		}, square, ""},
		"sparse, without data": {func(f *file) {
			f.accessors = append(f.accessors, object{"componentType": typeFloat, "type": "VEC3", "count": 4,
				"sparse": object{"count": 2, "indices": object{"bufferView": f.view(typeUshort, 2, 3),
					"componentType": typeUshort}, "values": object{"bufferView": f.view(typeFloat, 0, 1, 0, 0, 1, 0)}}})
			f.prim["targets"] = []any{object{"POSITION": len(f.accessors) - 1}}
			f.mesh["weights"] = []float64{1}
		}, seen{2, mgl64.Vec3{0, 0, 2}, mgl64.Vec3{}, mgl64.Vec3{1, 2, 0}}, ""},
		"with normals": {func(f *file) { // tilted until it faces x
			f.attribute["NORMAL"] = f.add(typeFloat, "VEC3", 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1)
			f.prim["targets"] = []any{object{"POSITION": f.add(typeFloat, "VEC3", 0, 0, 0, -1, 0, -1, 0, 0, 0, -1, 0,
				-1), "NORMAL": f.add(typeFloat, "VEC3", 1, 0, -1, 1, 0, -1, 1, 0, -1, 1, 0, -1)}}
			f.mesh["weights"] = []float64{1}
		}, seen{2, mgl64.Vec3{1, 0, 0}, mgl64.Vec3{0, 0, -1}, mgl64.Vec3{0, 1, 0}}, ""},
	})
}

// skinned binds the square to joints at nodes 1 and 2, by the given joints and weights of each vertex.
func skinned(f *file, joint []float64, kind int, weight []float64, inverse ...float64) {
	f.node["skin"], f.node["translation"], f.node["scale"] = 0, []float64{5, 5, 5}, []float64{3, 3, 3}
	f.object["nodes"] = []any{f.node, object{"translation": []float64{0, 1, 0}, "children": []int{2}},
		object{"translation": []float64{0, 2, 0}}}
	skin := object{"joints": []int{1, 2}}
	if inverse != nil {
		skin["inverseBindMatrices"] = f.add(typeFloat, "MAT4", inverse...)
	}
	f.object["skins"] = []any{skin}
	f.attribute["JOINTS_0"] = f.add(typeUbyte, "VEC4", slices.Repeat(joint, 4)...)
	f.attribute["WEIGHTS_0"] = f.add(kind, "VEC4", slices.Repeat(weight, 4)...)
}

// Skins place meshes by their joints alone, where the joints' nodes are.
func TestSkins(t *testing.T) {
	cm := []float64{0.01, 0, 0, 0, 0, 0.01, 0, 0, 0, 0, 0.01, 0, 0, 0, 0, 1}
	checkFeatures(t, map[string]feature{
		"one joint": {func(f *file) { skinned(f, []float64{0, 0, 0, 0}, typeFloat, []float64{1, 0, 0, 0}) },
			moved(mgl64.Vec3{0, 1, 0}), ""},
		"two joints": {func(f *file) { skinned(f, []float64{0, 1, 0, 0}, typeFloat, []float64{0.5, 0.5, 0, 0}) },
			moved(mgl64.Vec3{0, 2, 0}), ""},
		"weights in bytes": {func(f *file) { skinned(f, []float64{1, 0, 0, 0}, typeUbyte, []float64{51, 204, 0, 0}) },
			moved(mgl64.Vec3{0, 1.4, 0}), ""},
		"unused joint beyond": {func(f *file) {
			skinned(f, []float64{0, 9, 9, 9}, typeUshort, []float64{65535, 0, 0,
				0})
		}, moved(mgl64.Vec3{0, 1, 0}), ""},
		"bound in centimetres": {func(f *file) {
			skinned(f, []float64{0, 1, 0, 0}, typeFloat, []float64{1, 0, 0, 0}, append(cm, cm...)...)
			f.attribute["POSITION"] = f.add(typeFloat, "VEC3", 0, 0, 0, 100, 0, 0, 0, 100, 0, 100, 100, 0)
		}, moved(mgl64.Vec3{0, 1, 0}), ""},
		"eight joints": {func(f *file) {
			skinned(f, []float64{0, 0, 0, 0}, typeFloat, []float64{0.5, 0, 0, 0})
			f.attribute["JOINTS_1"] = f.add(typeUbyte, "VEC4", slices.Repeat([]float64{0, 1, 0, 0}, 4)...)
			f.attribute["WEIGHTS_1"] = f.add(typeFloat, "VEC4", slices.Repeat([]float64{0, 0.5, 0, 0}, 4)...)
		}, moved(mgl64.Vec3{0, 2, 0}), ""},
		"mirrored joint": {func(f *file) {
			skinned(f, []float64{0, 0, 0, 0}, typeFloat, []float64{1, 0, 0, 0})
			f.object["nodes"].([]any)[1] = object{"scale": []float64{-1, 1, 1}, "children": []int{2}}
		}, moved(mgl64.Vec3{-1, 0, 0}), ""},
	})
}
