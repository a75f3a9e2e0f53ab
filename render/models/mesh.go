package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // for image.Decode
	_ "image/png"
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Limits of textures. Decoding takes about 12 bytes per pixel, and up to 24 for a progressive JPEG or for 16 bits per
// colour. After that, a texture takes 4 bytes per pixel, and 4 more in each renderer.
const (
	maxPixels = 4 << 20 // total of all textures of one world
	maxSide   = 8192
)

// texture is an image with the way in which it continues beyond its border.
type texture struct {
	Sampler *int `json:"sampler,omitempty"`
	Source  *int `json:"source,omitempty"`
}

// picture is the location of an image.
type picture struct {
	URI        *uri   `json:"uri,omitempty"`
	BufferView *int   `json:"bufferView,omitempty"`
	MimeType   string `json:"mimeType,omitempty"`
}

type sampler struct {
	WrapS *int `json:"wrapS,omitempty"`
	WrapT *int `json:"wrapT,omitempty"`
}

// Kinds of wrapping, with the values that OpenGL uses.
const wrapClamp, wrapMirror, wrapRepeat = 33071, 33648, 10497

// textureInfo is a material's reference to a texture.
type textureInfo struct {
	Index    int `json:"index"`
	TexCoord int `json:"texCoord,omitempty"` // 0 or 1
}

// attributes are the accessors of a primitive.
type attributes struct {
	Position  *int `json:"POSITION,omitempty"`
	Normal    *int `json:"NORMAL,omitempty"`
	TexCoord0 *int `json:"TEXCOORD_0,omitempty"`
	TexCoord1 *int `json:"TEXCOORD_1,omitempty"`
}

// bytes returns the content of an image's file.
func (s *store) bytes(p *picture) ([]byte, error) {
	switch {
	case p.URI == nil && p.BufferView == nil:
		return nil, errors.New("has neither a URI nor a buffer view")
	case p.URI == nil:
		data, _, err := s.view(*p.BufferView)
		return data, err
	case p.URI.data != nil:
		return p.URI.data, nil
	}
	data, err := s.file(p.URI.file)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", p.URI.file, err)
	}
	return data, nil
}

// image decodes the image of a texture. It does not cache the image.
func (b *builder) image(info *textureInfo) (*texture, *render.Image, error) {
	t, err := at(b.doc.Textures, info.Index, "texture")
	if err != nil {
		return nil, nil, err
	}
	if t.Source == nil {
		return nil, nil, fmt.Errorf("texture %d: has no image that is PNG or JPEG", info.Index)
	}
	p, err := at(b.doc.Images, *t.Source, "image")
	if err != nil {
		return nil, nil, err
	}
	im, err := b.decode(p)
	if err != nil {
		return nil, nil, fmt.Errorf("image %d: %w", *t.Source, err)
	}
	return t, im, nil
}

func (b *builder) decode(p *picture) (*render.Image, error) {
	data, err := b.store.bytes(p)
	if err != nil {
		return nil, err
	}
	c, kind, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("is neither PNG nor JPEG: %w", err)
	case kind != "png" && kind != "jpeg": // other packages may register more formats
		return nil, fmt.Errorf("is %s: must be PNG or JPEG", kind)
	case c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide:
		return nil, fmt.Errorf("has %d × %d pixels: sides must lie in [1, %d]", c.Width, c.Height, maxSide)
	}
	if b.store.pixels -= c.Width * c.Height; b.store.pixels < 0 {
		return nil, fmt.Errorf("has %d × %d pixels: the textures of a world's models have at most %d in all", c.Width,
			c.Height, maxPixels)
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return opaque(decoded), nil
}

// opaque returns an image without transparency, with the colours of the file.
func opaque(from image.Image) *render.Image {
	bounds := from.Bounds()
	to := render.NewImage(bounds.Dx(), bounds.Dy())
	row := image.NewRGBA(image.Rect(0, 0, bounds.Dx(), 1))
	for y := range to.Height {
		pix := to.Pix[3*y*to.Width:]
		switch from := from.(type) {
		case *image.NRGBA:
			for x, p := 0, from.Pix[y*from.Stride:]; x < to.Width; x++ {
				copy(pix[3*x:3*x+3], p[4*x:])
			}
		case *image.NRGBA64:
			for x, p := 0, from.Pix[y*from.Stride:]; x < to.Width; x++ {
				pix[3*x], pix[3*x+1], pix[3*x+2] = p[8*x], p[8*x+2], p[8*x+4]
			}
		case *image.Paletted:
			for x := range to.Width {
				c := color.NRGBAModel.Convert(from.Palette[from.Pix[y*from.Stride+x]]).(color.NRGBA)
				pix[3*x], pix[3*x+1], pix[3*x+2] = c.R, c.G, c.B
			}
		default: // image types without transparency
			draw.Draw(row, row.Rect, from, bounds.Min.Add(image.Pt(0, y)), draw.Src)
			for x := range to.Width {
				copy(pix[3*x:3*x+3], row.Pix[4*x:])
			}
		}
	}
	return to
}

