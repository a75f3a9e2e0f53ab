package models

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// material holds the parts of a glTF material that this package reads.
type material struct {
	Name                 string          `json:"name,omitempty"`
	DoubleSided          bool            `json:"doubleSided,omitempty"`
	PBRMetallicRoughness *pbr            `json:"pbrMetallicRoughness,omitempty"`
	AlphaMode            string          `json:"alphaMode,omitempty"`
	AlphaCutoff          *float64        `json:"alphaCutoff,omitempty"`
	EmissiveFactor       []float64       `json:"emissiveFactor,omitempty"`
	NormalTexture        *textureInfo    `json:"normalTexture,omitempty"`
	OcclusionTexture     *textureInfo    `json:"occlusionTexture,omitempty"`
	Extras               *extras         `json:"extras,omitempty"`
	texture              *render.Texture // nil if absent or not read yet
}

type pbr struct {
	BaseColorFactor          []single     `json:"baseColorFactor,omitempty"`
	BaseColorTexture         *textureInfo `json:"baseColorTexture,omitempty"`
	MetallicFactor           *single      `json:"metallicFactor,omitempty"`
	RoughnessFactor          *single      `json:"roughnessFactor,omitempty"`
	MetallicRoughnessTexture *textureInfo `json:"metallicRoughnessTexture,omitempty"`
}

// single is a number that is written in single precision.
type single float64

func (s single) MarshalJSON() ([]byte, error) { return json.Marshal(float32(s)) }

// surface is what parts must know of their material.
type surface struct {
	both      bool // both sides are visible
	hidden    bool // it is wholly transparent
	places    *textureInfo
	transform func(mgl64.Vec2) mgl64.Vec2 // of places in the texture
}

// surface returns what parts must know of a material that they use.
func (b *builder) surface(index int) (*surface, error) {
	if s := b.surfaces[index]; s != nil {
		return s, nil
	}
	m, err := at(b.doc.Materials, index, "material")
	if err != nil {
		return nil, err
	}
	s := &surface{both: m.DoubleSided}
	if err := b.inspect(m, s, named("material", index, m.Name)); err != nil {
		return nil, fmt.Errorf("%s: %w", named("material", index, m.Name), err)
	}
	b.surfaces[index] = s
	return s, nil
}

// inspect checks a material, sets s, and notes what is left out.
func (b *builder) inspect(m *material, s *surface, name string) error {
	factor, err := m.factor()
	if err != nil {
		return err
	}
	emits, err := vector("emissiveFactor", m.EmissiveFactor, 0, 0, 0)
	if err != nil {
		return err
	}
	switch m.AlphaMode {
	case "", "OPAQUE":
	case "MASK":
		s.hidden = float64(factor[3]) < or(m.AlphaCutoff, 0.5)
	case "BLEND":
		if s.hidden = factor[3] <= 0; !s.hidden && factor[3] < 1 {
			b.leave("transparency", name)
		}
	default:
		return fmt.Errorf("alphaMode = %.20q: must be OPAQUE, MASK or BLEND", m.AlphaMode)
	}
	if slices.Max(emits) > 0 {
		b.leave("emission", name)
	}
	if m.NormalTexture != nil {
		b.leave("normal textures", name)
	}
	if m.OcclusionTexture != nil {
		b.leave("occlusion textures", name)
	}
	if m.PBRMetallicRoughness != nil && m.PBRMetallicRoughness.BaseColorTexture != nil {
		s.places = m.PBRMetallicRoughness.BaseColorTexture
		s.transform, err = s.places.transform()
	}
	return err
}

// factor returns the colour of a material, by which its texture is multiplied, and the opacity.
func (m *material) factor() ([]single, error) {
	if m.PBRMetallicRoughness == nil {
		return []single{1, 1, 1, 1}, nil
	}
	return vector("baseColorFactor", m.PBRMetallicRoughness.BaseColorFactor, 1, 1, 1, 1)
}

// paint adds the materials to the group, in the document's order, and then one for primitives without a material.
func (b *builder) paint() error {
	for i, m := range b.doc.Materials {
		if m == nil {
			m = &material{}
		}
		if b.surfaces[i] != nil {
			if err := b.bear(m, named("material", i, m.Name)); err != nil {
				return fmt.Errorf("material %d: %w", i, err)
			}
		}
		b.group.Materials = append(b.group.Materials, m.render())
	}
	b.group.Materials = append(b.group.Materials, render.Material{Color: mgl32.Vec3{0.8, 0.8, 0.8}})
	return nil
}

