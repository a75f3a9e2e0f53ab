package raster

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The range of depth buffers, metres. Depth buffers serve only to find visible surfaces. Depth images are computed from
// the distance itself.
const (
	NearPlane = 0.02
	FarPlane  = 80
)

// Projection holds the parameters that map points to pixels and pixels to rays, in the layout of OpenGL's uniform block
// View (std140). Pixels count from the image's corner: the centre of the first pixel is (0.5, 0.5). In the following, x
// and y are coordinates in the optical frame divided by z; for a mirror, they are coordinates in the unified model's
// image plane.
type Projection struct {
	RotWC mgl32.Mat4
	Eye   [4]float32 // position of the viewpoint in W, metres; then the amount of natural vignetting
	// Clip holds a scale and an offset for x, and then a scale and an offset for y. They map x and y to −1 to 1 across
	// the image. y grows downwards.
	Clip [4]float32
	// Real holds 1/fx and 1/fy of the real camera, and its principal point in pixels.
	Real [4]float32
	// Mirror has two meanings. For a hyperbolic mirror, it holds ξ, the reciprocal of the factor from the real camera's
	// image plane to the unified model's, and the radii at which the image and the rim end in the unified model's image
	// plane. For a camera with a Lens, it holds the axis (1 or −1), the width of the table per unit of stereographic
	// coordinate, and the stereographic radius at which the table of directions ends.
	Mirror [4]float32
	Depth  [4]float32 // NearPlane, FarPlane, 2/width, 2/height
}

// Camera is a view prepared for drawing.
type Camera struct {
	Projection
	PoseWC, PoseCW spatial.Pose
	Width, Height  int  // pixels
	Mirrored       bool // whether the camera looks into a hyperbolic mirror
	// tables of a camera that is neither a pinhole nor has a hyperbolic mirror; nil for other cameras
	Lens *Lens
	// The pixel of a point is (FX·x + CX, FY·y + CY), with (0, 0) at the centre of the first pixel. There x and y are
	// the point's coordinates in the optical frame, divided by z. For a mirror, they are divided by ξ·|p| − z instead.
	// For a Lens, the focal lengths apply at the image's centre.
	FX, FY, CX, CY float64
	Xi             float64       // ξ of a mirror's unified model
	edge           float64       // radius at which a mirror's image ends, in the unified model's image plane
	axis           float64       // direction along z in which the centre of a curved image looks: 1 or −1
	rim            float64       // largest angle from the axis that a curved image shows, rad
	rimSin, rimCos float64       // of rim
	sides          [4]mgl64.Vec3 // normals of the sides of a pinhole's pyramid of view, inwards, in the optical frame
}

// Set prepares a view. The argument l holds the tables of the view's model. It is nil if HasFormula is true for the
// model.
func (c *Camera) Set(v *render.View, l *Lens) {
	*c = Camera{PoseWC: v.PoseWC, PoseCW: v.PoseWC.Inverse(), Lens: l}
	var p optics.Pinhole
	scale := 1.0
	switch m := v.Model.(type) {
	case optics.Pinhole:
		p = m
		c.setSides(p)
	case optics.Hyperbolic:
		p = m.Pinhole
		var xi float64
		xi, scale = m.Unified()
		c.Mirrored, c.axis, c.rim = true, -1, m.RimAngle()
		c.Mirror = [4]float32{float32(xi), float32(1 / scale)}
		c.Xi = xi
		c.edge = math.Sin(c.rim) / (math.Cos(c.rim) + xi)
		c.Mirror[2], c.Mirror[3] = float32(c.edge), float32(c.edge*(1+render.RimShare))
	default:
		p.Width, p.Height = m.Size()
		p.FX, p.FY, p.CX, p.CY = l.focal, l.focal, l.centre[0], l.centre[1]
		c.axis, c.rim = l.axis, l.reach
		// distance from the centre of the first to the centre of the last texel, as a fraction of the table's width
		const texels = float64(SeenSize-1) / SeenSize
		c.Mirror = [4]float32{float32(l.axis), float32(texels / (2 * l.edge)), float32(l.edge)}
	}
	c.rimSin, c.rimCos = math.Sincos(c.rim)
	w, h := float64(p.Width), float64(p.Height)
	eye := v.PoseWC.Pos
	rot := v.PoseWC.Rot.Mat4()
	for i, x := range rot {
		c.RotWC[i] = float32(x)
	}
	c.Eye = [4]float32{float32(eye[0]), float32(eye[1]), float32(eye[2]), float32(v.Vignetting)}
	// Row 0 of a framebuffer is the image's top row, so y grows downwards everywhere.
	c.Clip = [4]float32{
		float32(2 * p.FX * scale / w), float32((2*p.CX+1)/w - 1),
		float32(2 * p.FY * scale / h), float32((2*p.CY+1)/h - 1),
	}
	c.Real = [4]float32{float32(1 / p.FX), float32(1 / p.FY), float32(p.CX + 0.5), float32(p.CY + 0.5)}
	if l != nil {
		c.Real = [4]float32{float32(l.real[0]), float32(l.real[1]), float32(l.real[2] + 0.5), float32(l.real[3] + 0.5)}
	}
	c.Depth = [4]float32{NearPlane, FarPlane, float32(2 / w), float32(2 / h)}
	c.Width, c.Height = p.Width, p.Height
	c.FX, c.FY, c.CX, c.CY = p.FX*scale, p.FY*scale, p.CX, p.CY
}

