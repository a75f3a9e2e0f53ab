package optics

import "github.com/go-gl/mathgl/mgl64"

// Model is a camera model. Unless it is NonCentral, the origin of its optical frame is its single viewpoint.
type Model interface {
	// Size returns the image's width and height in pixels.
	Size() (width, height int)
	// Project returns the pixel at which a point is seen. The point is in the optical frame, in metres. ok is false if
	// the optics cannot image the point. The pixel may be outside of the image (see Inside).
	Project(pointC mgl64.Vec3) (u, v float64, ok bool)
	// Unproject returns the viewing direction of a pixel, with unit length. ok is false if the optics show nothing
	// there.
	Unproject(u, v float64) (dirC mgl64.Vec3, ok bool)
}

// NonCentral is a Model whose rays do not meet in one point, such as a mirror without a single viewpoint. Its Unproject
// returns only the direction, which is correct for distant points.
type NonCentral interface {
	Model
	// Ray returns the viewing ray of a pixel in the optical frame: its origin in metres, which is where the ray leaves
	// the optics, and its unit direction. ok is false if the optics show nothing there.
	Ray(u, v float64) (originC, dirC mgl64.Vec3, ok bool)
}

// Catadioptric is a Model of a camera that looks up into a mirror. The mirror's axis is z.
type Catadioptric interface {
	Model
	// RimPixels returns the radius, in pixels along u, at which the image of the mirror ends.
	RimPixels() float64
	// Outline returns n points (r, z) of the mirror's surface from its tip to its rim. They are in the optical frame,
	// in metres.
	Outline(n int) []mgl64.Vec2
	// PinholeZ returns the z coordinate of the real camera's viewpoint in the optical frame, metres.
	PinholeZ() float64
}

// Inside reports whether a pixel position is inside the image of a model.
func Inside(m Model, u, v float64) bool {
	w, h := m.Size()
	return u >= -0.5 && v >= -0.5 && u < float64(w)-0.5 && v < float64(h)-0.5
}

// Lens returns a camera's intrinsics and distortion. The name of the distortion model and the order of its coefficients
// are those of ROS's camera_info: plumb_bob, rational_polynomial or equidistant. A lens of the sphere model, for which
// ROS has no name, is called mei, with ξ, k1, k2, p1, p2. For mirrors and polynomials, the name is empty, and the
// intrinsics contain only the size. Source: sensor_msgs/distortion_models.h.
func Lens(m Model) (p Pinhole, name string, d []float64) {
	switch m := m.(type) {
	case Pinhole:
		return m, "plumb_bob", make([]float64, 5)
	case BrownConrady:
		c := m.Distortion
		d = []float64{c.K1, c.K2, c.P1, c.P2, c.K3}
		if c.K4 != 0 || c.K5 != 0 || c.K6 != 0 {
			return m.Pinhole, "rational_polynomial", append(d, c.K4, c.K5, c.K6)
		}
		return m.Pinhole, "plumb_bob", d
	case KannalaBrandt:
		return m.Pinhole, "equidistant", []float64{m.K1, m.K2, m.K3, m.K4}
	case Unified:
		return m.Pinhole, "mei", []float64{m.Xi, m.Distortion.K1, m.Distortion.K2, m.Distortion.P1, m.Distortion.P2}
	}
	p.Width, p.Height = m.Size()
	return p, "", nil
}

// RayMap holds the rays of all pixels of a camera. It is for ray casting, and for software that rectifies or unwarps
// images.
type RayMap struct {
	Width, Height int
	// Dir holds unit directions in the optical frame, height×width×3, row by row. They are 0 where the optics image
	// nothing.
	Dir []float64
	// Origin holds the points where the rays leave the optics, metres, in the same layout as Dir. It is nil if all rays
	// start at the origin of the optical frame.
	Origin []float64
}

// NewRayMap computes the ray of every pixel's centre.
func NewRayMap(m Model) *RayMap {
	w, h := m.Size()
	r := &RayMap{Width: w, Height: h, Dir: make([]float64, 3*w*h)}
	skew, _ := m.(NonCentral)
	if skew != nil {
		r.Origin = make([]float64, 3*w*h)
	}
	for v := range h {
		for u := range w {
			at := 3 * (v*w + u)
			if skew == nil {
				if d, ok := m.Unproject(float64(u), float64(v)); ok {
					copy(r.Dir[at:], d[:])
				}
			} else if o, d, ok := skew.Ray(float64(u), float64(v)); ok {
				copy(r.Dir[at:], d[:])
				copy(r.Origin[at:], o[:])
			}
		}
	}
	return r
}

// Pixel is the position in an image at which a point is seen. OK is false if the optics cannot image the point.
type Pixel struct {
	U, V float64
	OK   bool
}

// ProjectAll projects points like the model's method Project. It writes the results to its last argument, which must be
// as long as pointsC. For prepared hyperbolic mirrors it is several times as fast as calling Project for each point,
// because a call takes longer than the arithmetic.
func ProjectAll(m Model, pointsC []mgl64.Vec3, into []Pixel) {
	if h, ok := m.(*hyperbolic); ok {
		h.projectAll(pointsC, into)
		return
	}
	for i := range pointsC {
		p := &into[i]
		p.U, p.V, p.OK = m.Project(pointsC[i])
	}
}

// Images reports whether a model's optics image a point, as the method Project does.
func Images(m Model, pointC *mgl64.Vec3) bool {
	if h, ok := m.(*hyperbolic); ok {
		return h.images(pointC)
	}
	_, _, ok := m.Project(*pointC)
	return ok
}
