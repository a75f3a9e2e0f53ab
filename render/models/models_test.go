package models

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// poster is a square with an image: its corners, their texture coordinates, and two triangles.
func poster(im string) string {
	var data []byte
	for _, x := range []float32{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	data = append(data, 0, 1, 2, 0, 2, 3)
	return `{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
"meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
"materials": [{"pbrMetallicRoughness": {"metallicFactor": 0, "baseColorTexture": {"index": 0}}}],
"textures": [{"source": 0}],
"images": [` + im + `],
"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4}, {"bufferView": 1, "componentType": 5126, "type": "VEC2", "count": 4},
{"bufferView": 2, "componentType": 5121, "type": "SCALAR", "count": 6}],
"bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 32}, {"buffer": 0, "byteOffset": 80, "byteLength": 6}],
"buffers": [{"byteLength": 86, "uri": "data:;base64,` + base64.StdEncoding.EncodeToString(data) + `"}]}`
}

// inText is an inline image.
func inText(file []byte) string {
	return `{"mimeType": "image/png", "uri": "data:image/png;base64,` + base64.StdEncoding.EncodeToString(file) + `"}`
}

func encoded(t *testing.T, im image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, png.Encode(&out, im))
	return out.Bytes()
}

// colours are those of an image of 3 × 2 pixels.
var colours = []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {10, 20, 30, 255},
	{200, 100, 50, 255}, {255, 255, 255, 255}}

// paint fills an image with colours, and returns it.
func paint[T interface {
	image.Image
	Set(x, y int, c color.Color)
}](im T) T {
	for i, c := range colours {
		im.Set(i%3, i/3, c)
	}
	return im
}

func textureOf(t *testing.T, text string) *render.Texture {
	t.Helper()
	g := must.Get(load(text))(t)
	m := g.Materials[g.Parts[0].Material]
	if m.Pattern != render.Textured || m.Texture == nil || m.Color != product(m.Color2, m.Texture.Mean) {
		t.Fatalf("material %+v", m)
	}
	if uv := g.Meshes[0].UV; len(uv) != len(g.Meshes[0].Vertices) || uv[0] != (mgl32.Vec2{0, 1}) ||
		uv[2] != (mgl32.Vec2{1, 0}) {
		t.Fatalf("places %v", uv)
	}
	return m.Texture
}

// The texture has the colours of a PNG in every storage format, transparent or not.
func TestTexturesHaveTheColoursOfTheirFile(t *testing.T) {
	area := image.Rect(0, 0, 3, 2)
	var palette color.Palette
	for _, c := range colours {
		palette = append(palette, c)
	}
	clear := image.NewNRGBA(area)
	for i, c := range colours {
		clear.SetNRGBA(i%3, i/3, color.NRGBA{c.R, c.G, c.B, byte(40 * i)})
	}
	for name, im := range map[string]image.Image{
		"8 bits": paint(image.NewNRGBA(area)), "opaque": paint(image.NewRGBA(area)),
		"16 bits": paint(image.NewNRGBA64(area)), "palette": paint(image.NewPaletted(area, palette)),
		"transparent": clear,
	} {
		got := textureOf(t, poster(inText(encoded(t, im))))
		for i, c := range colours {
			if p := got.Levels[0].Pix[3*i:]; p[0] != c.R || p[1] != c.G || p[2] != c.B {
				t.Errorf("%s: pixel %d is %v, want %v", name, i, p[:3], c)
			}
		}
	}
	grey := paint(image.NewGray(area))
	if p := textureOf(t, poster(inText(encoded(t, grey)))).Levels[0].Pix; p[12] != grey.Pix[4] || p[13] != grey.Pix[4] {
		t.Errorf("grey %v, want %v", p, grey.Pix)
	}
	var file bytes.Buffer
	plain := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := range plain.Pix {
		plain.Pix[i] = [4]byte{90, 140, 60, 255}[i%4]
	}
	must.Do(t, jpeg.Encode(&file, plain, nil))
	if p := textureOf(t, poster(inText(file.Bytes()))).Levels[0].Pix; !(math.Abs(float64(p[0])-90) <= 3 &&
		math.Abs(float64(p[1])-140) <= 3 && math.Abs(float64(p[2])-60) <= 3) {
		t.Errorf("JPEG: %v", p[:3])
	}
}

