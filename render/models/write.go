package models

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/png"
)

// Write returns a scene's bodies as a binary glTF file, without floor, room and light. The root node converts z up to y
// up. Below it is a node for each body at the body's pose, in the scene's order. The node of a moving body has "moving"
// in its extras: the number of moving bodies before it in this order.
//
// To reduce draw calls, the parts of a body with the same material are one primitive. Bodies with the same parts share
// primitives. The file does not contain Part.Name. The extras of a material hold properties that glTF lacks. For a
// ball, "pattern" is "soccer_ball", with "color2". For a net, "pattern" is "net", with "pitch_m" and "thread_m";
// TEXCOORD_0 is the position in the plane of the net, metres. For a metal, "color" is its colour in plain light.
// Colours are linear.
func Write(s *render.Scene, posesWB []spatial.Pose) ([]byte, error) {
	if len(posesWB) != len(s.Bodies) {
		return nil, fmt.Errorf("models: %d poses: the scene has %d bodies", len(posesWB), len(s.Bodies))
	}
	w := writer{scene: s, meshes: map[*render.Part]int{}}
	w.doc.Asset = asset{Version: "2.0", Generator: "omnipitch"}
	// x forward, y left and z up become z, x and y.
	turn := [4]float64{-0.5, -0.5, -0.5, 0.5}
	w.doc.Nodes = []*node{{Name: "world", Rotation: turn[:]}}
	w.doc.Scenes, w.doc.Scene = []*scene{{[]int{0}}}, new(int)
	for i := range s.Materials {
		if err := w.material(&s.Materials[i]); err != nil {
			return nil, err
		}
	}
	moving := 0
	for i := range s.Bodies {
		b, p := &s.Bodies[i], posesWB[i]
		n := &node{Name: b.Name, Translation: p.Pos[:], Rotation: []float64{p.Rot.V[0], p.Rot.V[1],
			p.Rot.V[2], p.Rot.W}}
		if len(b.Parts) > 0 {
			n.Mesh = w.mesh(b)
		}
		if !b.Static {
			n.Extras = &extras{map[string]int{"moving": moving}}
			moving++
		}
		w.doc.Nodes[0].Children = append(w.doc.Nodes[0].Children, len(w.doc.Nodes))
		w.doc.Nodes = append(w.doc.Nodes, n)
	}
	return w.file()
}

// writer accumulates a document and its data.
type writer struct {
	scene  *render.Scene
	doc    document
	bin    []byte
	meshes map[*render.Part]int // index of the mesh for each first part of a body; identical bodies use the same mesh
}

// mesh returns the index of the mesh of a body's parts.
func (w *writer) mesh(b *render.Body) *int {
	if i, ok := w.meshes[&b.Parts[0]]; ok {
		return &i
	}
	var order []int // the materials in the order of their first use
	joined := map[int]*render.Mesh{}
	for _, p := range b.Parts {
		m := joined[p.Material]
		if m == nil {
			m = &render.Mesh{}
			joined[p.Material], order = m, append(order, p.Material)
		}
		w.join(m, &p)
	}
	var out mesh
	for _, material := range order {
		out.Primitives = append(out.Primitives, w.primitive(joined[material], material))
	}
	i := len(w.doc.Meshes)
	w.doc.Meshes = append(w.doc.Meshes, &out)
	w.meshes[&b.Parts[0]] = i
	return &i
}

// join appends the triangles of a part to a mesh, in the body's frame.
func (w *writer) join(to *render.Mesh, p *render.Part) {
	m := &w.scene.Meshes[p.Mesh]
	pattern := w.scene.Materials[p.Material].Pattern
	first := uint32(len(to.Vertices))
	for i, v := range m.Vertices {
		switch {
		case pattern == render.Net:
			to.UV = append(to.UV, v.NetPlane())
		case pattern == render.Textured && m.UV != nil:
			to.UV = append(to.UV, m.UV[i])
		case pattern == render.VertexColors && m.Colors != nil:
			to.Colors = append(to.Colors, m.Colors[i])
		}
		v.Pos = spatial.Vec32(p.PoseBP.Apply(spatial.Vec64(v.Pos)))
		v.Normal = spatial.Vec32(p.PoseBP.Rotate(spatial.Vec64(v.Normal)))
		to.Vertices = append(to.Vertices, v)
	}
	for _, i := range m.Indices {
		to.Indices = append(to.Indices, first+i)
	}
}

