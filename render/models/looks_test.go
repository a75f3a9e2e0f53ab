package models

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// Materials decide which sides are visible and what is wholly transparent; what else is not shown is left out by name.
func TestMaterials(t *testing.T) {
	// beside hides or changes a second square, and keeps the first.
	beside := func(m object) func(f *file) {
		return func(f *file) {
			f.material(m)
			f.mesh["primitives"] = append(f.mesh["primitives"].([]any), object{"attributes": f.attribute,
				"indices": f.prim["indices"]})
		}
	}
	four := seen{4, mgl64.Vec3{0, 0, 2}, square.lo, square.hi}
	alpha := func(mode string, a float64) object {
		return object{"name": "glass", "alphaMode": mode, "pbrMetallicRoughness": object{"baseColorFactor": []float64{1,
			1, 1, a}}}
	}
	texture := object{"index": 0}
	checkFeatures(t, map[string]feature{
		"double sided":        {beside(object{"doubleSided": true}), seen{6, square.area, square.lo, square.hi}, ""},
		"opaque":              {beside(alpha("OPAQUE", 0)), four, ""},
		"masked":              {beside(alpha("MASK", 0.4)), square, ""},
		"above the mask":      {beside(alpha("MASK", 0.6)), four, ""},
		"wholly transparent":  {beside(alpha("BLEND", 0)), square, ""},
		"partly transparent":  {beside(alpha("BLEND", 0.5)), four, `transparency (material 0 "glass")`},
		"blended, but opaque": {beside(alpha("BLEND", 1)), four, ""},
		"lamp": {beside(object{"emissiveFactor": []float64{0, 1, 0}, "normalTexture": texture, "extras": 3,
			"occlusionTexture": texture}), four,
			"emission (material 0); normal textures (material 0); occlusion textures (material 0)"},
		"black lamp": {beside(object{"emissiveFactor": []float64{0, 0, 0}, "emissiveTexture": texture}), four, ""},
		"others": {func(f *file) {
			f.object["animations"], f.object["cameras"] = []any{object{"channels": []any{}}}, []any{object{}, object{}}
			f.object["extensionsUsed"] = []string{"KHR_materials_unlit", "KHR_texture_transform", "A", "B", "C"}
		}, square, "extensions (KHR_materials_unlit, A, B, …); animations (1); cameras (2)"},
	})
}

