package pathtrace

import (
	"math"
	"sync"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// smoothest is the roughness below which a surface counts as a mirror. Only reflected rays then find its highlights.
const smoothest = 0.004

// ggx is the roughness of a surface with GGX (Trowbridge-Reitz) microfacets. Directions are in the surface's frame,
// whose z is the normal, and point away from it.
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

// sample returns a random microfacet normal, distributed as visible from the direction out. Source: Dupuy and Benyoub,
// "Sampling visible GGX normals with spherical caps", HPG 2023.
func (a ggx) sample(out rays.Vec, u, v float32) rays.Vec {
	flat := rays.V(float32(a)*out.X, float32(a)*out.Y, out.Z).Unit()
	sin, cos := math.Sincos(2 * math.Pi * float64(u))
	z := (1-v)*(1+flat.Z) - flat.Z
	r := rays.Sqrt(rays.Clamp01(1 - z*z))
	h := rays.V(r*float32(cos), r*float32(sin), z).Add(flat)
	return rays.V(float32(a)*h.X, float32(a)*h.Y, max(h.Z, 0)).Unit()
}

// schlick returns Schlick's factor s, 0 to 1, for the cosine of the angle to a microfacet's normal: the reflectance is
// F0 + s·(1 − F0).
func schlick(cos float32) float32 {
	k := 1 - rays.Clamp01(cos)
	k2 := k * k
	return k2 * k2 * k
}

// albedos tabulates the directional albedo of a rough surface: F0·scale + bias, by the direction's cosine.
type albedos struct {
	scale, bias         [knots]float32 // at the cosines (i/(knots − 1))²
	meanScale, meanBias float32        // cosine-weighted mean over the hemisphere
	// whether the surface is a carpet's fibre tips; the albedo is then F0·scale, where F0 is the fraction of the
	// intercepted light that they scatter
	pile bool
}

const knots = 48

// newAlbedos integrates the reflection for a roughness.
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
	// Between knots, the cosine is a square of the index, and the albedo is linear in the index.
	const steps = 64 * (knots - 1)
	for i := range steps {
		x := (float32(i) + 0.5) / steps
		s, b := t.scaleBias(x * x)
		weight := 4 * x * x * x / steps // 2·cos·dcos with cos = x²
		t.meanScale, t.meanBias = t.meanScale+weight*s, t.meanBias+weight*b
	}
}

// pileAlbedos integrates the scattering of a carpet's fibre tips, once.
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

// scaleBias returns scale and bias for a cosine.
func (t *albedos) scaleBias(cos float32) (scale, bias float32) {
	x := rays.Sqrt(rays.Clamp01(cos)) * (knots - 1)
	i := min(int(x), knots-2)
	x -= float32(i)
	return t.scale[i] + (t.scale[i+1]-t.scale[i])*x, t.bias[i] + (t.bias[i+1]-t.bias[i])*x
}
