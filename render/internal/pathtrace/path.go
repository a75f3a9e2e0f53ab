package pathtrace

import "github.com/omnipitch/omnipitch/render/internal/rays"

// steady is how many reflections a path continues for before it may end by chance (Russian roulette).
const steady = 3

// longest is the largest chance, of a path that may end, to go on.
const longest = 0.95

// radiance returns an estimate of the light that comes along a ray from o against d. What the ray itself meets is among
// the triangles of a tree.
func (t *scene) radiance(o, d rays.Vec, from float32, tree *rays.Tree, surfaces []rays.Surface,
	r *random) (sum rays.Vec) {
	through := one
	var before bounce // nothing
	for n := 0; ; n++ {
		x := t.follow(o, d, from, tree, surfaces)
		if x.distance == rays.Never {
			return sum.Add(through.Times(t.background))
		}
		if x.lamp >= 0 {
			l := &t.lamps[x.lamp]
			sum = sum.Add(through.Times(l.radiance).Mul(before.share(t, l, d, x.distance)))
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
			// By the root: to go on more often than a path is worth costs less than the noise of few that count for
			// many.
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

// bounce is a reflection that a path has come by.
type bounce struct {
	p, normal rays.Vec
	density   float32 // per steradian, of the direction that was sampled; 0 of a mirror's
	total     float32 // of the lamps' weights
	real      bool
}

// share returns the share of a lamp's light that counts for a path that has met it by chance: the rest comes by
// sampling the lamp.
func (b *bounce) share(t *scene, l *lamp, d rays.Vec, distance float32) float32 {
	if !b.real || b.density == 0 || b.total == 0 {
		return 1
	}
	return power(b.density, l.density(b.p, d, distance)*l.weight(b.p, b.normal)/b.total)
}

// power is the power heuristic of two densities.
func power(a, b float32) float32 {
	// By their quotient: squares of large densities overflow.
	if a == 0 {
		return 0
	}
	q := b / a
	return 1 / (1 + q*q)
}

// weights returns the sum of the weights of all lamps.
func (t *scene) weights(p, normal rays.Vec) (total float32) {
	for i := range t.lamps {
		total += t.lamps[i].weight(p, normal)
	}
	return total
}

// direct estimates the light of lamps that a point sends back along out, by a point of one of them.
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
	if !l.beyond { // else no ray meets it
		share = power(density, other)
	}
	return f.Times(l.radiance).Mul(share / density)
}
