package pathtrace

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/light"
)

// lamp is a rectangle or a sphere that emits evenly.
type lamp struct {
	radiance rays.Vec
	centre   rays.Vec
	radius   float32  // of the sphere, or of the rectangle's bounding sphere, metres
	power    float32  // luminance times area
	u, v     rays.Vec // half sides of a rectangle
	normal   rays.Vec
	area     float32
	perU     rays.Vec // dot products with perU and perV are coordinates along u and v
	perV     rays.Vec
	sphere   bool
	beyond   bool // whether the lamp is outside of the hall, where no ray meets it
}

func vec(v mgl64.Vec3) rays.Vec { return rays.Vec64(v) }

func newPanel(p *light.Panel) lamp {
	u, v := vec(p.U), vec(p.V)
	n := u.Cross(v)
	area := 4 * n.Len()
	return lamp{
		radiance: vec(p.Radiance), centre: vec(p.CentreW), radius: u.Add(v).Len(), power: luminance(vec(p.Radiance)) *
			area,
		u: u, v: v, normal: n.Unit(), area: area, perU: u.Mul(1 / u.Dot(u)), perV: v.Mul(1 / v.Dot(v)),
	}
}

func newBulb(b *light.Bulb, in *light.Illumination) lamp {
	p, r := b.PosW, b.Radius
	beyond := in.Height > 0 && (math.Abs(p[0])+r > in.HalfX || math.Abs(p[1])+r > in.HalfY || p[2]+r > in.Height ||
		p[2]-r < 0)
	return lamp{
		radiance: vec(b.Radiance), centre: vec(p), radius: float32(r), power: luminance(vec(b.Radiance)) *
			float32(math.Pi*r*r),
		sphere: true, beyond: beyond,
	}
}

// holds reports whether a point of a rectangle's plane is on the rectangle.
func (l *lamp) holds(p rays.Vec) bool {
	d := p.Sub(l.centre)
	return rays.Abs(d.Dot(l.perU)) <= 1 && rays.Abs(d.Dot(l.perV)) <= 1
}

// weight returns an estimate of how much light of the lamp reaches a surface at p with the normal n. It is positive
// wherever any light of the lamp may arrive.
func (l *lamp) weight(p, n rays.Vec) float32 {
	to := l.centre.Sub(p)
	d2 := to.Dot(to)
	d := rays.Sqrt(d2)
	above := n.Dot(to) + l.radius
	if above <= 0 {
		return 0
	}
	w := l.power * above / ((d + l.radius) * (d2 + l.radius*l.radius))
	if l.sphere {
		return w
	}
	facing := -l.normal.Dot(to)
	if facing <= 0 {
		return 0
	}
	return w * facing / d
}

// draw chooses a random point of the lamp. It returns the direction and the distance from p to that point, and the
// probability density of the direction per steradian, which is 0 if the lamp does not shine on p.
func (l *lamp) draw(p rays.Vec, r *random) (dir rays.Vec, distance, density float32) {
	s, t := r.next(), r.next()
	to := l.centre.Sub(p)
	if !l.sphere {
		to = to.Add(l.u.Mul(2*s - 1)).Add(l.v.Mul(2*t - 1))
		d2 := to.Dot(to)
		distance = rays.Sqrt(d2)
		dir = to.Mul(1 / distance)
		return dir, distance, l.density(p, dir, distance)
	}
	d2 := to.Dot(to)
	if d2 <= l.radius*l.radius {
		return dir, 0, 0
	}
	// Uniformly within the cone of the sphere.
	rise := l.rise(d2)
	z := 1 - s*rise
	sin, cos := math.Sincos(2 * math.Pi * float64(t))
	side := rays.Sqrt(max(1-z*z, 0))
	b := newBasis(to.Unit())
	dir = b.out(rays.V(side*float32(cos), side*float32(sin), z))
	along := to.Dot(dir)
	distance = along - rays.Sqrt(max(l.radius*l.radius-(d2-along*along), 0))
	return dir, distance, 1 / (2 * math.Pi * rise)
}

// rise returns 1 − cos of the half angle that the sphere subtends at a squared distance.
func (l *lamp) rise(d2 float32) float32 {
	sin2 := l.radius * l.radius / d2
	return sin2 / (1 + rays.Sqrt(max(1-sin2, 0)))
}

// density returns the probability density, per steradian, with which draw returns the direction dir for p. distance is
// the distance from p to the lamp in that direction.
func (l *lamp) density(p, dir rays.Vec, distance float32) float32 {
	if l.sphere {
		to := l.centre.Sub(p)
		return 1 / (2 * math.Pi * l.rise(max(to.Dot(to), l.radius*l.radius)))
	}
	cos := -l.normal.Dot(dir)
	if cos <= 1e-6 {
		return 0
	}
	return distance * distance / (cos * l.area)
}

// meet returns the distance at which a ray meets a sphere from outside; ok is false if it does not.
func (l *lamp) meet(o, d rays.Vec) (t float32, ok bool) {
	to := l.centre.Sub(o)
	along := to.Dot(d)
	if along <= 0 {
		return 0, false
	}
	off2 := to.Sub(d.Mul(along))
	in2 := l.radius*l.radius - off2.Dot(off2)
	if in2 <= 0 {
		return 0, false
	}
	t = along - rays.Sqrt(in2)
	return t, t > 0
}