// Images are read from the text, from a buffer, from a .glb file or from a file next to the model, and from nowhere
// else.
func TestTexturesAreFoundWhereTheyLie(t *testing.T) {
	file := encoded(t, paint(image.NewNRGBA(image.Rect(0, 0, 3, 2))))
	want := textureOf(t, poster(inText(file))).Levels[0].Pix
	check := func(where string, m *render.Texture) {
		t.Helper()
		must.Equal(t, m.Levels[0].Pix, want, "%s", where)
	}
	inBuffer := strings.NewReplacer(`"byteLength": 6}]`,
		fmt.Sprintf(`"byteLength": 6}, {"buffer": 1, "byteOffset": 2, "byteLength": %d}]`, len(file)),
		`"buffers": [`, fmt.Sprintf(`"buffers": [{"byteLength": 0}, {"byteLength": %d, "uri": "data:;base64,%s"}, `,
			len(file)+2, base64.StdEncoding.EncodeToString(append([]byte{7, 7}, file...))),
		`"buffer": 0`, `"buffer": 2`).Replace(poster(`{"bufferView": 3, "mimeType": "image/png"}`))
	check("in a buffer", textureOf(t, inBuffer))
	check("in a .glb file", textureOf(t, string(binaryOf(poster(inText(file))))))

	dir := t.TempDir()
	model := filepath.Join(dir, "m.gltf")
	write := func(name string, data []byte) {
		t.Helper()
		must.Do(t, os.WriteFile(name, data, 0o644))
	}
	write(model, []byte(poster(`{"uri": "a%20poster.png"}`)))
	must.Refuse(new(Library).Load(model, 1))(t, `material 0: image 0: "a%20poster.png": no such file`,
		"without its image")
	write(filepath.Join(dir, "a poster.png"), file)
	g := must.Get(new(Library).Load(model, 1))(t)
	check("beside", g.Materials[0].Texture)
	if read, err := Files(nil, model); err != nil || len(read) != 2 || !bytes.Equal(read["a poster.png"], file) {
		t.Errorf("files of the model: %d, %v", len(read), err)
	}
}

// Factors tint, samplers determine wrapping, and metals have only the mean colour.
func TestTexturesObeyTheirMaterial(t *testing.T) {
	file := inText(encoded(t, paint(image.NewNRGBA(image.Rect(0, 0, 3, 2)))))
	whole := textureOf(t, poster(file))
	tinted := must.Get(load(strings.Replace(poster(file), `"metallicFactor": 0`,
		`"metallicFactor": 0, "baseColorFactor": [0.5, 1, 0.25, 1]`, 1)))(t).Materials[0]
	if want := (mgl32.Vec3{0.5, 1, 0.25}); tinted.Color2 != want || tinted.Color != product(want, whole.Mean) {
		t.Errorf("tinted: %+v, want the colour %v and the mean %v of it", tinted, want, product(want, whole.Mean))
	}
	wrapped := textureOf(t, strings.Replace(poster(file), `{"source": 0}`,
		`{"source": 0, "sampler": 0}], "samplers": [{"wrapS": 33071, "wrapT": 33648}`, 1))
	if whole.Wrap != [2]render.Wrap{} || wrapped.Wrap != [2]render.Wrap{render.ClampToEdge, render.MirroredRepeat} {
		t.Errorf("wraps %v and %v", whole.Wrap, wrapped.Wrap)
	}
	g := must.Get(load(strings.Replace(poster(file), `"metallicFactor": 0`, `"metallicFactor": 1`, 1)))(t)
	if m := g.Materials[0]; m.Pattern != render.Plain || m.Texture != nil || !m.Metal || m.F0 != whole.Mean {
		t.Errorf("metal: %+v", m)
	}
	// Green is roughness, blue is metal: here 0.5 and none.
	rough := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i := range rough.Pix {
		rough.Pix[i] = [4]byte{255, 128, 0, 255}[i%4]
	}
	g = must.Get(load(strings.NewReplacer(`"metallicFactor": 0`, `"metallicRoughnessTexture": {"index": 1}`,
		`{"source": 0}`, `{"source": 0}, {"source": 1}`,
		`"images": [`, `"images": [`+file+`, `).Replace(poster(inText(encoded(t, rough))))))(t)
	if m := g.Materials[0]; m.Metal || !(math.Abs(float64(m.Roughness)-math.Pow(128.0/255, 2)) < 1e-6) {
		t.Errorf("with a metallic-roughness texture: %+v", m)
	}
}

