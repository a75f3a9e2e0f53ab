package rays

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
)

// Vec is a vector. The compiler keeps mathgl's vectors, which are arrays, in memory. It keeps a structure in registers,
// which halves the time of a ray.
type Vec struct{ X, Y, Z float32 }

// V returns the vector (x, y, z).
func V(x, y, z float32) Vec { return Vec{x, y, z} }

// Vec32 and Vec64 convert vectors of mathgl.
func Vec32(v mgl32.Vec3) Vec { return Vec{v[0], v[1], v[2]} }
func Vec64(v mgl64.Vec3) Vec { return Vec{float32(v[0]), float32(v[1]), float32(v[2])} }

// In64 returns the vector in double precision.
func (a Vec) In64() mgl64.Vec3 { return mgl64.Vec3{float64(a.X), float64(a.Y), float64(a.Z)} }

func (a Vec) Add(b Vec) Vec            { return Vec{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }
func (a Vec) Sub(b Vec) Vec            { return Vec{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }
func (a Vec) Mul(s float32) Vec        { return Vec{a.X * s, a.Y * s, a.Z * s} }
func (a Vec) Times(b Vec) Vec          { return Vec{a.X * b.X, a.Y * b.Y, a.Z * b.Z} } // componentwise
func (a Vec) Dot(b Vec) float32        { return a.X*b.X + a.Y*b.Y + a.Z*b.Z }
func (a Vec) Len() float32             { return Sqrt(a.Dot(a)) }
func (a Vec) Unit() Vec                { return a.Mul(1 / a.Len()) }
func (a Vec) Mix(b Vec, t float32) Vec { return a.Add(b.Sub(a).Mul(t)) }

// Cross returns the cross product.
func (a Vec) Cross(b Vec) Vec { return Vec{a.Y*b.Z - a.Z*b.Y, a.Z*b.X - a.X*b.Z, a.X*b.Y - a.Y*b.X} }

// Axis returns X, Y or Z.
func (a Vec) Axis(i int) float32 {
	switch i {
	case 0:
		return a.X
	case 1:
		return a.Y
	}
	return a.Z
}

func Sqrt(x float32) float32  { return float32(math.Sqrt(float64(x))) }
func Floor(x float32) float32 { return float32(math.Floor(float64(x))) }
func Abs(x float32) float32   { return float32(math.Abs(float64(x))) }

// Clamp01 clamps x to the range from 0 to 1.
func Clamp01(x float32) float32 { return min(max(x, 0), 1) }

// Encode converts linear light to 8-bit sRGB. It converts NaN, which comes from invalid poses, to black.
func Encode(light float32) uint8 {
	if !(light > 0) {
		return 0
	}
	return render.Encode8(min(light, 1))
}

// Pow returns x to the power of y. It returns 0 if x is not positive.
func Pow(x, y float32) float32 {
	if x <= 0 {
		return 0
	}
	return float32(math.Pow(float64(x), float64(y)))
}

// Smoothstep rises smoothly from 0 at lo to 1 at hi, as in GLSL.
func Smoothstep(lo, hi, x float32) float32 {
	t := Clamp01((x - lo) / (hi - lo))
	return t * t * (3 - 2*t)
}

// Log2 returns an approximation of the binary logarithm, with an error below 0.1.
func Log2(x float32) float32 {
	bits := math.Float32bits(x)
	return float32(int(bits>>23)-127) + float32(bits&(1<<23-1))/(1<<23)
}

// Rotation is a rotation matrix, given by its rows.
type Rotation struct{ X, Y, Z Vec }

// Apply rotates a vector.
func (r *Rotation) Apply(v Vec) Vec { return Vec{r.X.Dot(v), r.Y.Dot(v), r.Z.Dot(v)} }

// Back applies the inverse of the rotation to a vector.
func (r *Rotation) Back(v Vec) Vec { return r.X.Mul(v.X).Add(r.Y.Mul(v.Y)).Add(r.Z.Mul(v.Z)) }

// Frame is a coordinate frame's pose in single precision.
type Frame struct {
	Rot    Rotation // from the frame to W
	Pos    Vec
	Absent bool // the pose is that of spatial.Absent
}

// NewFrame returns the Frame of a pose.
func NewFrame(p spatial.Pose) Frame {
	m := p.Rot.Mat4()
	row := func(i int) Vec { return Vec{float32(m[i]), float32(m[4+i]), float32(m[8+i])} }
	return Frame{Rotation{row(0), row(1), row(2)}, Vec64(p.Pos), p.Absent()}
}

// Place transforms a point of the frame to W.
func (f *Frame) Place(p Vec) Vec { return f.Pos.Add(f.Rot.Apply(p)) }

// Bounds is an axis-aligned box.
type Bounds struct{ Lo, Hi Vec }

// Nowhere is the empty box.
var Nowhere = Bounds{
	Vec{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
	Vec{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
}

// With extends the box to contain a point.
func (b Bounds) With(p Vec) Bounds {
	return Bounds{
		Vec{min(b.Lo.X, p.X), min(b.Lo.Y, p.Y), min(b.Lo.Z, p.Z)},
		Vec{max(b.Hi.X, p.X), max(b.Hi.Y, p.Y), max(b.Hi.Z, p.Z)},
	}
}

// Join returns the smallest box that contains both boxes.
func (b Bounds) Join(o Bounds) Bounds { return b.With(o.Lo).With(o.Hi) }

// Centre returns the centre of the box.
func (b Bounds) Centre() Vec { return b.Lo.Add(b.Hi).Mul(0.5) }

// area returns half of the box's surface area.
func (b Bounds) area() float32 {
	d := b.Hi.Sub(b.Lo)
	return d.X*d.Y + d.Y*d.Z + d.Z*d.X
}

// Corner returns one of the box's eight corners. i is from 0 to 7.
func (b Bounds) Corner(i int) Vec {
	c := b.Lo
	if i&1 != 0 {
		c.X = b.Hi.X
	}
	if i&2 != 0 {
		c.Y = b.Hi.Y
	}
	if i&4 != 0 {
		c.Z = b.Hi.Z
	}
	return c
}
