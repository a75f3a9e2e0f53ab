package pathtrace

import (
	"math"
	"sync"

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

// prepare returns the materials of a shading. Materials with the same roughness share their albedos. The map known
// holds the albedos for each roughness, and prepare adds missing ones.
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

// matter describes the reflection at a point: by a matt surface below a reflecting layer. The layer of a carpet
// consists of its fibre tips.
type matter struct {
	color     rays.Vec // reflectance of the matt surface
	f0        rays.Vec // F0 of the layer; for a carpet, the fraction of the intercepted light that the tips scatter
	roughness float32
	albedos   *albedos // albedos of the layer; nil without a layer
}

var one = rays.V(1, 1, 1)

// layer returns the fraction of the light from a direction that the layer reflects, for the direction's cosine to the
// normal.
func (m *matter) layer(cos float32) rays.Vec {
	scale, bias := m.albedos.scaleBias(cos)
	return m.f0.Mul(scale).Add(rays.V(bias, bias, bias))
}

// below returns the BRDF of the matt surface below the layer, divided by the surface's reflectance. The layer
// attenuates light on its way in and out. It does so in such a way that a white surface reflects all light that the
// layer does not reflect. Source: Kelemen and Szirmay-Kalos, "A microfacet based coupled specular-matte BRDF model with
// importance sampling", Eurographics 2001.
func (m *matter) below(out, in float32) rays.Vec {
	if m.albedos == nil {
		return one.Mul(1 / math.Pi)
	}
	mean := m.f0.Mul(m.albedos.meanScale).Add(one.Mul(m.albedos.meanBias))
	a, b, c := one.Sub(m.layer(out)), one.Sub(m.layer(in)), one.Sub(mean)
	share := a.Times(b)
	// max avoids a division by 0 for a layer that reflects all light; share is then 0 too.
	return rays.V(share.X/max(c.X, 1e-6), share.Y/max(c.Y, 1e-6), share.Z/max(c.Z, 1e-6)).Mul(1 / math.Pi)
}

// layerShare returns the probability that sample chooses a direction from the layer's reflection.
func (m *matter) layerShare(cos float32) float32 {
	// fibre tips scatter about as widely as the matt surface, so they need no samples of their own
	if m.albedos == nil || m.albedos.pile {
		return 0
	}
	if m.color == (rays.Vec{}) {
		return 1
	}
	up := m.layer(cos)
	a, b := luminance(up), luminance(m.color.Times(one.Sub(up)))
	return max(a/max(a+b, 1e-6), 0.1)
}

// reflect computes the reflection of light that arrives from the direction in and leaves in the direction out. It
// returns the BRDF times the cosine, and the probability density, per steradian, with which sample chooses the incident
// direction. Mirror reflection is left out.
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

// sample chooses a random incident direction for light that leaves in the direction out. weight is the BRDF times the
// cosine, divided by the probability density. It is 0 if the chosen direction is below the surface. For a mirror the
// returned density is 0.
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

// luminance of a colour in linear sRGB (IEC 61966-2-1)
func luminance(c rays.Vec) float32 { return 0.2126*c.X + 0.7152*c.Y + 0.0722*c.Z }

// smoothest is the roughness below which a surface counts as a mirror. The highlights of a mirror are found only by
// reflected rays, not by sampling lamps.
const smoothest = 0.004

// ggx is the roughness of a surface with GGX (Trowbridge-Reitz) microfacets. Directions point away from the surface.
// They are in the surface's frame, whose z axis is the normal.
type ggx float32

// lambda is Smith's auxiliary function of a direction. Source: Heitz, "Understanding the masking-shadowing function in
// microfacet-based BRDFs", JCGT 2014, equation 72.
func (a ggx) lambda(cos float32) float32 {
	c2 := cos * cos
	if c2 >= 1 {
		return 0
	}
	return (rays.Sqrt(1+float32(a)*float32(a)*(1-c2)/c2) - 1) / 2
}

// density returns the distribution of normals. Source: Walter et al., "Microfacet models for refraction through rough
// surfaces", EGSR 2007, equation 33.
func (a ggx) density(h rays.Vec) float32 {
	a2 := float32(a) * float32(a)
	d := (h.X*h.X+h.Y*h.Y)/a2 + h.Z*h.Z
	return 1 / (math.Pi * a2 * d * d)
}

// sample returns a random normal of a microfacet. The probability is proportional to the area that is visible from the
// direction out. Source: Dupuy and Benyoub, "Sampling visible GGX normals with spherical caps", HPG 2023.
func (a ggx) sample(out rays.Vec, u, v float32) rays.Vec {
	flat := rays.V(float32(a)*out.X, float32(a)*out.Y, out.Z).Unit()
	sin, cos := math.Sincos(2 * math.Pi * float64(u))
	z := (1-v)*(1+flat.Z) - flat.Z
	r := rays.Sqrt(rays.Clamp01(1 - z*z))
	h := rays.V(r*float32(cos), r*float32(sin), z).Add(flat)
	return rays.V(float32(a)*h.X, float32(a)*h.Y, max(h.Z, 0)).Unit()
}

// schlick returns Schlick's factor s, 0 to 1, for the cosine of the angle to a microfacet's normal. The reflectance is
// F0 + s·(1 − F0).
func schlick(cos float32) float32 {
	k := 1 - rays.Clamp01(cos)
	k2 := k * k
	return k2 * k2 * k
}

// albedos tabulates the directional albedo of a rough surface by the cosine of the direction to the normal. The albedo
// is F0·scale + bias.
type albedos struct {
	scale, bias         [knots]float32 // values at the cosines (i/(knots − 1))²
	meanScale, meanBias float32        // cosine-weighted means over the hemisphere
	// whether the surface is a carpet's fibre tips; the albedo is then F0·scale, where F0 is the fraction of the
	// intercepted light that the tips scatter
	pile bool
}

const knots = 48

// newAlbedos integrates the reflection of a surface with the given roughness.
func newAlbedos(roughness float32) *albedos {
	t := &albedos{}
	const n = 32
	a := ggx(roughness)
	for i := range knots {
		cos := max(float32(i*i)/((knots-1)*(knots-1)), 1e-4)
		out := rays.V(rays.Sqrt(1-cos*cos), 0, cos)
		if roughness < smoothest {
			t.bias[i] = schlick(cos)
			t.scale[i] = 1 - t.bias[i]
			continue
		}
		var scale, bias float64
		for j := range n * n {
			h := a.sample(out, (float32(j%n)+0.5)/n, (float32(j/n)+0.5)/n)
			in := h.Mul(2 * h.Dot(out)).Sub(out)
			if in.Z <= 0 {
				continue
			}
			masking := a.lambda(out.Z)
			kept := float64((1 + masking) / (1 + masking + a.lambda(in.Z)))
			f := float64(schlick(h.Dot(out)))
			scale, bias = scale+kept*(1-f), bias+kept*f
		}
		t.scale[i], t.bias[i] = float32(scale/(n*n)), float32(bias/(n*n))
	}
	t.average()
	return t
}

// average computes meanScale and meanBias.
func (t *albedos) average() {
	// The table is interpolated linearly in its index, and the cosine is the square of the index. So steps are even in
	// the index.
	const steps = 64 * (knots - 1)
	for i := range steps {
		x := (float32(i) + 0.5) / steps
		s, b := t.scaleBias(x * x)
		weight := 4 * x * x * x / steps // 2·cos·dcos with cos = x²
		t.meanScale, t.meanBias = t.meanScale+weight*s, t.meanBias+weight*b
	}
}

// pileAlbedos holds the scattering of a carpet's fibre tips. It is integrated once.
var pileAlbedos = sync.OnceValue(func() *albedos {
	t := &albedos{pile: true}
	const n = 1 << 12
	for i := range knots {
		cos := max(float64(i*i)/((knots-1)*(knots-1)), 1e-5)
		sum := 0.0
		for j := range n {
			in := (float64(j) + 0.5) / n
			sum += 2 * math.Pi * render.PileScatter(cos, in) * in / n
		}
		t.scale[i] = float32(sum)
	}
	t.average()
	return t
})

// scaleBias returns the interpolated scale and bias for a cosine.
func (t *albedos) scaleBias(cos float32) (scale, bias float32) {
	x := rays.Sqrt(rays.Clamp01(cos)) * (knots - 1)
	i := min(int(x), knots-2)
	x -= float32(i)
	return t.scale[i] + (t.scale[i+1]-t.scale[i])*x, t.bias[i] + (t.bias[i+1]-t.bias[i])*x
}
