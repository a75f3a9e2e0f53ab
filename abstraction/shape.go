package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// ShapeKind is a kind of geometric shape.
type ShapeKind uint8

const (
	Sphere   ShapeKind = iota // uses Radius; the pose's origin is the sphere's centre
	Cylinder                  // uses Radius and Height; upright, with the pose's origin at the centre of its base
	Box                       // uses SizeX, SizeY and Height; upright, with the pose's origin at the centre of its base
)

// Shape is a solid of one of the kinds above. Lengths are in m. Each kind uses only the fields that its comment names.
type Shape struct {
	Kind           ShapeKind
	Radius, Height float64
	SizeX, SizeY   float64
}

// size returns the extent of the shape along its own axes, m.
func (s Shape) size() mgl64.Vec3 {
	d := 2 * s.Radius
	switch s.Kind {
	case Sphere:
		return mgl64.Vec3{d, d, d}
	case Cylinder:
		return mgl64.Vec3{d, d, s.Height}
	}
	return mgl64.Vec3{s.SizeX, s.SizeY, s.Height}
}

// centre returns the centre of the shape in its own frame.
func (s Shape) centre() mgl64.Vec3 {
	if s.Kind == Sphere {
		return mgl64.Vec3{}
	}
	return mgl64.Vec3{0, 0, s.Height / 2}
}

// bound returns the radius of the smallest sphere that contains the shape and has the same centre, m.
func (s Shape) bound() float64 {
	switch s.Kind {
	case Sphere:
		return s.Radius
	case Cylinder:
		return math.Hypot(s.Radius, s.Height/2)
	}
	return math.Sqrt(s.SizeX*s.SizeX+s.SizeY*s.SizeY+s.Height*s.Height) / 2
}

// clip restricts [lo, hi] to the part where from + t·dir lies in the shape. The vectors are in the shape's frame. It
// reports whether anything remains.
func (s *Shape) clip(from, dir *mgl64.Vec3, lo, hi *float64) bool {
	switch s.Kind {
	case Sphere:
		return clipQuadratic(dir.Dot(*dir), from.Dot(*dir), from.Dot(*from)-s.Radius*s.Radius, lo, hi)
	case Cylinder:
		return clipSlab(from[2], dir[2], 0, s.Height, lo, hi) &&
			clipQuadratic(dir[0]*dir[0]+dir[1]*dir[1], from[0]*dir[0]+from[1]*dir[1],
				from[0]*from[0]+from[1]*from[1]-s.Radius*s.Radius, lo, hi)
	}
	return clipSlab(from[2], dir[2], 0, s.Height, lo, hi) &&
		clipSlab(from[0], dir[0], -s.SizeX/2, s.SizeX/2, lo, hi) &&
		clipSlab(from[1], dir[1], -s.SizeY/2, s.SizeY/2, lo, hi)
}

// clipSlab restricts [lo, hi] to the part where least ≤ from + t·dir ≤ most. It reports whether anything remains.
func clipSlab(from, dir, least, most float64, lo, hi *float64) bool {
	if dir == 0 {
		return from >= least && from <= most
	}
	t0, t1 := (least-from)/dir, (most-from)/dir
	if t0 > t1 {
		t0, t1 = t1, t0
	}
	*lo, *hi = max(*lo, t0), min(*hi, t1)
	return *lo <= *hi
}

// clipQuadratic restricts [lo, hi] to the part where a·t² + 2·b·t + c ≤ 0. It reports whether anything remains.
func clipQuadratic(a, b, c float64, lo, hi *float64) bool {
	if a == 0 {
		return c <= 0
	}
	d := b*b - a*c
	if d < 0 {
		return false
	}
	d = math.Sqrt(d)
	*lo, *hi = max(*lo, (-b-d)/a), min(*hi, (-b+d)/a)
	return *lo <= *hi
}

