package models

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render"
)

// material holds the parts of a glTF material that this package reads.
type material struct {
	DoubleSided          bool
	PBRMetallicRoughness *struct {
		BaseColorFactor                            *[4]float64
		MetallicFactor, RoughnessFactor            *float64
		BaseColorTexture, MetallicRoughnessTexture *textureInfo
	}
	texture *render.Texture // nil if absent or not read yet
}

// render converts metal and roughness to gloss and the exponent of the highlight, 2/α² − 2, where α is the square of
// the roughness. Source of the exponent: Karis, "Specular BRDF reference", 2013; of the rest: the glTF 2.0
// specification, appendix B.
func (m *material) render() render.Material {
	out := render.Material{Color: mgl32.Vec3{0.8, 0.8, 0.8}, Gloss: 0.02, Shininess: 10, F0: mgl32.Vec3{0.04, 0.04,
		0.04}, Roughness: 1}
	if p := m.PBRMetallicRoughness; p != nil {
		c := or(p.BaseColorFactor, [4]float64{1, 1, 1, 1})
		for i := range out.Color {
			out.Color[i] = float32(mgl64.Clamp(c[i], 0, 1))
		}
		if m.texture != nil {
			out.Color = m.texture.Mean
		}
		rough := mgl64.Clamp(or(p.RoughnessFactor, 1), 0.1, 1)
		out.Shininess = float32(mgl64.Clamp(2/math.Pow(rough, 4)-2, 2, 250))
		metal := mgl64.Clamp(or(p.MetallicFactor, 1), 0, 1)
		out.Gloss = float32(0.02 + 0.7*metal*(1-rough))
		out.Roughness = float32(math.Pow(mgl64.Clamp(or(p.RoughnessFactor, 1), 0, 1), 2))
		if metal > 0.5 { // surfaces are either metal or not
			out.F0, out.Metal = out.Color, true
		} else if m.texture != nil {
			out.Pattern, out.Texture = render.Textured, m.texture
		}
	}
	return out
}

// or returns *p, or otherwise if p is nil.
func or[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
