package optics

import (
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Mirror is a pinhole camera that looks along its axis into a mirror of any profile. In general it is NonCentral. As
// with Hyperbolic, the pinhole looks along +z, so the image's centre shows the direction −z.
//
// The origin of the optical frame is the point of the axis to which the rays come closest, averaged over the angles
// from −z that the mirror shows. For a mirror with a single viewpoint, it is this viewpoint.
type Mirror struct {
	Pinhole
	Profile   Profile
	Distance  float64 // distance from the pinhole to the mirror's tip, metres
	RimRadius float64 // distance from the axis at which the mirror ends, metres
	tip       float64 // z coordinate of the mirror's tip in the optical frame, metres
}

var _ NonCentral = (*Mirror)(nil)

// NewMirror returns the camera. It fails for lengths that are not positive, and for a mirror whose image folds back.
func NewMirror(p Pinhole, profile Profile, distance, rimRadius float64) (*Mirror, error) {
	if !(distance > 0) || !(rimRadius > 0) || math.IsInf(distance, 0) || math.IsInf(rimRadius, 0) {
		return nil, fmt.Errorf("distance = %v, rim radius = %v: must be positive", distance, rimRadius)
	}
	m := &Mirror{Pinhole: p, Profile: profile, Distance: distance, RimRadius: rimRadius}
	const n = 400
	var crossings, weights, last, seen float64
	for i := 1; i <= n; i++ {
		ray, ok := m.meridian(rimRadius * float64(i) / n)
		theta := math.Atan2(ray.dr, -ray.dz)
		if !ok || ray.tangent <= seen || theta <= last {
			return nil, fmt.Errorf("the mirror folds the image %.4g m from its axis", rimRadius*float64(i)/n)
		}
		// A least-squares fit of the point where rays meet the axis. The weight of a ray is larger if a shift along the
		// axis moves the ray more.
		w := ray.dr * ray.dr * (theta - last)
		crossings += w * (ray.z - ray.r*ray.dz/ray.dr)
		weights += w
		last, seen = theta, ray.tangent
	}
	m.tip = -crossings / weights
	return m, nil
}

// meridianRay is a ray in a plane through the axis: its origin on the mirror and its unit direction.
type meridianRay struct {
	r, z, dr, dz float64
	tangent      float64 // tangent of the angle from the axis at which the pinhole sees the ray's origin
}

// meridian returns the ray that the mirror reflects at the distance r from its axis. ok is false if the camera sees the
// back of the mirror there.
func (m *Mirror) meridian(r float64) (ray meridianRay, ok bool) {
	sag, slope := m.Profile.At(r)
	up := m.Distance + sag
	n := math.Hypot(r, up)
	ir, iz := r/n, up/n
	// The normal (slope, −1) points towards the camera.
	twice := 2 * (ir*slope - iz) / (1 + slope*slope)
	return meridianRay{r: r, z: m.tip + sag, dr: ir - twice*slope, dz: iz + twice, tangent: r / up}, twice < 0
}

// Ray fails for pixels that do not show the mirror.
func (m *Mirror) Ray(u, v float64) (originC, dirC mgl64.Vec3, ok bool) {
	x, y := (u-m.CX)/m.FX, (v-m.CY)/m.FY
	t := math.Hypot(x, y)
	if t == 0 {
		return mgl64.Vec3{0, 0, m.tip}, mgl64.Vec3{0, 0, -1}, true
	}
	r, ok := root(0, m.RimRadius, func(r float64) float64 {
		sag, _ := m.Profile.At(r)
		return r - (m.Distance+sag)*t
	})
	if !ok {
		return mgl64.Vec3{}, mgl64.Vec3{}, false
	}
	ray, _ := m.meridian(r)
	x, y = x/t, y/t
	return mgl64.Vec3{x * ray.r, y * ray.r, ray.z}, mgl64.Vec3{x * ray.dr, y * ray.dr, ray.dz}, true
}

// Unproject fails for pixels that do not show the mirror.
func (m *Mirror) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	_, dirC, ok = m.Ray(u, v)
	return dirC, ok
}

// Project fails for points that the mirror does not show. Points must be outside of the mirror.
func (m *Mirror) Project(pointC mgl64.Vec3) (u, v float64, ok bool) {
	side := math.Hypot(pointC[0], pointC[1])
	return m.pixel(pointC, side, func(ray meridianRay) float64 {
		return (pointC[2]-ray.z)*ray.dr - (side-ray.r)*ray.dz
	})
}