// Raycast returns the distance in m from a point along a unit vector to the surface of the shape at poseWT, or +Inf if
// the ray misses the shape. The point and the vector are in W. A ray that starts inside hits the surface where it
// leaves the shape.
func (s Shape) Raycast(poseWT spatial.Pose, from, along mgl64.Vec3) float64 {
	r := s.Raycaster(&poseWT, from)
	return r.Cast(&along)
}

// Raycaster casts rays from one point at a shape. It computes in advance what all rays have in common.
type Raycaster struct {
	shape         Shape
	poseWT        *spatial.Pose
	fromT         mgl64.Vec3
	toCentre      mgl64.Vec3 // vector from the point to the centre of a sphere that contains the shape, W
	far2, radius2 float64    // squares of the length of toCentre and of the sphere's radius
	radius        float64
}

// Raycaster returns a Raycaster for a point in W and the shape at poseWT, which must not change.
func (s Shape) Raycaster(poseWT *spatial.Pose, from mgl64.Vec3) Raycaster {
	d, radius := poseWT.Apply(s.centre()).Sub(from), s.bound()
	return Raycaster{
		shape: s, poseWT: poseWT, fromT: poseWT.Unrotate(from.Sub(poseWT.Pos)),
		toCentre: d, far2: d.Dot(d), radius: radius, radius2: radius * radius,
	}
}

// half returns half of the sides of the smallest box around the shape's centre that contains the shape, in its frame.
func (s Shape) half() mgl64.Vec3 {
	switch s.Kind {
	case Sphere:
		return mgl64.Vec3{s.Radius, s.Radius, s.Radius}
	case Cylinder:
		return mgl64.Vec3{s.Radius, s.Radius, s.Height / 2}
	}
	return mgl64.Vec3{s.SizeX / 2, s.SizeY / 2, s.Height / 2}
}

// Box returns a box that contains the shape: the vector from the point to its centre, and half of its edges, in W.
func (r *Raycaster) Box() (toCentre mgl64.Vec3, half [3]mgl64.Vec3) {
	rot, size := r.poseWT.Rotation(), r.shape.half()
	for i := range half {
		half[i] = rot.Col(i).Mul(size[i])
	}
	return r.toCentre, half
}

// Nearest returns a distance, in m, below which no ray hits the shape.
func (r *Raycaster) Nearest() float64 {
	size, square := r.shape.half(), 0.0
	for i, x := range r.fromT.Sub(r.shape.centre()) {
		d := max(math.Abs(x)-size[i], 0)
		square += d * d
	}
	return math.Sqrt(square) - 1e-9
}

// Cast returns the distance, in m, along a ray to the surface of the shape, or +Inf if the ray misses the shape. See
// Shape.Raycast.
func (r *Raycaster) Cast(along *mgl64.Vec3) float64 {
	// Most rays miss most shapes, so the bounding sphere is tested first.
	foot := r.toCentre[0]*along[0] + r.toCentre[1]*along[1] + r.toCentre[2]*along[2]
	if r.far2-foot*foot > r.radius2 || foot < -r.radius {
		return math.Inf(1)
	}
	in, out := math.Inf(-1), math.Inf(1)
	dir := r.turned(along)
	if !r.shape.clip(&r.fromT, &dir, &in, &out) || out <= 0 {
		return math.Inf(1)
	}
	if in > 0 {
		return in
	}
	return out
}

// turned returns a direction in the frame of the shape. For a shape that only turns about the vertical, it computes the
// same with less.
func (r *Raycaster) turned(along *mgl64.Vec3) mgl64.Vec3 {
	q := &r.poseWT.Rot
	if q.V[0] != 0 || q.V[1] != 0 {
		return r.poseWT.Unrotate(*along)
	}
	z, w := -q.V[2], 2*q.W
	x, y := -z*along[1], z*along[0]
	return mgl64.Vec3{along[0] + w*x - 2*z*y, along[1] + w*y + 2*z*x, along[2]}
}