func (w *writer) primitive(m *render.Mesh, material int) *primitive {
	p := &primitive{Material: &material, Attributes: attributes{}}
	lo, hi := []float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}, []float32{-math.MaxFloat32,
		-math.MaxFloat32, -math.MaxFloat32}
	start := len(w.bin)
	for _, v := range m.Vertices {
		for k, x := range v.Pos {
			lo[k], hi[k] = min(lo[k], x), max(hi[k], x)
			w.single(x)
		}
	}
	p.Attributes["POSITION"] = w.accessor(accessor{ComponentType: typeFloat, Type: "VEC3", Count: len(m.Vertices),
		Min: lo, Max: hi}, start, arrayBuffer)
	start = len(w.bin)
	for _, v := range m.Vertices {
		for _, x := range v.Normal {
			w.single(x)
		}
	}
	p.Attributes["NORMAL"] = w.accessor(accessor{ComponentType: typeFloat, Type: "VEC3", Count: len(m.Vertices)},
		start, arrayBuffer)
	if m.Colors != nil {
		start = len(w.bin)
		for _, c := range m.Colors {
			for _, x := range c {
				w.single(x)
			}
		}
		p.Attributes["COLOR_0"] = w.accessor(accessor{ComponentType: typeFloat, Type: "VEC3", Count: len(m.Vertices)},
			start, arrayBuffer)
	}
	if m.UV != nil {
		start = len(w.bin)
		for _, uv := range m.UV {
			w.single(uv[0])
			w.single(uv[1])
		}
		p.Attributes["TEXCOORD_0"] = w.accessor(accessor{ComponentType: typeFloat, Type: "VEC2", Count: len(m.Vertices)},
			start, arrayBuffer)
	}
	start = len(w.bin)
	kind := typeUshort
	if len(m.Vertices) > math.MaxUint16 {
		kind = typeUint
	}
	for _, i := range m.Indices {
		if kind == typeUshort {
			w.bin = binary.LittleEndian.AppendUint16(w.bin, uint16(i))
		} else {
			w.bin = binary.LittleEndian.AppendUint32(w.bin, i)
		}
	}
	p.Indices = new(w.accessor(accessor{ComponentType: kind, Type: "SCALAR", Count: len(m.Indices)}, start,
		elementBuffer))
	return p
}

func (w *writer) single(x float32) {
	w.bin = binary.LittleEndian.AppendUint32(w.bin, math.Float32bits(x))
}

// accessor adds an accessor for the data from the offset start to the end. It returns the accessor's index.
func (w *writer) accessor(a accessor, start, target int) int {
	a.BufferView = new(w.view(start, target))
	w.doc.Accessors = append(w.doc.Accessors, &a)
	return len(w.doc.Accessors) - 1
}

// view adds a buffer view of the data from the offset start to the end. It returns the view's index. It pads the data
// to a multiple of four bytes.
func (w *writer) view(start, target int) int {
	w.doc.BufferViews = append(w.doc.BufferViews, &bufferView{ByteOffset: start, ByteLength: len(w.bin) - start,
		Target: target})
	for len(w.bin)%4 != 0 {
		w.bin = append(w.bin, 0)
	}
	return len(w.doc.BufferViews) - 1
}

