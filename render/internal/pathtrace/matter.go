package pathtrace

import (
	"math"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// material is a render.Material prepared for path tracing.
type material struct {
	color, color2, f0 rays.Vec
	roughness         float32
	metal             bool
	pattern           render.Pattern
	texture           *render.Texture
	albedos           *albedos // nil for a matt material
}

// prepare returns the materials of a shading. Materials with the same roughness share their albedos: known holds the
// albedos by roughness, and prepare adds to it.
func prepare(all []render.Material, known map[float32]*albedos) []material {
	out := make([]material, len(all))
	for i := range all {
		m := &all[i]
		out[i] = material{rays.Vec32(m.Color), rays.Vec32(m.Color2), rays.Vec32(m.F0), m.Roughness, m.Metal, m.Pattern,
			m.Texture, nil}
		if m.F0 == [3]float32{} && !m.Metal {
			continue
		}
		if known[m.Roughness] == nil {
			known[m.Roughness] = newAlbedos(m.Roughness)
		}
		out[i].albedos = known[m.Roughness]
	}
	return out
}

// matter describes the reflection at a point: a matt surface below a reflecting layer. The layer of a carpet is its
// fibre tips.
type matter struct {
	color     rays.Vec // reflectance of the matt surface
	f0        rays.Vec // for a carpet, the fraction of the intercepted light that the tips scatter
	roughness float32
	albedos   *albedos // of the layer; nil without a layer
}

var one = rays.V(1, 1, 1)

// layer returns the fraction of light from a direction that the layer reflects.
func (m *matter) layer(cos float32) rays.Vec {
	scale, bias := m.albedos.scaleBias(cos)
	return m.f0.Mul(scale).Add(rays.V(bias, bias, bias))
}

// below returns the BRDF of the matt surface below the layer, divided by its reflectance. The layer attenuates light on
// its way in and out such that a white surface reflects all light that the layer does not. Source: Kelemen and
// Szirmay-Kalos, "A microfacet based coupled specular-matte BRDF model with importance sampling", Eurographics 2001.
func (m *matter) below(out, in float32) rays.Vec {
	if m.albedos == nil {
		return one.Mul(1 / math.Pi)
	}
	mean := m.f0.Mul(m.albedos.meanScale).Add(one.Mul(m.albedos.meanBias))
	a, b, c := one.Sub(m.layer(out)), one.Sub(m.layer(in)), one.Sub(mean)
	share := a.Times(b)
	// A layer that reflects all light transmits none.
	return rays.V(share.X/max(c.X, 1e-6), share.Y/max(c.Y, 1e-6), share.Z/max(c.Z, 1e-6)).Mul(1 / math.Pi)
}

// layerShare returns the probability that sample chooses a direction from the layer's reflection.
func (m *matter) layerShare(cos float32) float32 {
	if m.albedos == nil || m.albedos.pile { // tips scatter about as widely as the matt surface
		return 0
	}
	if m.color == (rays.Vec{}) {
		return 1
	}
	up := m.layer(cos)
	a, b := luminance(up), luminance(m.color.Times(one.Sub(up)))
	return max(a/max(a+b, 1e-6), 0.1)
}

// reflect considers light that arrives from the direction in and leaves in the direction out. It returns the BRDF times
// the cosine, and the probability density, per steradian, with which sample returns the direction in. It excludes
// mirror reflection.
func (m *matter) reflect(out, in rays.Vec) (f rays.Vec, density float32) {
	if out.Z <= 0 || in.Z <= 0 {
		return f, 0
	}
	share := m.layerShare(out.Z)
	if share < 1 {
		f = m.color.Times(m.below(out.Z, in.Z)).Mul(in.Z)
		density = (1 - share) * in.Z / math.Pi
	}
	if m.albedos != nil && m.albedos.pile {
		return f.Add(m.f0.Mul(float32(render.PileScatter(float64(out.Z), float64(in.Z))) * in.Z)), density
	}
	if m.albedos == nil || m.roughness < smoothest {
		return f, density
	}
	a, h := ggx(m.roughness), out.Add(in).Unit()
	d, masking := a.density(h), a.lambda(out.Z)
	up := m.fresnel(h.Dot(out)).Mul(d / (4 * out.Z * (1 + masking + a.lambda(in.Z))))
	return f.Add(up), density + share*d/(4*out.Z*(1+masking))
}

// fresnel returns the fraction of light that a microfacet reflects, for the cosine of the angle to its normal.
func (m *matter) fresnel(cos float32) rays.Vec { return m.f0.Mix(one, schlick(cos)) }

// sample returns a random direction in of incident light, for light that leaves in the direction out. weight is the
// BRDF times the cosine, divided by the probability density; it is zero if the direction is below the surface. For a
// mirror the returned density is 0.
func (m *matter) sample(out rays.Vec, r *random) (in, weight rays.Vec, density float32) {
	pick, u, v := r.next(), r.next(), r.next()
	share := m.layerShare(out.Z)
	switch {
	case pick >= share:
		in = cosine(u, v)
	case m.roughness < smoothest:
		in = rays.V(-out.X, -out.Y, out.Z)
		return in, m.fresnel(out.Z).Mul(1 / share), 0
	default:
		h := ggx(m.roughness).sample(out, u, v)
		in = h.Mul(2 * h.Dot(out)).Sub(out)
	}
	f, density := m.reflect(out, in)
	if !(density > 0) {
		return in, rays.Vec{}, 0
	}
	return in, f.Mul(1 / density), density
}

func luminance(c rays.Vec) float32 { return 0.2126*c.X + 0.7152*c.Y + 0.0722*c.Z } // of linear sRGB (IEC 61966-2-1)
