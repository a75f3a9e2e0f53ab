package raster

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/optics"
)

// The range of depth buffers, metres. It serves for occlusion only: depth images are computed from the distance itself.
const (
	NearPlane = 0.02
	FarPlane  = 80
)

// Projection is the numbers by which points and pixels are projected, in the layout of OpenGL's uniform block View (std140). Pixels are
// counted from the image's corner: the middle of the first is (0.5, 0.5). x and y are in the optical frame divided by its z, or the
// unified model's image plane for a mirror.
type Projection struct {
	RotWC mgl32.Mat4
	Eye   [4]float32 // W, metres; share of natural vignetting
	// Clip is scale and offset that turn x, and then y, into −1 to 1 across the image, y downwards.
	Clip [4]float32
	// Real is the real camera's 1/fx and 1/fy, and its principal point, pixels.
	Real [4]float32
	// Mirror is, of a hyperbolic mirror: ξ, one through the factor from the real camera's image plane to the unified model's, where the
	// Image ends there, and where its rim does; of a camera drawn by tables: its axis, texels' share of a stereographic coordinate, and
	// the stereographic radius at which the table of directions ends.
	Mirror [4]float32
	Depth  [4]float32 // NearPlane, FarPlane, 2/width, 2/height
}

// Camera is a view, prepared for drawing.
type Camera struct {
	Projection
	PoseWC, PoseCW spatial.Pose
	Lens           *Lens // of a camera that is neither a pinhole nor a hyperbolic mirror
	Mirrored       bool  // by a hyperbolic mirror
	Width, Height  int
	fx, fy, cx, cy float64       // of a mirror, in the unified model
	xi             float64       // of a mirror's unified model
	edge           float64       // where a mirror's image ends, in the unified model's image plane
	rim            float64       // the largest angle from −z that a mirror shows
	sides          [4][3]float64 // of a pinhole's pyramid: inward normals in the optical frame
}

// Set prepares a view. l is the tables of its model where HasFormula is false, else nil.
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
		c.Mirrored, c.rim = true, m.RimAngle()
		c.Mirror = [4]float32{float32(xi), float32(1 / scale)}
		c.xi = xi
		c.edge = math.Sin(c.rim) / (math.Cos(c.rim) + xi)
		c.Mirror[2], c.Mirror[3] = float32(c.edge), float32(c.edge*(1+render.RimShare))
	default:
		p.Width, p.Height = m.Size()
		p.FX, p.FY, p.CX, p.CY = l.focal, l.focal, l.centre[0], l.centre[1]
		c.rim = l.reach
		const texels = float64(SeenSize-1) / SeenSize // from the middle of the first to the middle of the last
		c.Mirror = [4]float32{float32(l.axis), float32(texels / (2 * l.edge)), float32(l.edge)}
	}
	w, h := float64(p.Width), float64(p.Height)
	eye := v.PoseWC.Pos
	rot := v.PoseWC.Rot.Mat4()
	for i, x := range rot {
		c.RotWC[i] = float32(x)
	}
	c.Eye = [4]float32{float32(eye[0]), float32(eye[1]), float32(eye[2]), float32(v.Vignetting)}
	// Row 0 of a framebuffer is the image's top row: y grows downwards everywhere.
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
	c.fx, c.fy, c.cx, c.cy = p.FX*scale, p.FY*scale, p.CX, p.CY
}

// Ray returns the direction of a tile's corner in the optical frame, of any length; pixel (0, 0) is the corner of the image here.
func (c *Camera) Ray(u, v float64) mgl64.Vec3 {
	if c.Lens != nil {
		return c.Lens.corners[int(v)/TileSize*(tilesOf(c.Width)+1)+int(u)/TileSize]
	}
	x, y := (u-0.5-c.cx)/c.fx, (v-0.5-c.cy)/c.fy
	if !c.Mirrored {
		return mgl64.Vec3{x, y, 1}
	}
	rho2 := x*x + y*y
	eta := (c.xi + math.Sqrt(math.Max(1+(1-c.xi*c.xi)*rho2, 0))) / (1 + rho2)
	return mgl64.Vec3{eta * x, eta * y, c.xi - eta}
}

// Image returns the pixel of a unit vector in the optical frame, (0, 0) being the corner of the image; false outside the domain of the
// formula.
func (c *Camera) Image(dirC mgl64.Vec3) (u, v float64, ok bool) {
	if c.Lens != nil {
		u, v, ok = c.Lens.Image(dirC)
		return u + 0.5, v + 0.5, ok
	}
	w := dirC[2]
	if c.Mirrored {
		w = c.xi - dirC[2]
	}
	if w < 0.02 {
		return 0, 0, false
	}
	return c.cx + 0.5 + c.fx*dirC[0]/w, c.cy + 0.5 + c.fy*dirC[1]/w, true
}

func (c *Camera) setSides(p optics.Pinhole) {
	x0, x1 := (-0.5-p.CX)/p.FX, (float64(p.Width)-0.5-p.CX)/p.FX
	y0, y1 := (-0.5-p.CY)/p.FY, (float64(p.Height)-0.5-p.CY)/p.FY
	for i, n := range []mgl64.Vec3{{1, 0, -x0}, {-1, 0, x1}, {0, 1, -y0}, {0, -1, y1}} {
		c.sides[i] = n.Normalize()
	}
}

// MayShow tells whether a sphere, its centre in the optical frame, may be in the image.
func (c *Camera) MayShow(centreC mgl64.Vec3, radius float64) bool {
	d := centreC.Len()
	if d <= radius {
		return true
	}
	if c.Curved() {
		return c.offAxis(centreC.Mul(1/d))-math.Asin(radius/d) < c.rim
	}
	for _, n := range c.sides {
		if centreC.Dot(n) < -radius {
			return false
		}
	}
	return centreC[2] > -radius
}

// Curved tells whether straight edges are curved in the image.
func (c *Camera) Curved() bool { return c.Mirrored || c.Lens != nil }

// offAxis returns the angle between a unit vector and the direction of a curved image's middle, rad.
func (c *Camera) offAxis(dirC mgl64.Vec3) float64 {
	axis := -1.0
	if c.Lens != nil {
		axis = c.Lens.axis
	}
	return math.Acos(mgl64.Clamp(axis*dirC[2], -1, 1))
}

// Bend returns a bound b, pixels, for a curved image: an edge within a sphere that subtends an angle deviates from its curve by
// b·angle²/8. For a mirror it is the radius in the image of the sphere's outermost point.
func (c *Camera) Bend(centreC mgl64.Vec3, radius float64) float64 {
	if c.Lens != nil {
		return c.Lens.sharpness
	}
	angle := c.rim
	if d := centreC.Len(); d > radius {
		angle = math.Min(c.rim, c.offAxis(centreC.Mul(1/d))+math.Asin(radius/d))
	}
	return c.fx * math.Sin(math.Min(angle, math.Pi/2)) / (math.Cos(angle) + c.xi)
}

// HasFormula tells whether a camera's model is drawn by a formula, not by the tables of a Lens.
func HasFormula(m optics.Model) bool {
	switch m.(type) {
	case optics.Pinhole, optics.Hyperbolic:
		return true
	}
	return false
}

// Reversed tells whether the image turns the other way round than a pinhole's: as a mirror's does.
func (c *Camera) Reversed() bool { return c.Mirrored || c.Lens != nil && c.Lens.turned }
