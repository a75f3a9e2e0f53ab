package models

import (
	"fmt"
	"image"
	"slices"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// What breaks a rule of glTF 2.0 is refused by the name of the object and the rule.
func TestBrokenRulesAreRefused(t *testing.T) {
	set := func(into func(f *file) object, key string, value any) func(f *file) {
		return func(f *file) { into(f)[key] = value }
	}
	node, prim, mesh, root := func(f *file) object { return f.node }, func(f *file) object { return f.prim },
		func(f *file) object { return f.mesh }, func(f *file) object { return f.object }
	material := func(m object) func(f *file) { return func(f *file) { f.material(m) } }
	four := func(values ...float64) []float64 { return slices.Repeat(values, 4) }
	for name, c := range map[string]struct {
		edit func(f *file)
		want string
	}{
		"version 1":     {set(root, "asset", object{"version": "1.0"}), `asset.version = "1.0": must be 2.0`},
		"version later": {set(root, "asset", object{"version": "2.1", "minVersion": "2.1"}), `minVersion = "2.1"`},
		"scale of two":  {set(node, "scale", []float64{1, 1}), "node 0: scale has 2 numbers: must have 3"},
		"named node": {func(f *file) { f.node["name"], f.node["translation"] = "arm", []float64{1} },
			`node 0 "arm": translation has 1 numbers: must have 3`},
		"rotation of three": {set(node, "rotation", []float64{0, 0, 1}), "rotation has 3 numbers: must have 4"},
		"no unit quaternion": {set(node, "rotation", []float64{0, 0, 2, 2}),
			"rotation = [0 0 2 2]: must be a unit quaternion; its length is 2.828"},
		"no quaternion":    {set(node, "rotation", []float64{0, 0, 0, 0}), "must be a unit quaternion"},
		"matrix of twelve": {set(node, "matrix", make([]float64, 12)), "node 0: matrix has 12 numbers: must have 16"},
		"perspective": {set(node, "matrix", []float64{1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}),
			"matrix has the last row [1 0 0 1]: must be 0, 0, 0, 1"},
		"matrix and scale": {func(f *file) {
			f.node["matrix"] = []float64{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}
			f.node["scale"] = []float64{2, 2, 2}
		}, "has a matrix, and translation, rotation or scale"},
		"half an integer":     {set(node, "mesh", 0.5), "nodes.mesh: must not be a number 0.5"},
		"mode 7":              {set(prim, "mode", 7), "mode = 7: must lie in [0, 6]"},
		"points only":         {set(prim, "mode", 0), "has no triangles: leaves out points and lines (mesh 0)"},
		"four indices":        {reindex(4, typeUbyte, 0, 1, 2, 3), "4 indices of triangles: must be three a triangle"},
		"strip of two":        {reindex(5, typeUbyte, 0, 1), "2 indices of a strip or fan: must be at least three"},
		"primitive restart":   {reindex(5, typeUbyte, 0, 1, 2, 255, 1, 2, 3), "index 255: must be less"},
		"weights of others":   {set(mesh, "weights", []float64{1}), "1 weights: there are 0 morph targets"},
		"skin":                {set(node, "skin", 0), "skin 0: there are 0"},
		"base colour of rgb":  {material(object{"pbrMetallicRoughness": object{"baseColorFactor": []float64{1, 1, 1}}}), "material 0: baseColorFactor has 3 numbers: must have 4"},
		"emission of one":     {material(object{"emissiveFactor": []float64{1}}), "emissiveFactor has 1 numbers"},
		"alpha":               {material(object{"alphaMode": "CUT"}), `alphaMode = "CUT": must be OPAQUE, MASK or BLEND`},
		"required extensions": {set(root, "extensionsRequired", []string{"KHR_draco_mesh_compression"}), `requires the extension "KHR_draco_mesh_compression": must require none but`},
		"other images": {func(f *file) {
			f.textured(t, image.NewGray(image.Rect(0, 0, 1, 1)), object{}, object{})
			f.object["textures"] = []any{object{"extensions": object{"EXT_texture_webp": object{"source": 0}}}}
		}, `texture 0: has no image that is PNG or JPEG; its extensions: ["EXT_texture_webp"]`},
		"transform of one": {func(f *file) {
			f.textured(t, image.NewGray(image.Rect(0, 0, 1, 1)), object{"extensions": object{
				"KHR_texture_transform": object{"scale": []float64{1}}}}, object{})
		}, "material 0: KHR_texture_transform: scale has 1 numbers: must have 2"},
		"colours of others": {func(f *file) { f.attribute["COLOR_0"] = f.add(typeFloat, "VEC3", 1, 1, 1) },
			"COLOR_0 has 1 elements: there are 4 positions"},
		"target of others": {func(f *file) {
			f.prim["targets"] = []any{object{"POSITION": f.add(typeFloat, "VEC3", 1, 1, 1)}}
			f.mesh["weights"] = []float64{1}
		}, "target 0: POSITION has 1 elements: there are 4 positions"},
		"no weights of joints": {func(f *file) {
			skinned(f, four(0), typeFloat, four(0.25))
			delete(f.attribute, "WEIGHTS_0")
		}, "has no JOINTS_0 or no WEIGHTS_0: must have both for skin 0"},
		"weightless":     {func(f *file) { skinned(f, four(0), typeFloat, four(0)) }, "vertex 0: the weights of its joints sum to 0"},
		"negative joint": {func(f *file) { skinned(f, four(0), typeFloat, four(-1)) }, "weight -1 of a joint: must not be negative"},
		"joint beyond":   {func(f *file) { skinned(f, four(2), typeFloat, four(1)) }, "vertex 0: joint 2: its skin has 2"},
		"few matrices":   {func(f *file) { skinned(f, four(0), typeFloat, four(1), make([]float64, 16)...) }, "skin 0: 1 inverse bind matrices: there are 2 joints"},
		"joint elsewhere": {func(f *file) {
			skinned(f, four(0), typeFloat, four(1))
			f.object["scenes"] = []any{object{"nodes": []int{0}}}
		}, "skin 0: joint 1: must be a node of the scene"},
		"much to blend": {func(f *file) {
			target := object{"POSITION": f.add(typeFloat, "VEC3", make([]float64, 12)...)}
			f.prim["targets"] = slices.Repeat([]any{target}, 30_000)
			f.mesh["weights"] = slices.Repeat([]float64{1}, 30_000)
			f.object["nodes"] = slices.Repeat([]any{f.node}, 100)
		}, "has too many morph targets and joints"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFile()
			c.edit(f)
			must.Refuse(load(f.text(t)))(t, c.want, fmt.Sprintf("%s is taken", name))
		})
	}
}
