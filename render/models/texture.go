package models

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // for image.Decode
	_ "image/png"

	"github.com/omnipitch/omnipitch/render"
)

// Limits of textures. Decoding takes some 12 bytes per pixel, and up to 24 for a progressive JPEG or 16 bits per
// colour. Afterwards a texture takes 4, and as many in a renderer.
const (
	maxPixels = 4 << 20 // of all textures of one world
	maxSide   = 8192
)

// texture is an image and its wrapping beyond the border.
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

// Kinds of wrapping, in OpenGL's numbers.
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

// image decodes a texture's image; it does not cache it.
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

// opaque returns an image without transparency, with its colours as in the file.
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

// bear adds the textures of a material to it. Metal and roughness textures, and a metal's colours, are replaced by
// their means.
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
		rough, metal := single(float64(or(p.RoughnessFactor, 1))*sum[1]/n), single(float64(or(p.MetallicFactor, 1))*sum[2]/n)
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
