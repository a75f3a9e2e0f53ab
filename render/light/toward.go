package light

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
)

// Toward describes the point that a ray inside the empty hall meets: the mean reflectance towards the ray, the
// irradiance over π, and the emitted radiance, which is 0 outside of panels and windows.
func (f *Field) Toward(o, d mgl64.Vec3) (reflectance, irradiance, emitted mgl32.Vec3) {
	m := f.intersect(o, d)
	var sum mgl64.Vec3
	for g := range f.groups {
		sum = sum.Add(times(f.groups[g].irradianceAt(&m), f.amount(g)))
	}
	reflectance = vec32(m.reflects)
	switch m.face {
	case 0:
		// with the mean over a uniform ambient light
		if sheen := f.scene.Floor.Sheen; sheen > 0 && m.reflects == f.floor.carpet {
			more := f.Sheen.At(float32(d[2]*d[2]/d.LenSqr())) - float32(sheen*evenSheen)
			reflectance = reflectance.Add(mgl32.Vec3{1, 1, 1}.Sub(reflectance).Mul(more))
		}
	case 1, 2:
		if f.emits(m.face, m.p) {
			emitted = f.Emits[m.face-1]
		}
	}
	return reflectance, vec32(sum), emitted
}

// emits reports whether a point of the ceiling (face 1) or of a wall (2) is on a panel or a window.
func (in *Illumination) emits(face int, p mgl64.Vec3) bool {
	if face == 1 {
		return in.PanelRows[0].has(p[0]) && in.PanelRows[1].has(p[1])
	}
	along, rows := p[1], &in.WindowRows[0]
	if math.Abs(p[0])/in.HalfX < math.Abs(p[1])/in.HalfY {
		along, rows = p[0], &in.WindowRows[1]
	}
	return p[2] >= in.WindowLow && p[2] <= in.WindowHigh && rows.has(along)
}

// has reports whether a position along the axis is inside a strip.
func (r *Row) has(x float64) bool {
	i := mgl64.Clamp(math.Round((x-r.First)/r.Pitch), 0, float64(r.N-1))
	return math.Abs(x-r.First-i*r.Pitch) <= r.Half
}

// Around returns the irradiance over π of an upright object at a point in W, averaged over all its sides. Of a Probe's
// coefficients, all but the first cancel out or vanish at the horizon.
func (f *Field) Around(p mgl64.Vec3) (out mgl32.Vec3) {
	f.nearby(p, func(of *Probe, share float32) { out = out.Add(of[0].Mul(share)) })
	return out
}
