package models

import (
	"bytes"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/png"
)

// documentJSON holds the parts of a glTF file that this package writes.
type documentJSON struct {
	Asset       assetJSON      `json:"asset"`
	Scene       int            `json:"scene"`
	Scenes      []sceneJSON    `json:"scenes"`
	Nodes       []nodeJSON     `json:"nodes"`
	Meshes      []meshJSON     `json:"meshes,omitempty"`
	Materials   []materialJSON `json:"materials,omitempty"`
	Textures    []textureJSON  `json:"textures,omitempty"`
	Images      []imageJSON    `json:"images,omitempty"`
	Samplers    []samplerJSON  `json:"samplers,omitempty"`
	Accessors   []accessorJSON `json:"accessors,omitempty"`
	BufferViews []viewJSON     `json:"bufferViews,omitempty"`
	Buffers     []bufferJSON   `json:"buffers,omitempty"`
}

type assetJSON struct {
	Version   string `json:"version"`
	Generator string `json:"generator"`
}

type sceneJSON struct {
	Nodes []int `json:"nodes"`
}

type nodeJSON struct {
	Name        string      `json:"name"`
	Children    []int       `json:"children,omitempty"`
	Mesh        *int        `json:"mesh,omitempty"`
	Translation *[3]float64 `json:"translation,omitempty"`
	Rotation    *[4]float64 `json:"rotation,omitempty"`
	Extras      *nodeExtras `json:"extras,omitempty"`
}

type nodeExtras struct {
	Moving int `json:"moving"`
}

type meshJSON struct {
	Primitives []primitiveJSON `json:"primitives"`
}

type primitiveJSON struct {
	Attributes struct {
		Position  int  `json:"POSITION"`
		Normal    int  `json:"NORMAL"`
		TexCoord0 *int `json:"TEXCOORD_0,omitempty"`
	} `json:"attributes"`
	Indices  int `json:"indices"`
	Material int `json:"material"`
}

type materialJSON struct {
	PBR    pbrJSON         `json:"pbrMetallicRoughness"`
	Alpha  string          `json:"alphaMode,omitempty"`
	Extras *materialExtras `json:"extras,omitempty"`
}

type pbrJSON struct {
	Color     [4]float32       `json:"baseColorFactor"`
	Texture   *textureInfoJSON `json:"baseColorTexture,omitempty"`
	Metal     float32          `json:"metallicFactor"`
	Roughness float32          `json:"roughnessFactor"`
}

type textureInfoJSON struct {
	Index int `json:"index"`
}

type materialExtras struct {
	Pattern string      `json:"pattern,omitempty"`
	Color   *mgl32.Vec3 `json:"color,omitempty"`
	Color2  *mgl32.Vec3 `json:"color2,omitempty"`
	Pitch   float64     `json:"pitch_m,omitempty"`
	Thread  float64     `json:"thread_m,omitempty"`
}

type textureJSON struct {
	Sampler int `json:"sampler"`
	Source  int `json:"source"`
}

type imageJSON struct {
	BufferView int    `json:"bufferView"`
	MimeType   string `json:"mimeType"`
}

type samplerJSON struct {
	WrapS int `json:"wrapS"`
	WrapT int `json:"wrapT"`
}

type accessorJSON struct {
	BufferView    int       `json:"bufferView"`
	ComponentType int       `json:"componentType"`
	Type          string    `json:"type"`
	Count         int       `json:"count"`
	Min           []float32 `json:"min,omitempty"`
	Max           []float32 `json:"max,omitempty"`
}

type viewJSON struct {
	Buffer     int `json:"buffer"`
	ByteOffset int `json:"byteOffset"`
	ByteLength int `json:"byteLength"`
	Target     int `json:"target,omitempty"`
}

type bufferJSON struct {
	ByteLength int `json:"byteLength"`
}

// Purposes of data, in OpenGL's numbers; 0 is any other purpose.
const (
	arrayBuffer   = 34962
	elementBuffer = 34963
)

// material adds a material.
func (w *writer) material(m *render.Material) error {
	rgba := func(c mgl32.Vec3, a float32) [4]float32 { return [4]float32{c[0], c[1], c[2], a} }
	out := materialJSON{PBR: pbrJSON{Color: rgba(m.Color, 1), Roughness: float32(math.Sqrt(float64(m.Roughness)))}}
	switch {
	case m.Metal:
		out.PBR.Color, out.PBR.Metal, out.Extras = rgba(m.F0, 1), 1, &materialExtras{Color: &m.Color}
	case m.Pattern == render.SoccerBall:
		out.Extras = &materialExtras{Pattern: "soccer_ball", Color2: &m.Color2}
	case m.Pattern == render.Net:
		// Programs that do not know nets show the fraction that threads cover.
		const open = 1 - render.NetThread/render.NetPitch
		out.PBR.Color, out.Alpha = rgba(m.Color, 1-open*open), "BLEND"
		out.Extras = &materialExtras{Pattern: "net", Pitch: render.NetPitch, Thread: render.NetThread}
	case m.Pattern == render.Textured && m.Texture != nil:
		index, err := w.texture(m.Texture)
		if err != nil {
			return err
		}
		out.PBR.Color, out.PBR.Texture = [4]float32{1, 1, 1, 1}, &textureInfoJSON{index}
	}
	w.doc.Materials = append(w.doc.Materials, out)
	return nil
}

// texture adds an image, which already includes the material's colour.
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
	kinds := map[render.Wrap]int{render.Repeat: 10497, render.ClampToEdge: 33071, render.MirroredRepeat: 33648}
	w.doc.Images = append(w.doc.Images, imageJSON{w.view(start, 0), "image/png"})
	w.doc.Samplers = append(w.doc.Samplers, samplerJSON{kinds[t.Wrap[0]], kinds[t.Wrap[1]]})
	w.doc.Textures = append(w.doc.Textures, textureJSON{len(w.doc.Samplers) - 1, len(w.doc.Images) - 1})
	return len(w.doc.Textures) - 1, nil
}
