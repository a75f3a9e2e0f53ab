package gl

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The depth buffer's range, metres. It serves for occlusion only: depth images are computed from the distance itself.
const (
	nearPlane = 0.02
	farPlane  = 80
)

// viewBlock is the uniform block View, in std140 layout.
type viewBlock struct {
	rotWC  mgl32.Mat4
	eyeW   [4]float32
	clip   [4]float32
	lens   [4]float32
	mirror [4]float32
	depth  [4]float32
}

// camera is a view, prepared for drawing.
type camera struct {
	block          viewBlock
	poseWC, poseCW spatial.Pose
	lens           *lens // of a camera that is neither a pinhole nor a hyperbolic mirror
	mirrored       bool  // by a hyperbolic mirror
	width, height  int
	fx, fy, cx, cy float64       // of a mirror, in the unified model
	xi             float64       // of a mirror's unified model
	edge           float64       // where a mirror's image ends, in the unified model's image plane
	rim            float64       // the largest angle from −z that a mirror shows
	sides          [4][3]float64 // of a pinhole's pyramid: inward normals in the optical frame
}

// set prepares a view; l is the tables of a model without a formula in the shaders, else nil.
func (c *camera) set(v *render.View, l *lens) {
	*c = camera{poseWC: v.PoseWC, poseCW: v.PoseWC.Inverse(), lens: l}
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
		c.mirrored, c.rim = true, m.RimAngle()
		c.block.mirror = [4]float32{float32(xi), float32(1 / scale)}
		c.xi = xi
		c.edge = math.Sin(c.rim) / (math.Cos(c.rim) + xi)
		c.block.mirror[2], c.block.mirror[3] = float32(c.edge), float32(c.edge*(1+render.RimShare))
	default:
		p.Width, p.Height = m.Size()
		p.FX, p.FY, p.CX, p.CY = l.focal, l.focal, l.centre[0], l.centre[1]
		c.rim = l.reach
		const texels = float64(seenSize-1) / seenSize // from the middle of the first to the middle of the last
		c.block.mirror = [4]float32{float32(l.axis), float32(texels / (2 * l.edge)), float32(l.edge)}
	}
	w, h := float64(p.Width), float64(p.Height)
	eye := v.PoseWC.Pos
	rot := v.PoseWC.Rot.Mat4()
	for i, x := range rot {
		c.block.rotWC[i] = float32(x)
	}
	c.block.eyeW = [4]float32{float32(eye[0]), float32(eye[1]), float32(eye[2]), float32(v.Vignetting)}
	// Row 0 of a framebuffer is the image's top row: y grows downwards everywhere.
	c.block.clip = [4]float32{
		float32(2 * p.FX * scale / w), float32((2*p.CX+1)/w - 1),
		float32(2 * p.FY * scale / h), float32((2*p.CY+1)/h - 1),
	}
	c.block.lens = [4]float32{float32(1 / p.FX), float32(1 / p.FY), float32(p.CX + 0.5), float32(p.CY + 0.5)}
	if l != nil {
		c.block.lens = [4]float32{float32(l.real[0]), float32(l.real[1]), float32(l.real[2] + 0.5), float32(l.real[3] + 0.5)}
	}
	c.block.depth = [4]float32{nearPlane, farPlane, float32(2 / w), float32(2 / h)}
	c.width, c.height = p.Width, p.Height
	c.fx, c.fy, c.cx, c.cy = p.FX*scale, p.FY*scale, p.CX, p.CY
}

// ray returns the direction of a tile's corner in the optical frame, of any length; pixel (0, 0) is the corner of the image here.
func (c *camera) ray(u, v float64) mgl64.Vec3 {
	if c.lens != nil {
		return c.lens.corners[int(v)/tileSize*(tilesOf(c.width)+1)+int(u)/tileSize]
	}
	x, y := (u-0.5-c.cx)/c.fx, (v-0.5-c.cy)/c.fy
	if !c.mirrored {
		return mgl64.Vec3{x, y, 1}
	}
	rho2 := x*x + y*y
	eta := (c.xi + math.Sqrt(math.Max(1+(1-c.xi*c.xi)*rho2, 0))) / (1 + rho2)
	return mgl64.Vec3{eta * x, eta * y, c.xi - eta}
}

// image returns the pixel of a unit vector in the optical frame, (0, 0) being the corner of the image; false outside the domain of the
// formula.
func (c *camera) image(dirC mgl64.Vec3) (u, v float64, ok bool) {
	if c.lens != nil {
		u, v, ok = c.lens.image(dirC)
		return u + 0.5, v + 0.5, ok
	}
	w := dirC[2]
	if c.mirrored {
		w = c.xi - dirC[2]
	}
	if w < 0.02 {
		return 0, 0, false
	}
	return c.cx + 0.5 + c.fx*dirC[0]/w, c.cy + 0.5 + c.fy*dirC[1]/w, true
}

func (c *camera) setSides(p optics.Pinhole) {
	x0, x1 := (-0.5-p.CX)/p.FX, (float64(p.Width)-0.5-p.CX)/p.FX
	y0, y1 := (-0.5-p.CY)/p.FY, (float64(p.Height)-0.5-p.CY)/p.FY
	for i, n := range []mgl64.Vec3{{1, 0, -x0}, {-1, 0, x1}, {0, 1, -y0}, {0, -1, y1}} {
		c.sides[i] = n.Normalize()
	}
}

// mayShow tells whether a sphere, its centre in the optical frame, may be in the image.
func (c *camera) mayShow(centreC mgl64.Vec3, radius float64) bool {
	d := centreC.Len()
	if d <= radius {
		return true
	}
	if c.curved() {
		return c.offAxis(centreC.Mul(1/d))-math.Asin(radius/d) < c.rim
	}
	for _, n := range c.sides {
		if centreC.Dot(n) < -radius {
			return false
		}
	}
	return centreC[2] > -radius
}

// curved tells whether straight edges are curved in the image.
func (c *camera) curved() bool { return c.mirrored || c.lens != nil }

// offAxis returns the angle between a unit vector and the direction of a curved image's middle, rad.
func (c *camera) offAxis(dirC mgl64.Vec3) float64 {
	axis := -1.0
	if c.lens != nil {
		axis = c.lens.axis
	}
	return math.Acos(mgl64.Clamp(axis*dirC[2], -1, 1))
}

// bend returns a bound b, pixels, for a curved image: an edge within a sphere that subtends an angle deviates from its curve by
// b·angle²/8. For a mirror it is the radius in the image of the sphere's outermost point.
func (c *camera) bend(centreC mgl64.Vec3, radius float64) float64 {
	if c.lens != nil {
		return c.lens.sharpness
	}
	angle := c.rim
	if d := centreC.Len(); d > radius {
		angle = math.Min(c.rim, c.offAxis(centreC.Mul(1/d))+math.Asin(radius/d))
	}
	return c.fx * math.Sin(math.Min(angle, math.Pi/2)) / (math.Cos(angle) + c.xi)
}