// Invalid textures are refused with a rule, before their pixels are allocated.
func TestBadTexturesAreRefused(t *testing.T) {
	file := encoded(t, paint(image.NewNRGBA(image.Rect(0, 0, 3, 2))))
	good := poster(inText(file))
	edited := func(old, new string) string {
		if !strings.Contains(good, old) {
			panic("no " + old)
		}
		return strings.Replace(good, old, new, 1)
	}
	// sized is the file with another size in its header.
	sized := func(w, h uint32) []byte {
		big := bytes.Clone(file)
		binary.BigEndian.PutUint32(big[16:], w)
		binary.BigEndian.PutUint32(big[20:], h)
		binary.BigEndian.PutUint32(big[29:], crc32.ChecksumIEEE(big[12:29]))
		return big
	}
	nan := base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint32(make([]byte, 28),
		math.Float32bits(float32(math.NaN()))))
	for name, c := range map[string]struct{ text, want string }{
		"no image file": {poster(inText([]byte("hello"))), "material 0: image 0: is neither PNG nor JPEG"},
		"half an image": {poster(inText(file[:len(file)-30])), "material 0: image 0: "},
		"too many pixels": {poster(inText(sized(4096, 4096))), "image 0: has 4096 × 4096 pixels: the textures " +
			"of a world have at most 4194304 in all"},
		"too long a side": {poster(inText(sized(1<<20, 2))), "image 0: has 1048576 × 2 pixels: sides must lie " +
			"in [1, 8192]"},
		"neither":  {poster("{}"), "image 0: has neither a URI nor a buffer view"},
		"no image": {edited(`{"source": 0}`, `{}`), "texture 0: has no image that is PNG or JPEG"},
		"image":    {edited(`{"source": 0}`, `{"source": 3}`), "image 3: there are 1"},
		"texture":  {edited(`"index": 0`, `"index": -2`), "texture -2: there are 1"},
		"sampler":  {edited(`{"source": 0}`, `{"source": 0, "sampler": 0}`), "sampler 0: there are 0"},
		"wrap": {edited(`{"source": 0}`, `{"source": 0, "sampler": 0}], "samplers": [{"wrapS": 7}`),
			"sampler 0: wraps by 7: must be 33071, 33648 or 10497"},
		"view":         {poster(`{"bufferView": 9}`), "image 0: buffer view 9: there are 3"},
		"outside":      {poster(`{"uri": "../poster.png"}`), "must lie in the model's folder or below it"},
		"from the net": {poster(`{"uri": "http://localhost/poster.png"}`), "must be the name of a file"},
		"no places": {edited(`, "TEXCOORD_0": 1`, ""), "has no TEXCOORD_0, by which material 0 places " +
			"its texture"},
		"places of another set": {edited(`{"index": 0}`, `{"index": 0, "texCoord": 1}`), "has no TEXCOORD_1"},
		"places of a third set": {edited(`{"index": 0}`, `{"index": 0, "texCoord": 2}`), "has no TEXCOORD_2"},
		"places of three": {edited(`"TEXCOORD_0": 1`, `"TEXCOORD_0": 0`),
			`type = "VEC3", componentType = 5126: must be VEC2`},
		"fewer places": {edited(`"type": "VEC2", "count": 4`, `"type": "VEC2", "count": 3`),
			"TEXCOORD_0 has 3 elements: there are 4 positions"},
		"a place far away": {strings.NewReplacer(`"buffer": 0, "byteOffset": 48`, `"buffer": 0`, `"buffer": 0`,
			`"buffer": 1`, `"buffers": [`, `"buffers": [{"byteLength": 32, "uri": "data:;base64,`+nan+`"}, `).Replace(
			good), "place 3 in the texture is [0 NaN]: must lie within ±1000"},
	} {
		t.Run(name, func(t *testing.T) {
			allocs.AtMost(t, 8<<20, func() {
				must.Refuse(load(c.text))(t, c.want)
			})
		})
	}
}

