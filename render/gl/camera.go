package gl

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The depth buffer's range, metres. It only decides what hides what: depth images hold the distance itself.
const (
	nearPlane = 0.02
	farPlane  = 80
)

// maxBend is how far, in pixels, the straight line between the ends of an edge may be off the curve that a mirror makes
// of it. At r pixels from the image's centre an edge seen under the angle a is off by r·a²/8.
const maxBend = 0.3

// viewBlock is the uniform block View, in std140 layout.
type viewBlock struct {
	rotWC  mgl32.Mat4
	eyeW   [4]float32
	clip   [4]float32
	lens   [4]float32
	mirror [4]float32
	depth  [4]float32
}

// camera is a view, ready to draw.
type camera struct {
	block    viewBlock
	poseWC   spatial.Pose
	mirrored bool
	rim      float64       // the largest angle from −z that a mirror shows
	xi       float64       // of a mirror: of the unified model,
	focal    float64       // and its focal length, pixels
	sides    [4][3]float64 // of a pinhole's pyramid: inward normals in the optical frame
}

func (c *camera) set(v *render.View) {
	*c = camera{poseWC: v.PoseWC}
	var p optics.Pinhole
	scale := 1.0
	switch m := v.Model.(type) {
	case optics.Pinhole:
		p = m
		c.setSides(p)
	case optics.Hyperbolic:
		p = m.Pinhole
		c.xi, scale = m.Unified()
		c.mirrored, c.rim, c.focal = true, m.RimAngle(), p.FX*scale
		c.block.mirror = [4]float32{float32(c.xi), float32(1 / scale)}
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
	c.block.depth = [4]float32{nearPlane, farPlane}
}

func (c *camera) setSides(p optics.Pinhole) {
	x0, x1 := (-0.5-p.CX)/p.FX, (float64(p.Width)-0.5-p.CX)/p.FX
	y0, y1 := (-0.5-p.CY)/p.FY, (float64(p.Height)-0.5-p.CY)/p.FY
	for i, n := range []mgl64.Vec3{{1, 0, -x0}, {-1, 0, x1}, {0, 1, -y0}, {0, -1, y1}} {
		c.sides[i] = n.Normalize()
	}
}

// sees tells whether a sphere may be in the picture. distance is that of its nearest point.
func (c *camera) sees(centreW mgl64.Vec3, radius float64) (distance float64, ok bool) {
	p := c.poseWC.Unrotate(centreW.Sub(c.poseWC.Pos))
	d := p.Len()
	distance = d - radius
	if distance <= 0 {
		return 0, true
	}
	if c.mirrored {
		return distance, math.Acos(mgl64.Clamp(-p[2]/d, -1, 1))-math.Asin(radius/d) < c.rim
	}
	for _, n := range c.sides {
		if p.Dot(n) < -radius {
			return distance, false
		}
	}
	return distance, p[2] > -radius
}

// maxAngle is the largest angle, radians, under which a mirror camera may see an edge of a part inside a sphere.
func (c *camera) maxAngle(centreW mgl64.Vec3, radius float64) float64 {
	p := c.poseWC.Unrotate(centreW.Sub(c.poseWC.Pos))
	outer := c.rim
	if d := p.Len(); d > radius {
		outer = math.Min(c.rim, math.Acos(mgl64.Clamp(-p[2]/d, -1, 1))+math.Asin(radius/d))
	}
	r := c.focal * math.Sin(outer) / (math.Cos(outer) + c.xi)
	return math.Sqrt(8 * maxBend / math.Max(r, 1))
}
