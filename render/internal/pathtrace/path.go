package pathtrace

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/render/internal/rays"
	"github.com/omnipitch/omnipitch/render/light"
)

// lamp is a rectangle or a sphere that emits evenly in all directions.
type lamp struct {
	radiance rays.Vec
	centre   rays.Vec
	radius   float32  // radius of the sphere, or of the rectangle's bounding sphere, metres
	power    float32  // luminance times area
	u, v     rays.Vec // half sides of a rectangle
	normal   rays.Vec
	area     float32
	// dot products of a vector in the rectangle's plane with perU and perV are its coordinates along u and v
	perU   rays.Vec
	perV   rays.Vec
	sphere bool
	beyond bool // whether the lamp is outside of the hall, where rays do not meet it
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

// holds reports whether a point in the plane of the lamp's rectangle is inside the rectangle.
func (l *lamp) holds(p rays.Vec) bool {
	d := p.Sub(l.centre)
	return rays.Abs(d.Dot(l.perU)) <= 1 && rays.Abs(d.Dot(l.perV)) <= 1
}

// weight returns an estimate of the amount of the lamp's light that reaches a surface at p with the normal n. It is
// positive wherever any light of the lamp may arrive.
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
// probability density of the direction per steradian. The density is 0 if the lamp does not shine on p.
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
	// The direction is uniformly distributed in the cone that the sphere fills.
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

// rise returns 1 − cos of half the angle that the sphere subtends at a distance. The argument is the square of the
// distance.
func (l *lamp) rise(d2 float32) float32 {
	sin2 := l.radius * l.radius / d2
	return sin2 / (1 + rays.Sqrt(max(1-sin2, 0)))
}

// density returns the probability density, per steradian, with which draw chooses the direction dir for p. distance is
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

// meet returns the distance at which a ray meets the lamp's sphere from outside. ok is false if the ray misses the
// sphere.
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

// steady is the number of reflections after which a path may be ended at random (Russian roulette).
const steady = 3

// longest is the largest probability with which a path continues after the first steady reflections.
const longest = 0.95

// radiance estimates the light that arrives at o along a ray in the direction d. Only this first ray is intersected
// with the triangles of the argument tree; the rest of the path is intersected with t.tree.
func (t *scene) radiance(o, d rays.Vec, from float32, tree *rays.Tree, surfaces []rays.Surface,
	r *random) (sum rays.Vec) {
	through := one
	var before bounce // no reflection yet
	for n := 0; ; n++ {
		x := t.follow(o, d, from, tree, surfaces)
		if x.distance == rays.Never {
			return sum.Add(through.Times(t.background))
		}
		if x.lamp >= 0 {
			l := &t.lamps[x.lamp]
			sum = sum.Add(through.Times(l.radiance).Mul(before.lampWeight(l, d, x.distance)))
			if x.black {
				return sum
			}
		}
		here := newBasis(x.normal)
		out := here.in(d.Mul(-1))
		if !(out.Z > 0) {
			return sum
		}
		start := x.p.Add(x.flat.Mul(nearest))
		total := t.weights(start, x.normal)
		sum = sum.Add(through.Times(t.direct(&x.matter, &here, start, out, x.flat, total, r)))
		in, weight, density := x.matter.sample(out, r)
		through = through.Times(weight)
		o, d = start, here.out(in)
		if !(d.Dot(x.flat) > 0) || through == (rays.Vec{}) { // into the surface
			return sum
		}
		if n >= steady {
			// The square root keeps more paths: extra path segments cost less than the noise of few paths with large
			// weights.
			chance := min(rays.Sqrt(max(through.X, through.Y, through.Z)), longest)
			if r.next() >= chance {
				return sum
			}
			through = through.Mul(1 / chance)
		}
		before = bounce{start, x.normal, density, total, true}
		from, tree, surfaces = 0, t.tree, t.surfaces
	}
}

// bounce describes the last reflection of a path.
type bounce struct {
	p, normal rays.Vec
	density   float32 // probability density of the sampled direction, per steradian; 0 for a mirror
	total     float32 // sum of the lamps' weights
	real      bool
}

// lampWeight returns the weight of a lamp's light for a path that met the lamp by chance. The remaining weight belongs
// to direct sampling of the lamp.
func (b *bounce) lampWeight(l *lamp, d rays.Vec, distance float32) float32 {
	if !b.real || b.density == 0 || b.total == 0 {
		return 1
	}
	return power(b.density, l.density(b.p, d, distance)*l.weight(b.p, b.normal)/b.total)
}

// power returns the weight, by the power heuristic, of a sample that was taken with the density a and could also have
// been taken with the density b.
func power(a, b float32) float32 {
	// The code uses the quotient, because squares of large densities overflow.
	if a == 0 {
		return 0
	}
	q := b / a
	return 1 / (1 + q*q)
}

// weights returns the sum of the weights of all lamps for a surface at p with a normal.
func (t *scene) weights(p, normal rays.Vec) (total float32) {
	for i := range t.lamps {
		total += t.lamps[i].weight(p, normal)
	}
	return total
}

// direct returns an estimate of the lamps' light that the point p reflects in the direction out. The estimate uses a
// random point of one lamp.
func (t *scene) direct(m *matter, here *basis, p, out, flat rays.Vec, total float32, r *random) (sum rays.Vec) {
	if !(total > 0) {
		return sum
	}
	left := r.next() * total
	which, chosen := -1, float32(0)
	for i := range t.lamps {
		w := t.lamps[i].weight(p, here.z)
		if w <= 0 {
			continue
		}
		which, chosen = i, w
		if left -= w; left < 0 {
			break
		}
	}
	l := &t.lamps[which]
	dir, distance, density := l.draw(p, r)
	density *= chosen / total
	if !(density > 0) || !(dir.Dot(flat) > 0) {
		return sum
	}
	f, other := m.reflect(out, here.in(dir))
	if f == (rays.Vec{}) || !t.open(p, dir, distance, int32(which)) {
		return sum
	}
	share := float32(1)
	if !l.beyond { // rays do not meet a lamp beyond the hall, so direct sampling has the full weight
		share = power(density, other)
	}
	return f.Times(l.radiance).Mul(share / density)
}

// random generates the random numbers of one path. Source: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators" (SplitMix64), OOPSLA 2014.
type random uint64

const golden = 0x9e3779b97f4a7c15

// newRandom returns the generator for a sample of a pixel.
func newRandom(key, pixel, sample uint64) random {
	return random(mix(mix(mix(key+golden)^pixel) + golden*sample))
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// next returns a number in [0, 1).
func (r *random) next() float32 {
	*r += golden
	return float32(mix(uint64(*r))>>40) / (1 << 24)
}

// cosine returns a direction around z with the density cos/π.
func cosine(u, v float32) rays.Vec {
	r := rays.Sqrt(u)
	sin, cos := math.Sincos(2 * math.Pi * float64(v))
	return rays.V(r*float32(cos), r*float32(sin), rays.Sqrt(max(1-u, 0)))
}

// basis holds the axes of a frame whose z axis is a surface's normal.
type basis struct{ x, y, z rays.Vec }

// newBasis returns a basis for a normal of unit length. Source: Duff et al., "Building an orthonormal basis,
// revisited", JCGT 2017.
func newBasis(n rays.Vec) basis {
	sign := float32(math.Copysign(1, float64(n.Z)))
	a := -1 / (sign + n.Z)
	b := n.X * n.Y * a
	return basis{rays.V(1+sign*n.X*n.X*a, sign*b, -sign*n.X), rays.V(b, sign+n.Y*n.Y*a, -n.Y), n}
}

func (b *basis) in(v rays.Vec) rays.Vec { return rays.V(v.Dot(b.x), v.Dot(b.y), v.Dot(b.z)) }

func (b *basis) out(v rays.Vec) rays.Vec { return b.x.Mul(v.X).Add(b.y.Mul(v.Y)).Add(b.z.Mul(v.Z)) }