// bear loads the textures of a material. It replaces metal and roughness textures, and the colours of a metal, by their
// means.
func (b *builder) bear(m *material, name string) error {
	p := m.PBRMetallicRoughness
	if p == nil {
		return nil
	}
	if p.MetallicRoughnessTexture != nil {
		_, im, err := b.image(p.MetallicRoughnessTexture)
		if err != nil {
			return err
		}
		rough, metal := or(p.RoughnessFactor, 1)*single(im.mean[1]), or(p.MetallicFactor, 1)*single(im.mean[2])
		p.RoughnessFactor, p.MetallicFactor = &rough, &metal
	}
	if p.BaseColorTexture == nil {
		return nil
	}
	t, im, err := b.image(p.BaseColorTexture)
	if err != nil {
		return err
	}
	if !im.opaque && (m.AlphaMode == "MASK" || m.AlphaMode == "BLEND") {
		b.leave("transparency", name)
	}
	wrap, err := b.wraps(t, name)
	if err != nil {
		return err
	}
	m.texture = im.texture(wrap)
	return nil
}

// render converts metal and roughness to gloss and the exponent of the highlight. The exponent is 2/α² − 2, where α is
// the square of the roughness (Karis, "Specular BRDF reference", 2013). The source of the other conversions is the glTF
// 2.0 specification, appendix B.
func (m *material) render() render.Material {
	out := render.Material{Color: mgl32.Vec3{0.8, 0.8, 0.8}, Gloss: 0.02, Shininess: 10, F0: mgl32.Vec3{0.04, 0.04,
		0.04}, Roughness: 1}
	if p := m.PBRMetallicRoughness; p != nil {
		if c, err := m.factor(); err == nil { // only of materials that nothing shows, it may be wrong
			for i := range out.Color {
				out.Color[i] = float32(mgl64.Clamp(float64(c[i]), 0, 1))
			}
		}
		return Surface(out.Color, m.texture, float64(or(p.RoughnessFactor, 1)), float64(or(p.MetallicFactor, 1)))
	}
	return out
}

// Surface returns the material of a surface with a colour, linear, and with the roughness and the metalness of glTF.
// The colour multiplies the texture, which may be nil. Renderers treat a surface either as metal or as not metal.
func Surface(color mgl32.Vec3, texture *render.Texture, roughness, metalness float64) render.Material {
	out := render.Material{Color: color, F0: mgl32.Vec3{0.04, 0.04, 0.04}}
	if texture != nil {
		out.Color2, out.Color = color, product(color, texture.Mean)
	}
	rough := mgl64.Clamp(roughness, 0.1, 1)
	out.Shininess = float32(mgl64.Clamp(2/math.Pow(rough, 4)-2, 2, 250))
	metal := mgl64.Clamp(metalness, 0, 1)
	out.Gloss = float32(0.02 + 0.7*metal*(1-rough))
	out.Roughness = float32(math.Pow(mgl64.Clamp(roughness, 0, 1), 2))
	if metal > 0.5 {
		out.F0, out.Color2, out.Metal = out.Color, mgl32.Vec3{}, true
	} else if texture != nil {
		out.Pattern, out.Texture = render.Textured, texture
	}
	return out
}

func product(a, b mgl32.Vec3) mgl32.Vec3 { return mgl32.Vec3{a[0] * b[0], a[1] * b[1], a[2] * b[2]} }

// tint is a material with the colours of vertices.
type tint struct {
	material int // in the group
	mean     mgl32.Vec3
	varied   bool // not all vertices have the mean
}

// material returns the index in the group of the material of a part's mesh. The colours of its vertices multiply the
// material's; over a texture and on metal, only their mean does.
func (b *builder) material(p *part, mesh *render.Mesh) int {
	if mesh.Colors == nil {
		return p.material
	}
	key := tint{material: p.material, mean: mesh.Colors[0]}
	var sum mgl64.Vec3
	for _, c := range mesh.Colors {
		key.varied = key.varied || c != key.mean
		sum = sum.Add(spatial.Vec64(c))
	}
	m := b.group.Materials[p.material]
	if key.varied {
		key.mean = spatial.Vec32(sum.Mul(1 / float64(len(mesh.Colors))))
		if m.Metal || m.Pattern == render.Textured {
			name := b.doc.Materials[p.material].Name
			b.leave("differences between colours of vertices", named("material", p.material, name))
			key.varied = false
		}
	}
	if key.varied {
		for i, c := range mesh.Colors {
			mesh.Colors[i] = product(c, m.Color)
		}
		m.Pattern = render.VertexColors
	} else if mesh.Colors = nil; key.mean == (mgl32.Vec3{1, 1, 1}) {
		return p.material
	}
	index, ok := b.tinted[key]
	if !ok {
		m.Color, m.Color2 = product(m.Color, key.mean), product(m.Color2, key.mean)
		if m.Metal {
			m.F0 = m.Color
		}
		index = len(b.group.Materials)
		b.group.Materials, b.tinted[key] = append(b.group.Materials, m), index
	}
	return index
}