// wraps returns how a texture continues beyond its border, horizontally and vertically.
func (b *builder) wraps(t *texture) (wrap [2]render.Wrap, err error) {
	if t.Sampler == nil {
		return wrap, nil
	}
	s, err := at(b.doc.Samplers, *t.Sampler, "sampler")
	if err != nil {
		return wrap, err
	}
	for i, kind := range [2]int{or(s.WrapS, wrapRepeat), or(s.WrapT, wrapRepeat)} {
		switch kind {
		case wrapRepeat:
		case wrapClamp:
			wrap[i] = render.ClampToEdge
		case wrapMirror:
			wrap[i] = render.MirroredRepeat
		default:
			return wrap, fmt.Errorf("sampler %d: wraps by %d: must be %d, %d or %d", *t.Sampler, kind, wrapClamp,
				wrapMirror, wrapRepeat)
		}
	}
	return wrap, nil
}

// bear loads the textures of a material. It replaces metal and roughness textures, and the colours of a metal, by their
// means.
func (b *builder) bear(m *material) error {
	p := m.PBRMetallicRoughness
	if p == nil {
		return nil
	}
	if p.MetallicRoughnessTexture != nil {
		_, im, err := b.image(p.MetallicRoughnessTexture)
		if err != nil {
			return err
		}
		var sum [3]float64
		for i, v := range im.Pix {
			sum[i%3] += float64(v) / 255
		}
		n := float64(im.Width * im.Height)
		rough := single(float64(or(p.RoughnessFactor, 1)) * sum[1] / n)
		metal := single(float64(or(p.MetallicFactor, 1)) * sum[2] / n)
		p.RoughnessFactor, p.MetallicFactor = &rough, &metal
	}
	if p.BaseColorTexture == nil {
		return nil
	}
	t, im, err := b.image(p.BaseColorTexture)
	if err != nil {
		return err
	}
	wrap, err := b.wraps(t)
	if err != nil {
		return err
	}
	m.texture = render.NewTexture(im, m.render().Color, wrap)
	return nil
}

// mesh returns the mesh of a part, with transformed points and normals. If there are no normals, each triangle gets its
// own corners and its own normal.
func (p *part) mesh() (render.Mesh, error) {
	n := p.size()
	m := render.Mesh{Vertices: make([]render.Vertex, 0, n.vertices), Indices: make([]uint32, 0, 3*n.triangles)}
	if p.places != nil {
		m.UV = make([]mgl32.Vec2, 0, n.vertices)
	}
	mirrored := p.atW.Det() < 0 // a mirroring transformation turns triangles inside out
	var err error
	if p.normals != nil {
		err = p.shared(&m)
	} else {
		err = p.apart(&m, mirrored)
	}
	if err != nil {
		return m, err
	}
	if mirrored {
		for t := 0; t < len(m.Indices); t += 3 {
			m.Indices[t+1], m.Indices[t+2] = m.Indices[t+2], m.Indices[t+1]
		}
	}
	if p.both {
		addBacks(&m)
	}
	return m, nil
}

// shared adds the vertices as in the file. Triangles share them.
func (p *part) shared(m *render.Mesh) error {
	turn := p.atW.Mat3().Inv().Transpose()
	for i := range p.positions.count {
		pos, err := p.position(i)
		if err != nil {
			return err
		}
		n := p.normals.vector(i)
		if l := n.Len(); math.IsNaN(l) || math.IsInf(l, 0) {
			return fmt.Errorf("normal %d is %v: must be finite", i, n)
		}
		m.Vertices = append(m.Vertices, render.Vertex{Pos: spatial.Vec32(pos),
			Normal: spatial.Vec32(unit(turn.Mul3x1(n)))})
		if err := p.addPlace(m, i); err != nil {
			return err
		}
	}
	for i := range p.corners {
		index, err := p.index(i)
		if err != nil {
			return err
		}
		m.Indices = append(m.Indices, uint32(index))
	}
	return nil
}

// apart adds three vertices per triangle, so that triangles share no vertices.
func (p *part) apart(m *render.Mesh, mirrored bool) error {
	for t := 0; t < p.corners; t += 3 {
		var corners [3]mgl64.Vec3
		for k := range corners {
			index, err := p.index(t + k)
			if err != nil {
				return err
			}
			if corners[k], err = p.position(index); err != nil {
				return err
			}
			if err := p.addPlace(m, index); err != nil {
				return err
			}
		}
		n := unit(corners[1].Sub(corners[0]).Cross(corners[2].Sub(corners[0])))
		if mirrored {
			n = n.Mul(-1)
		}
		for _, pos := range corners {
			m.Indices = append(m.Indices, uint32(len(m.Vertices)))
			m.Vertices = append(m.Vertices, render.Vertex{Pos: spatial.Vec32(pos), Normal: spatial.Vec32(n)})
		}
	}
	return nil
}

