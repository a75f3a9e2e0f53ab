package models

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // for image.Decode
	_ "image/png"
	"maps"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

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
	Sampler    *int                `json:"sampler,omitempty"`
	Source     *int                `json:"source,omitempty"`
	Extensions map[string]struct{} `json:"extensions,omitempty"`
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

	MagFilter int `json:"magFilter,omitempty"`
}

// Kinds of wrapping and filters, in OpenGL's numbers.
const (
	wrapClamp, wrapMirror, wrapRepeat = 33071, 33648, 10497
	filterNearest                     = 9728
)

// textureInfo is a material's reference to a texture.
type textureInfo struct {
	Index      int `json:"index"`
	TexCoord   int `json:"texCoord,omitempty"` // the set of texture coordinates
	Extensions *struct {
		Transform *textureTransform `json:"KHR_texture_transform"`
	} `json:"extensions,omitempty"`
}

// textureTransform is the extension KHR_texture_transform.
type textureTransform struct {
	Offset   []float64 `json:"offset"`
	Rotation float64   `json:"rotation"` // of the image, clockwise, rad
	Scale    []float64 `json:"scale"`
	TexCoord *int      `json:"texCoord"`
}

// set returns the set of texture coordinates.
func (t *textureInfo) set() int {
	if t.Extensions != nil && t.Extensions.Transform != nil {
		return or(t.Extensions.Transform.TexCoord, t.TexCoord)
	}
	return t.TexCoord
}

// transform returns the function that maps texture coordinates of vertices to places in the image. Source: the text and
// the test model of KHR_texture_transform, where an image turns clockwise; the formula in its text turns the other way.
func (t *textureInfo) transform() (func(mgl64.Vec2) mgl64.Vec2, error) {
	same := func(uv mgl64.Vec2) mgl64.Vec2 { return uv }
	if t.Extensions == nil || t.Extensions.Transform == nil {
		return same, nil
	}
	by := t.Extensions.Transform
	offset, err := vector("KHR_texture_transform: offset", by.Offset, 0, 0)
	if err != nil {
		return nil, err
	}
	scale, err := vector("KHR_texture_transform: scale", by.Scale, 1, 1)
	if err != nil {
		return nil, err
	}
	sin, cos := math.Sincos(by.Rotation)
	return func(uv mgl64.Vec2) mgl64.Vec2 {
		u, v := scale[0]*uv[0], scale[1]*uv[1]
		return mgl64.Vec2{cos*u + sin*v + offset[0], -sin*u + cos*v + offset[1]}
	}, nil
}

// layoutOfPlaces returns what accessors of texture coordinates may hold.
func (b *builder) layoutOfPlaces() *layout {
	if b.quantized {
		return offsets
	}
	return places
}

// pixels is a decoded image.
type pixels struct {
	*render.Image
	opaque   bool
	mean     [3]float64 // of its numbers, 0 to 1
	textures map[[2]render.Wrap]*render.Texture
}

// newPixels returns a decoded image.
func newPixels(from image.Image) *pixels {
	p := &pixels{Image: opaque(from)}
	if from, ok := from.(interface{ Opaque() bool }); ok {
		p.opaque = from.Opaque()
	}
	for i, v := range p.Pix {
		p.mean[i%3] += float64(v) / 255
	}
	for i := range p.mean {
		p.mean[i] /= float64(p.Width * p.Height)
	}
	return p
}

// texture returns the texture of the image that continues in a way beyond its border.
func (p *pixels) texture(wrap [2]render.Wrap) *render.Texture {
	if t := p.textures[wrap]; t != nil {
		return t
	}
	for _, t := range p.textures {
		p.textures[wrap] = &render.Texture{Levels: t.Levels, Wrap: wrap, Mean: t.Mean}
		return p.textures[wrap]
	}
	p.textures = map[[2]render.Wrap]*render.Texture{wrap: render.NewTexture(p.Image, wrap)}
	return p.textures[wrap]
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

// image returns a texture and its image.
func (b *builder) image(info *textureInfo) (*texture, *pixels, error) {
	t, err := at(b.doc.Textures, info.Index, "texture")
	if err != nil {
		return nil, nil, err
	}
	if t.Source == nil {
		return nil, nil, fmt.Errorf("texture %d: has no image that is PNG or JPEG; its extensions: %.100q", info.Index,
			slices.Sorted(maps.Keys(t.Extensions)))
	}
	im := b.decoded[*t.Source]
	if im == nil {
		p, err := at(b.doc.Images, *t.Source, "image")
		if err != nil {
			return nil, nil, err
		}
		if im, err = b.decode(p); err != nil {
			return nil, nil, fmt.Errorf("image %d: %w", *t.Source, err)
		}
		b.decoded[*t.Source] = im
	}
	return t, im, nil
}

// decode decodes an image. Each image is decoded only once, and counts once, even if several files have it.
func (b *builder) decode(p *picture) (*pixels, error) {
	data, err := b.store.bytes(p)
	if err != nil {
		return nil, err
	}
	if b.hashed += len(data); b.hashed > 4*maxBytes {
		return nil, fmt.Errorf("is one too many: a model's images have at most %d MiB in all, as often as it lists them",
			4*maxBytes>>20)
	}
	return b.store.decode(data)
}

// decode decodes an image, unless it has decoded the same bytes before.
func (s *store) decode(data []byte) (*pixels, error) {
	key := sha256.Sum256(data)
	if im := s.images[key]; im != nil {
		return im, nil
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
	if s.pixels -= c.Width * c.Height; s.pixels < 0 {
		return nil, fmt.Errorf("has %d × %d pixels: the textures of a world have at most %d in all", c.Width,
			c.Height, maxPixels)
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	im := newPixels(decoded)
	if s.images == nil {
		s.images = map[[sha256.Size]byte]*pixels{}
	}
	s.images[key] = im
	return im, nil
}

// Texture returns the texture of a PNG or JPEG file, which repeats in both directions. It shares the limits of the
// models' textures.
func (l *Library) Texture(data []byte) (*render.Texture, error) {
	s := store{pixels: maxPixels - l.pixels, images: l.images}
	p, err := s.decode(data)
	if err != nil {
		return nil, err
	}
	l.pixels, l.images = maxPixels-s.pixels, s.images
	return p.texture([2]render.Wrap{render.Repeat, render.Repeat}), nil
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
func (b *builder) wraps(t *texture, name string) (wrap [2]render.Wrap, err error) {
	if t.Sampler == nil {
		return wrap, nil
	}
	s, err := at(b.doc.Samplers, *t.Sampler, "sampler")
	if err != nil {
		return wrap, err
	}
	if s.MagFilter == filterNearest {
		b.leave("the filter NEAREST, as of all textures", name)
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