// The colours of vertices multiply that of the material: exactly, unless there is a texture or metal too.
func TestColoursOfVertices(t *testing.T) {
	matt := object{"baseColorFactor": []float64{0.5, 1, 1, 1}, "metallicFactor": 0}
	varied := []float64{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}
	paintWith := func(f *file, kind int, shape string, values ...float64) {
		f.attribute["COLOR_0"] = f.add(kind, shape, values...)
	}
	shown := func(f *file) (*Model, *render.Material, *render.Mesh) {
		m := must.Get(load(f.text(t)))(t)
		seenIn(t, m)
		return m, &m.Materials[m.Parts[0].Material], &m.Meshes[0]
	}
	for name, edit := range map[string]func(f *file){
		"floats": func(f *file) { paintWith(f, typeFloat, "VEC3", varied...) },
		"bytes with alpha": func(f *file) {
			paintWith(f, typeUbyte, "VEC4", 255, 0, 0, 9, 0, 255, 0, 9, 0, 0, 255, 9, 255, 255, 255, 9)
		},
		"shorts": func(f *file) {
			paintWith(f, typeUshort, "VEC3", 65535, 0, 0, 0, 65535, 0, 0, 0, 65535, 65535, 65535, 65535)
		},
		"beyond white": func(f *file) { paintWith(f, typeFloat, "VEC3", 7, -1, 0, 0, 1, 0, 0, 0, 1, 2, 1, 1) },
		"with normals": func(f *file) {
			paintWith(f, typeFloat, "VEC3", varied...)
			f.attribute["NORMAL"] = f.add(typeFloat, "VEC3", 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1)
		},
	} {
		f := newFile()
		f.material(object{"pbrMetallicRoughness": matt})
		edit(f)
		_, m, mesh := shown(f)
		if m.Pattern != render.VertexColors || len(mesh.Colors) != len(mesh.Vertices) {
			t.Fatalf("%s: material %+v, %d colours", name, m, len(mesh.Colors))
		}
		for i, v := range mesh.Vertices { // in a Group, y is to the right and z up
			want := map[[2]float32]mgl32.Vec3{{0, 0}: {0.5, 0, 0}, {1, 0}: {0, 1, 0}, {0, 1}: {0, 0, 1}, {1, 1}: {0.5,
				1, 1}}[[2]float32{v.Pos[1], v.Pos[2]}]
			must.Equal(t, mesh.Colors[i], want, "%s: vertex at %v", name, v.Pos)
		}
	}
	f := newFile()
	f.material(object{"pbrMetallicRoughness": matt})
	paintWith(f, typeFloat, "VEC3", slices.Repeat([]float64{0.5, 0.5, 0}, 4)...)
	if _, m, mesh := shown(f); m.Pattern != render.Plain || m.Color != (mgl32.Vec3{0.25, 0.5, 0}) ||
		mesh.Colors != nil {
		t.Errorf("all alike: %+v, %v", m, mesh.Colors)
	}
	f = newFile()
	paintWith(f, typeFloat, "VEC3", varied...)
	// Six corners: two of them red, and three green and blue.
	mean := mgl32.Vec3{0.8 / 3, 0.4, 0.4}
	if _, m, _ := shown(f); m.Pattern != render.VertexColors || !(m.Color.Sub(mean).Len() < 1e-6) {
		t.Errorf("without a material: %+v, want the default material, with the mean %v", m, mean)
	}
	const left = "differences between colours of vertices (material 0)"
	f = newFile()
	f.textured(t, paint(image.NewNRGBA(image.Rect(0, 0, 3, 2))), object{}, object{})
	paintWith(f, typeFloat, "VEC3", varied...)
	if model, m, mesh := shown(f); m.Pattern != render.Textured || !(m.Color2.Sub(mean.Mul(1.25)).Len() < 1e-6) ||
		mesh.Colors != nil || !slices.Equal(model.LeftOut, []string{left}) {
		t.Errorf("over a texture: %+v, left out %q", m, model.LeftOut)
	}
	f = newFile()
	f.material(object{})
	f.object["materials"].([]any)[0].(object)["pbrMetallicRoughness"] = object{"metallicFactor": 1}
	paintWith(f, typeFloat, "VEC3", slices.Repeat([]float64{0.5, 0.5, 0}, 4)...)
	if model, m, _ := shown(f); !m.Metal || m.F0 != (mgl32.Vec3{0.5, 0.5, 0}) || model.LeftOut != nil {
		t.Errorf("of metal: %+v, left out %q", m, model.LeftOut)
	}
}

// Texture coordinates come from the set that the material names, in all types, and may be transformed.
func TestTextureCoordinates(t *testing.T) {
	plain := map[[2]float32]mgl32.Vec2{{0, 0}: {0, 1}, {1, 0}: {1, 1}, {0, 1}: {0, 0}, {1, 1}: {1, 0}}
	transform := func(fields object) object {
		return object{"extensions": object{"KHR_texture_transform": fields}}
	}
	for name, c := range map[string]struct {
		info object
		edit func(f *file)
		at   func(uv mgl32.Vec2) mgl32.Vec2
	}{
		"set 0": {object{}, func(f *file) {}, nil},
		"set 2": {object{"texCoord": 2}, func(f *file) {
			f.attribute["TEXCOORD_2"] = f.attribute["TEXCOORD_0"]
			f.attribute["TEXCOORD_0"] = f.add(typeFloat, "VEC2", 9, 9, 9, 9, 9, 9, 9, 9)
		}, nil},
		"bytes": {object{}, func(f *file) {
			f.attribute["TEXCOORD_0"] = f.add(typeUbyte, "VEC2", 0, 255, 255, 255, 0, 0, 255, 0)
			f.accessors[len(f.accessors)-1]["normalized"] = true
		}, nil},
		"quantized": {object{}, func(f *file) {
			f.object["extensionsUsed"] = []string{"KHR_mesh_quantization"}
			f.attribute["TEXCOORD_0"] = f.add(typeUshort, "VEC2", 0, 5, 5, 5, 0, 0, 5, 0)
		}, func(uv mgl32.Vec2) mgl32.Vec2 { return uv.Mul(5) }},
		"morphed": {object{}, func(f *file) {
			f.prim["targets"] = []any{object{"TEXCOORD_0": f.add(typeFloat, "VEC2", 1, 0, 1, 0, 1, 0, 1, 0)}}
			f.mesh["weights"] = []float64{0.5}
		}, func(uv mgl32.Vec2) mgl32.Vec2 { return uv.Add(mgl32.Vec2{0.5, 0}) }},
		// The example of the extension's text: the lower left quarter, turned by 90°.
		"transformed": {transform(object{"offset": []float64{0, 1}, "rotation": math.Pi / 2, "scale": []float64{0.5,
			0.5}}), func(f *file) {}, func(uv mgl32.Vec2) mgl32.Vec2 { return mgl32.Vec2{uv[1] / 2, 1 - uv[0]/2} }},
		"transformed set": {transform(object{"texCoord": 1}), func(f *file) {
			f.attribute["TEXCOORD_1"] = f.attribute["TEXCOORD_0"]
			f.attribute["TEXCOORD_0"] = f.add(typeFloat, "VEC2", 9, 9, 9, 9, 9, 9, 9, 9)
		}, nil},
	} {
		f := newFile()
		f.textured(t, paint(image.NewNRGBA(image.Rect(0, 0, 3, 2))), c.info, object{})
		c.edit(f)
		m := must.Get(load(f.text(t)))(t)
		seenIn(t, m)
		for i, v := range m.Meshes[0].Vertices {
			want := plain[[2]float32{v.Pos[1], v.Pos[2]}]
			if c.at != nil {
				want = c.at(want)
			}
			if got := m.Meshes[0].UV[i]; !(got.Sub(want).Len() <= 1e-6) {
				t.Errorf("%s: vertex at %v shows %v, want %v", name, v.Pos, got, want)
			}
		}
	}
}