// ray returns the direction in which a tile's corner (u, v) looks, in the optical frame. Its length is arbitrary. (0,
// 0) is the corner of the image.
func (c *Camera) ray(u, v float64) mgl64.Vec3 {
	x, y := (u-0.5-c.CX)/c.FX, (v-0.5-c.CY)/c.FY
	if !c.Mirrored {
		return mgl64.Vec3{x, y, 1}
	}
	rho2 := x*x + y*y
	eta := (c.Xi + math.Sqrt(math.Max(1+(1-c.Xi*c.Xi)*rho2, 0))) / (1 + rho2)
	return mgl64.Vec3{eta * x, eta * y, c.Xi - eta}
}

// image returns the pixel of a point in the optical frame, where (0, 0) is the corner of the image. ok is false if the
// formula does not apply to the point.
func (c *Camera) image(p *mgl64.Vec3) (u, v float64, ok bool) {
	n := math.Sqrt(p[0]*p[0] + p[1]*p[1] + p[2]*p[2])
	if c.Lens != nil {
		u, v, ok = c.Lens.image(mgl64.Vec3{p[0] / n, p[1] / n, p[2] / n})
		return u + 0.5, v + 0.5, ok
	}
	w := p[2]
	if c.Mirrored {
		w = c.Xi*n - p[2]
	}
	if !(w >= 0.02*n) {
		return 0, 0, false
	}
	by := 1 / w
	return c.CX + 0.5 + c.FX*p[0]*by, c.CY + 0.5 + c.FY*p[1]*by, true
}

func (c *Camera) setSides(p optics.Pinhole) {
	x0, x1 := (-0.5-p.CX)/p.FX, (float64(p.Width)-0.5-p.CX)/p.FX
	y0, y1 := (-0.5-p.CY)/p.FY, (float64(p.Height)-0.5-p.CY)/p.FY
	for i, n := range []mgl64.Vec3{{1, 0, -x0}, {-1, 0, x1}, {0, 1, -y0}, {0, -1, y1}} {
		c.sides[i] = n.Normalize()
	}
}

// mayShow reports whether a sphere with its centre in the optical frame may be in the image.
func (c *Camera) mayShow(centreC *mgl64.Vec3, radius float64) bool {
	d2 := centreC[0]*centreC[0] + centreC[1]*centreC[1] + centreC[2]*centreC[2]
	if d2 <= radius*radius {
		return true
	}
	// the sphere is visible if the angle between the axis and its centre is less than rim plus half the angle that it
	// subtends
	if c.Curved() {
		d := math.Sqrt(d2)
		sin := radius / d
		cos := math.Sqrt(1 - sin*sin)
		return c.rimSin*cos+c.rimCos*sin <= 0 || c.axis*centreC[2] > (c.rimCos*cos-c.rimSin*sin)*d
	}
	for i := range c.sides {
		n := &c.sides[i]
		if centreC[0]*n[0]+centreC[1]*n[1]+centreC[2]*n[2] < -radius {
			return false
		}
	}
	return centreC[2] > -radius
}

// Curved reports whether straight edges are curved in the image.
func (c *Camera) Curved() bool { return c.Mirrored || c.Lens != nil }

// Reach returns, for a curved image, the largest angle in rad that the image shows, measured from the direction in
// which its centre looks. It also returns this direction: 1 for +z, −1 for −z.
func (c *Camera) Reach() (axis, angle float64) { return c.axis, c.rim }

// bend returns a bound b in pixels for a curved image. An edge that lies in a sphere and subtends an angle is imaged as
// a curve. This curve deviates from a straight line by at most b·angle²/8. For a mirror, b is the distance from the
// image's centre of the sphere's outermost point.
func (c *Camera) bend(centreC *mgl64.Vec3, radius float64) float64 {
	if c.Lens != nil {
		return c.Lens.sharpness
	}
	sin, cos := c.rimSin, c.rimCos // of the angle between the axis and the sphere's outermost point
	if d := centreC.Len(); d > radius {
		s := radius / d
		k := math.Sqrt(1 - s*s)
		onAxis := c.axis * centreC[2] / d
		off := math.Sqrt(math.Max(1-onAxis*onAxis, 0))
		if outer := onAxis*k - off*s; outer > c.rimCos && off*k+onAxis*s > 0 {
			sin, cos = off*k+onAxis*s, outer
		}
	}
	if cos < 0 {
		sin = 1
	}
	return c.FX * sin / (cos + c.Xi)
}

// HasFormula reports whether a model is projected by a formula. Other models are projected by the tables of a Lens.
func HasFormula(m optics.Model) bool {
	switch m.(type) {
	case optics.Pinhole, optics.Hyperbolic:
		return true
	}
	return false
}

// Reversed reports whether the image is mirrored relative to that of a pinhole, like the image in a mirror.
func (c *Camera) Reversed() bool { return c.Mirrored || c.Lens != nil && c.Lens.turned }
