package pathtrace

import (
	"math"

	"github.com/omnipitch/omnipitch/render/internal/rays"
)

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

func (b *basis) out(v rays.Vec) rays.Vec {
	return b.x.Mul(v.X).Add(b.y.Mul(v.Y)).Add(b.z.Mul(v.Z))
}