// pixel returns the image of a point. It searches the plane through the axis and the point for the reflected ray that
// meets the point. The last argument is a function that returns how far a ray passes above the point.
func (m *Mirror) pixel(pointC mgl64.Vec3, side float64, miss func(meridianRay) float64) (u, v float64, ok bool) {
	if side == 0 {
		return m.CX, m.CY, pointC[2] < m.tip
	}
	r, ok := root(0, m.RimRadius, func(r float64) float64 {
		ray, _ := m.meridian(r)
		return miss(ray)
	})
	if !ok {
		return 0, 0, false
	}
	ray, _ := m.meridian(r)
	return m.CX + m.FX*ray.tangent*pointC[0]/side, m.CY + m.FY*ray.tangent*pointC[1]/side, true
}

// RimPixels returns the radius, in pixels along u, at which the image of the mirror ends.
func (m *Mirror) RimPixels() float64 {
	ray, _ := m.meridian(m.RimRadius)
	return m.FX * ray.tangent
}

// Tip returns the z coordinate of the mirror's tip in the optical frame, metres.
func (m *Mirror) Tip() float64 { return m.tip }

// Outline returns n points (r, z) of the mirror's surface from its tip to its rim. They are in the optical frame, in
// metres.
func (m *Mirror) Outline(n int) []mgl64.Vec2 {
	profile := make([]mgl64.Vec2, n)
	for i := range profile {
		r := m.RimRadius * float64(i) / float64(n-1)
		sag, _ := m.Profile.At(r)
		profile[i] = mgl64.Vec2{r, m.tip + sag}
	}
	return profile
}

// PinholeZ returns the z coordinate of the real camera's viewpoint in the optical frame, metres.
func (m *Mirror) PinholeZ() float64 { return m.tip - m.Distance }

// far is a distance in metres. If a ray does not meet the floor nearer than this, a Central assumes that the ray shows
// a point at this distance.
const far = 20

// Central approximates a Mirror by a camera with a single viewpoint at the origin of its optical frame, for renderers
// that need one. Its image is exact for points of the floor and for points that are 20 m away. For other points it is
// wrong by the parallax.
type Central struct {
	mirror *Mirror
	floor  float64
}

// NewCentral returns the approximation of a mirror. The argument floor is the height of the viewpoint above the floor,
// metres. NewCentral fails if it is not positive.
func NewCentral(m *Mirror, floor float64) (Central, error) {
	if !(floor > 0) || math.IsInf(floor, 0) {
		return Central{}, fmt.Errorf("height = %v: the viewpoint must lie above the floor", floor)
	}
	return Central{m, floor}, nil
}

// Size returns the size of the mirror camera's image in pixels.
func (c Central) Size() (width, height int) { return c.mirror.Size() }

// RimPixels returns the radius, in pixels along u, at which the image of the mirror ends.
func (c Central) RimPixels() float64 { return c.mirror.RimPixels() }

// target returns the point that a ray is assumed to show, as (r, z).
func (c Central) target(ray meridianRay) (r, z float64) {
	s := float64(far)
	if ray.dz < 0 {
		s = math.Min(s, (ray.z+c.floor)/-ray.dz)
	}
	return ray.r + s*ray.dr, ray.z + s*ray.dz
}

// Project fails for directions that the mirror does not show.
func (c Central) Project(pointC mgl64.Vec3) (u, v float64, ok bool) {
	side := math.Hypot(pointC[0], pointC[1])
	return c.mirror.pixel(pointC, side, func(ray meridianRay) float64 {
		r, z := c.target(ray)
		return pointC[2]*r - side*z
	})
}

// Unproject fails for pixels that do not show the mirror.
func (c Central) Unproject(u, v float64) (dirC mgl64.Vec3, ok bool) {
	o, d, ok := c.mirror.Ray(u, v)
	if !ok {
		return mgl64.Vec3{}, false
	}
	out := math.Hypot(d[0], d[1])
	if out == 0 {
		return d, true
	}
	r, z := c.target(meridianRay{r: math.Hypot(o[0], o[1]), z: o[2], dr: out, dz: d[2]})
	return mgl64.Vec3{d[0] / out * r, d[1] / out * r, z}.Normalize(), true
}

// Parallax returns the distance in pixels between the images of a point in the mirror and in the approximation. ok is
// false if either of them does not show the point.
func (c Central) Parallax(pointC mgl64.Vec3) (pixels float64, ok bool) {
	u, v, ok := c.Project(pointC)
	mu, mv, shown := c.mirror.Project(pointC)
	return math.Hypot(u-mu, v-mv), ok && shown
}
