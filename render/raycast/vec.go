package raycast

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// vec is a vector. mathgl's are arrays, which the compiler keeps in memory; a structure stays in registers, which halves the time of a
// ray.
type vec struct{ x, y, z float32 }

func vec32(v mgl32.Vec3) vec { return vec{v[0], v[1], v[2]} }
func vec64(v mgl64.Vec3) vec { return vec{float32(v[0]), float32(v[1]), float32(v[2])} }

func (a vec) add(b vec) vec            { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec            { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) mul(s float32) vec        { return vec{a.x * s, a.y * s, a.z * s} }
func (a vec) times(b vec) vec          { return vec{a.x * b.x, a.y * b.y, a.z * b.z} }
func (a vec) dot(b vec) float32        { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) len() float32             { return sqrt(a.dot(a)) }
func (a vec) unit() vec                { return a.mul(1 / a.len()) }
func (a vec) mix(b vec, t float32) vec { return a.add(b.sub(a).mul(t)) }

func (a vec) cross(b vec) vec {
	return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

func (a vec) axis(i int) float32 {
	switch i {
	case 0:
		return a.x
	case 1:
		return a.y
	}
	return a.z
}

func sqrt(x float32) float32  { return float32(math.Sqrt(float64(x))) }
func floor(x float32) float32 { return float32(math.Floor(float64(x))) }
func abs(x float32) float32   { return float32(math.Abs(float64(x))) }

func clamp01(x float32) float32 { return min(max(x, 0), 1) }

func pow(x, y float32) float32 {
	if x <= 0 {
		return 0
	}
	return float32(math.Pow(float64(x), float64(y)))
}

func smoothstep(lo, hi, x float32) float32 {
	t := clamp01((x - lo) / (hi - lo))
	return t * t * (3 - 2*t)
}

// rotation is a rotation matrix by its rows.
type rotation struct{ x, y, z vec }

func (r *rotation) apply(v vec) vec { return vec{r.x.dot(v), r.y.dot(v), r.z.dot(v)} }

// back applies the inverse rotation.
func (r *rotation) back(v vec) vec {
	return r.x.mul(v.x).add(r.y.mul(v.y)).add(r.z.mul(v.z))
}

// frame is a coordinate frame's pose in single precision.
type frame struct {
	rot rotation // from the frame to W
	pos vec
}

func newFrame(p spatial.Pose) frame {
	m := p.Rot.Mat4()
	row := func(i int) vec { return vec{float32(m[i]), float32(m[4+i]), float32(m[8+i])} }
	return frame{rotation{row(0), row(1), row(2)}, vec64(p.Pos)}
}

// place returns a point of the frame in W.
func (f *frame) place(p vec) vec { return f.pos.add(f.rot.apply(p)) }

// bounds is a box along the axes.
type bounds struct{ lo, hi vec }

var nowhere = bounds{
	vec{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
	vec{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
}

func (b bounds) with(p vec) bounds {
	return bounds{
		vec{min(b.lo.x, p.x), min(b.lo.y, p.y), min(b.lo.z, p.z)},
		vec{max(b.hi.x, p.x), max(b.hi.y, p.y), max(b.hi.z, p.z)},
	}
}

func (b bounds) join(o bounds) bounds { return b.with(o.lo).with(o.hi) }

func (b bounds) centre() vec { return b.lo.add(b.hi).mul(0.5) }

func (b bounds) area() float32 {
	d := b.hi.sub(b.lo)
	return d.x*d.y + d.y*d.z + d.z*d.x
}

func (b bounds) corner(i int) vec {
	c := b.lo
	if i&1 != 0 {
		c.x = b.hi.x
	}
	if i&2 != 0 {
		c.y = b.hi.y
	}
	if i&4 != 0 {
		c.z = b.hi.z
	}
	return c
}
