package raycast

import (
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/rays"
)

// hit is the intersection of a ray with a surface.
type hit struct {
	surface  *rays.Surface
	material *material
	frame    *rays.Frame
	body     int
	m        rays.Intersection
}

// radiance returns the light that a surface reflects along a ray with unit direction d from o, W; f holds the
// differences to the next pixels' directions.
func (g *lights) radiance(h *hit, o, d rays.Vec, f *rays.Fan) rays.Vec {
	if g.natural != nil {
		return g.natural.radiance(h, o, d, f)
	}
	s := h.surface
	n := h.frame.Rot.Apply(s.Normal(&h.m)).Unit()
	p := o.Add(d.Mul(h.m.T))
	mat := h.material
	color := h.color(d, f)
	// Near the floor, less ambient light arrives.
	around := g.bounce.Mix(g.sky, 0.5+0.5*n.Z).Mul((atFloor + (1-atFloor)*rays.Clamp01(p.Z/render.NearFloor)) *
		(1 - mat.gloss))
	around = around.Add(g.pointLamps(p, n).Mul(1 - mat.gloss))
	toLamp := g.lamp.Mul(max(n.Dot(g.toLamp), 0))
	// The lamp's highlight, and the mirror image of the carpet below and the hall above.
	facing := -n.Dot(d)
	r := d.Add(n.Mul(2 * facing))
	k := 1 - max(facing, 0)
	fresnel := mat.gloss + (1-mat.gloss)*0.25*mat.gloss*k*k*k*k*k
	around = color.Times(around)
	if fresnel > 0 {
		up := rays.Smoothstep(-0.05, 0.05, r.Z)
		around = around.Add(g.mirrorFloor.Mix(g.wall.Mix(g.background, rays.Clamp01(r.Z)), up).Mul(fresnel))
	}
	direct := color.Times(toLamp).Mul(1 - mat.gloss)
	if half := g.toLamp.Sub(d); fresnel > 0 {
		highlight := fresnel * rays.Pow(max(n.Dot(half.Unit()), 0), mat.shininess) * (mat.shininess + 8) / 25
		direct = direct.Add(toLamp.Mul(highlight))
	}
	if direct == (rays.Vec{}) {
		return around
	}
	return around.Add(direct.Mul(g.lampShare(p, n)))
}

// color returns the reflectance at the hit, averaged over the pixel.
func (h *hit) color(d rays.Vec, f *rays.Fan) rays.Vec {
	switch h.material.pattern {
	case render.SoccerBall:
		return ballColor(h, d, f)
	case render.Textured:
		at, dx, dy := h.place(d, f)
		return rays.Textured(h.material.texture, at, dx, dy)
	}
	return h.material.color
}

// place returns a hit's position in the mesh's frame, or its texture coordinates, and the steps to the next pixels.
func (h *hit) place(d rays.Vec, f *rays.Fan) (p, dx, dy rays.Vec) {
	s := h.surface
	x, y := f.Steps(d, h.frame.Rot.Apply(s.Flat), h.m.T)
	// Only the steps' lengths, and their directions in the triangle's plane, matter.
	return s.At(&h.m), s.IntoMesh(h.frame.Rot.Back(x)), s.IntoMesh(h.frame.Rot.Back(y))
}

// ballColor returns the colour of a ball's pattern, averaged over the pixel.
func ballColor(h *hit, d rays.Vec, f *rays.Fan) rays.Vec {
	at, dx, dy := h.place(d, f)
	edge := rays.Pentagon(at)
	w := max(rays.Abs(rays.Pentagon(at.Add(dx))-edge)+rays.Abs(rays.Pentagon(at.Add(dy))-edge), 1e-4)
	m := h.material
	return m.color2.Mix(m.color, rays.Clamp01(edge/w+0.5))
}