// The largest image that fits takes what a loader may take; two different ones are too many for one world.
func TestTexturesTakeWhatTheirTextMayTake(t *testing.T) {
	large := encoded(t, image.NewNRGBA(image.Rect(0, 0, 2048, 2048)))
	texts := map[string]string{"a.gltf": poster(inText(large)), "alike.gltf": poster(inText(large)) + " "}
	texts["other.gltf"] = poster(inText(encoded(t, image.NewGray(image.Rect(0, 0, 2048, 2048)))))
	allocs.AtMost(t, allocs.ParseLimit, func() {
		if _, err := load(texts["a.gltf"]); err != nil {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	var l Library
	for i, name := range []string{"a.gltf", "a.gltf", "alike.gltf", "other.gltf"} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(texts[name]), 0o644))
		_, err := l.Load(path, 1+float64(i))
		if (err != nil) != (i == 3) || err != nil && !strings.Contains(err.Error(), "4194304 in all") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

const bench = "../../worlds/props/bench.gltf"

// The bench's seat is 2.4 m wide along y, 0.36 m deep along x and 0.455 m high; its back is behind it.
func TestABenchStandsUpright(t *testing.T) {
	g := must.Get(new(Library).Load(bench, 1))(t)
	box := func(name string) (lo, hi mgl32.Vec3) {
		lo, hi = mgl32.Vec3{9, 9, 9}, mgl32.Vec3{-9, -9, -9}
		for _, p := range g.Parts {
			if p.Name != name {
				continue
			}
			for _, v := range g.Meshes[p.Mesh].Vertices {
				for i := range lo {
					lo[i], hi[i] = min(lo[i], v.Pos[i]), max(hi[i], v.Pos[i])
				}
			}
		}
		return lo, hi
	}
	for _, c := range []struct {
		name   string
		lo, hi mgl32.Vec3
	}{
		{"seat", mgl32.Vec3{-0.18, -1.2, 0.405}, mgl32.Vec3{0.18, 1.2, 0.455}},
		{"back", mgl32.Vec3{-0.205, -1.2, 0.61}, mgl32.Vec3{-0.175, 1.2, 0.83}},
	} {
		if lo, hi := box(c.name); !(lo.Sub(c.lo).Len() <= 1e-5) || !(hi.Sub(c.hi).Len() <= 1e-5) {
			t.Errorf("%s from %v to %v, want %v to %v", c.name, lo, hi, c.lo, c.hi)
		}
	}
	must.Equal(t, g.Materials[g.Parts[0].Material].Color, (mgl32.Vec3{0.45, 0.23, 0.09}), "the seat's colour")
	// Closed and oriented outwards: the volume by the divergence theorem equals that of the boxes.
	volume := 0.0
	for _, p := range g.Parts {
		m := g.Meshes[p.Mesh]
		for i := 0; i < len(m.Indices); i += 3 {
			a, b, c := m.Vertices[m.Indices[i]].Pos, m.Vertices[m.Indices[i+1]].Pos, m.Vertices[m.Indices[i+2]].Pos
			volume += float64(a.Dot(b.Cross(c))) / 6
			if n := b.Sub(a).Cross(c.Sub(a)); !(n.Dot(m.Vertices[m.Indices[i]].Normal) > 0) {
				t.Fatal("a normal looks inwards")
			}
		}
	}
	want := 2.4*0.05*0.36 + 2.4*0.22*0.03 + 2*0.05*0.05*(0.41+0.82) + 0.4*0.3*0.3 + 0.07*0.18*0.07
	if !scalar.EqualWithinAbs(volume, want, 1e-5) {
		t.Errorf("volume %v m³, want %v", volume, want)
	}
}