// index returns the index of the position of a corner.
func (p *part) index(corner int) (int, error) {
	if p.indices == nil {
		return corner, nil
	}
	index := p.indices.integer(corner)
	if int64(index) >= int64(p.positions.count) {
		return 0, fmt.Errorf("index %d: there are %d positions", index, p.positions.count)
	}
	return int(index), nil
}

// position returns a position in the group's frame.
func (p *part) position(i int) (mgl64.Vec3, error) {
	pos := mgl64.TransformCoordinate(p.positions.vector(i), p.atW)
	if !(pos.Len() < 1000) { // also false for NaN
		return pos, fmt.Errorf("position %d is at %.4g: must be within a kilometre", i, pos)
	}
	return pos, nil
}

// addPlace adds the texture coordinates of a vertex.
func (p *part) addPlace(m *render.Mesh, i int) error {
	const farthest = 1000 // a larger float32 cannot distinguish neighbouring texels
	if p.places == nil {
		return nil
	}
	at := p.places.place(i)
	if !(math.Abs(at[0]) <= farthest && math.Abs(at[1]) <= farthest) { // also false for NaN
		return fmt.Errorf("place %d in the texture is %.4g: must lie within ±%d", i, at, farthest)
	}
	m.UV = append(m.UV, mgl32.Vec2{float32(at[0]), float32(at[1])})
	return nil
}

// addBacks adds, for each triangle, a triangle with the same corners and the opposite orientation.
func addBacks(m *render.Mesh) {
	n := uint32(len(m.Vertices))
	for _, v := range m.Vertices[:n] {
		v.Normal = v.Normal.Mul(-1)
		m.Vertices = append(m.Vertices, v)
	}
	m.UV = append(m.UV, m.UV...)
	for t, end := 0, len(m.Indices); t < end; t += 3 {
		m.Indices = append(m.Indices, n+m.Indices[t], n+m.Indices[t+2], n+m.Indices[t+1])
	}
}

// material holds the parts of a glTF material that this package reads.
type material struct {
	DoubleSided          bool            `json:"doubleSided,omitempty"`
	PBRMetallicRoughness *pbr            `json:"pbrMetallicRoughness,omitempty"`
	AlphaMode            string          `json:"alphaMode,omitempty"`
	Extras               *extras         `json:"extras,omitempty"`
	texture              *render.Texture // nil if absent or not read yet
}

type pbr struct {
	BaseColorFactor          *[4]single   `json:"baseColorFactor,omitempty"`
	BaseColorTexture         *textureInfo `json:"baseColorTexture,omitempty"`
	MetallicFactor           *single      `json:"metallicFactor,omitempty"`
	RoughnessFactor          *single      `json:"roughnessFactor,omitempty"`
	MetallicRoughnessTexture *textureInfo `json:"metallicRoughnessTexture,omitempty"`
}

// single is a number that is written in single precision.
type single float64

func (s single) MarshalJSON() ([]byte, error) { return json.Marshal(float32(s)) }

// render converts metal and roughness to gloss and the exponent of the highlight. The exponent is 2/α² − 2, where α is
// the square of the roughness (Karis, "Specular BRDF reference", 2013). The source of the other conversions is the glTF
// 2.0 specification, appendix B.
func (m *material) render() render.Material {
	out := render.Material{Color: mgl32.Vec3{0.8, 0.8, 0.8}, Gloss: 0.02, Shininess: 10, F0: mgl32.Vec3{0.04, 0.04,
		0.04}, Roughness: 1}
	if p := m.PBRMetallicRoughness; p != nil {
		c := or(p.BaseColorFactor, [4]single{1, 1, 1, 1})
		for i := range out.Color {
			out.Color[i] = float32(mgl64.Clamp(float64(c[i]), 0, 1))
		}
		if m.texture != nil {
			out.Color = m.texture.Mean
		}
		roughness := float64(or(p.RoughnessFactor, 1))
		rough := mgl64.Clamp(roughness, 0.1, 1)
		out.Shininess = float32(mgl64.Clamp(2/math.Pow(rough, 4)-2, 2, 250))
		metal := mgl64.Clamp(float64(or(p.MetallicFactor, 1)), 0, 1)
		out.Gloss = float32(0.02 + 0.7*metal*(1-rough))
		out.Roughness = float32(math.Pow(mgl64.Clamp(roughness, 0, 1), 2))
		if metal > 0.5 { // renderers treat a surface either as metal or as not metal
			out.F0, out.Metal = out.Color, true
		} else if m.texture != nil {
			out.Pattern, out.Texture = render.Textured, m.texture
		}
	}
	return out
}

// or returns *p. If p is nil, it returns its second argument.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