// file encodes the document and its data as chunks.
func (w *writer) file() ([]byte, error) {
	if len(w.bin) > 0 {
		w.doc.Buffers = []*buffer{{ByteLength: len(w.bin)}}
	}
	text, err := json.Marshal(&w.doc)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	text = append(text, bytes.Repeat([]byte(" "), (4-len(text)%4)%4)...)
	out := make([]byte, 0, 12+8+len(text)+8+len(w.bin))
	word := func(n int) { out = binary.LittleEndian.AppendUint32(out, uint32(n)) }
	out = append(out, "glTF"...)
	word(2)
	word(cap(out))
	word(len(text))
	out = append(append(out, "JSON"...), text...)
	word(len(w.bin))
	return append(append(out, "BIN\x00"...), w.bin...), nil
}

// materialExtras holds the properties of a material that glTF lacks. See Write.
type materialExtras struct {
	Pattern string      `json:"pattern,omitempty"`
	Color   *mgl32.Vec3 `json:"color,omitempty"`
	Color2  *mgl32.Vec3 `json:"color2,omitempty"`
	Pitch   float64     `json:"pitch_m,omitempty"`
	Thread  float64     `json:"thread_m,omitempty"`
}

// Purposes of data, with the values that OpenGL uses. 0 stands for any other purpose.
const (
	arrayBuffer   = 34962
	elementBuffer = 34963
)

// material adds a material.
func (w *writer) material(m *render.Material) error {
	rgba := func(c mgl32.Vec3, a float32) []single {
		return []single{single(c[0]), single(c[1]), single(c[2]), single(a)}
	}
	p := &pbr{BaseColorFactor: rgba(m.Color, 1), MetallicFactor: new(single),
		RoughnessFactor: new(single(float32(math.Sqrt(float64(m.Roughness)))))}
	out := &material{PBRMetallicRoughness: p}
	switch {
	case m.Metal:
		p.BaseColorFactor, *p.MetallicFactor = rgba(m.F0, 1), 1
		out.Extras = &extras{materialExtras{Color: &m.Color}}
	case m.Pattern == render.VertexColors:
		p.BaseColorFactor = rgba(mgl32.Vec3{1, 1, 1}, 1) // the vertices' colours include the material's
	case m.Pattern == render.SoccerBall:
		out.Extras = &extras{materialExtras{Pattern: "soccer_ball", Color2: &m.Color2}}
	case m.Pattern == render.Net:
		// For programs that do not know nets, the opacity is the fraction of the area that threads cover.
		const open = 1 - render.NetThread/render.NetPitch
		p.BaseColorFactor, out.AlphaMode = rgba(m.Color, 1-open*open), "BLEND"
		out.Extras = &extras{materialExtras{Pattern: "net", Pitch: render.NetPitch, Thread: render.NetThread}}
	case m.Pattern == render.Textured && m.Texture != nil:
		index, err := w.texture(m.Texture)
		if err != nil {
			return err
		}
		p.BaseColorFactor, p.BaseColorTexture = rgba(m.Color2, 1), &textureInfo{Index: index}
	}
	w.doc.Materials = append(w.doc.Materials, out)
	return nil
}

// texture adds an image.
func (w *writer) texture(t *render.Texture) (int, error) {
	im := t.Levels[0]
	var out bytes.Buffer
	err := new(png.Writer).Append(&out, png.Format{Width: im.Width, Height: im.Height, Channels: 3, Bits: 8},
		func(into []byte, y int) {
			copy(into, im.Pix[3*im.Width*y:3*im.Width*(y+1)])
		})
	if err != nil {
		return 0, err
	}
	start := len(w.bin)
	w.bin = append(w.bin, out.Bytes()...)
	kinds := map[render.Wrap]int{render.Repeat: wrapRepeat, render.ClampToEdge: wrapClamp,
		render.MirroredRepeat: wrapMirror}
	w.doc.Textures = append(w.doc.Textures, &texture{Sampler: new(len(w.doc.Samplers)), Source: new(len(w.doc.Images))})
	w.doc.Images = append(w.doc.Images, &picture{BufferView: new(w.view(start, 0)), MimeType: "image/png"})
	w.doc.Samplers = append(w.doc.Samplers, &sampler{WrapS: new(kinds[t.Wrap[0]]), WrapT: new(kinds[t.Wrap[1]])})
	return len(w.doc.Textures) - 1, nil
}