// An image is decoded and counted once, however many materials and files show it, and in whatever way.
func TestImagesCountOnce(t *testing.T) {
	im := paint(image.NewNRGBA(image.Rect(0, 0, 3, 2)))
	f := newFile()
	f.textured(t, im, object{}, object{})
	f.object["samplers"] = []any{object{"wrapS": wrapClamp, "magFilter": filterNearest}}
	f.object["textures"] = append(f.object["textures"].([]any), object{"source": 1, "sampler": 0})
	f.object["images"] = append(f.object["images"].([]any), object{"bufferView": len(f.views)})
	f.view(typeUbyte)
	f.data = append(f.data, encoded(t, im)...)
	f.views[len(f.views)-1]["byteLength"] = len(encoded(t, im))
	other := object{"baseColorTexture": object{"index": 1}, "baseColorFactor": []float64{1, 0.5, 0, 1},
		"metallicRoughnessTexture": object{"index": 0}, "metallicFactor": 0}
	f.object["materials"] = append(f.object["materials"].([]any), object{"pbrMetallicRoughness": other})
	f.mesh["primitives"] = []any{f.prim, object{"attributes": f.attribute, "indices": f.prim["indices"], "material": 1}}
	var l Library
	text := f.text(t)
	for scale := range 3 {
		model := must.Get(l.LoadFS(fsOf(text), "m.gltf", 1+float64(scale)))(t)
		a, b := model.Materials[0].Texture, model.Materials[1].Texture
		if l.pixels != 6 || a == b || &a.Levels[0].Pix[0] != &b.Levels[0].Pix[0] || b.Wrap[0] != render.ClampToEdge {
			t.Errorf("scale %d: %d pixels, want 6; textures %p and %p", scale+1, l.pixels, a, b)
		}
		must.Equal(t, model.LeftOut, []string{"the filter NEAREST, as of all textures (material 1)"}, "left out")
	}
}

// Images that are partly transparent are shown opaque, with a warning if their material would show it.
func TestTransparentImages(t *testing.T) {
	clear := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	clear.Set(1, 1, color.NRGBA{255, 0, 0, 100})
	for mode, c := range map[string]struct {
		im   image.Image
		want string
	}{
		"OPAQUE": {clear, ""}, "MASK": {clear, "transparency (material 0)"}, "BLEND": {clear,
			"transparency (material 0)"},
		"BLEND of an opaque image": {image.NewGray(image.Rect(0, 0, 3, 2)), ""},
	} {
		f := newFile()
		f.textured(t, c.im, object{}, object{"alphaMode": strings.Fields(mode)[0]})
		m := must.Get(load(f.text(t)))(t)
		must.Equal(t, strings.Join(m.LeftOut, "; "), c.want, "%s: left out", mode)
	}
}
