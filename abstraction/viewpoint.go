package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Viewpoint is a camera at one instant.
type Viewpoint struct {
	Model         optics.Model
	PoseWC        spatial.Pose   // of the optical frame
	MaxRange      float64        // farther objects are not visible, m
	FieldOfView   *FieldOfView   // field of view of Model; if nil, everything still works, but more slowly
	SelfOcclusion *SelfOcclusion // occlusion by the camera's own robot; nil for none
	Views         *TargetViews   // memory that cameras share; if nil, each Vision uses its own

	// Set by prepare:
	rotWC   mgl64.Mat3
	axis    mgl64.Vec3    // optical axis, W
	edges   [4]mgl64.Vec3 // inward normals of the planes through the edges of an image without distortion, W
	edged   bool          // the image has no distortion
	rings   rings         // slopes that an upright camera images, around W's z axis
	upright bool
}

// prepare computes values that are the same for all targets.
func (vp *Viewpoint) prepare() {
	vp.rotWC = vp.PoseWC.Rotation()
	vp.axis = mgl64.Vec3{vp.rotWC[6], vp.rotWC[7], vp.rotWC[8]}
	if vp.edged = vp.FieldOfView != nil && vp.FieldOfView.edged; vp.edged {
		for i := range vp.FieldOfView.edges {
			n := &vp.FieldOfView.edges[i]
			vp.edges[i] = spatial.Turn(&vp.rotWC, n[0], n[1], n[2])
		}
		return
	}
	vp.rings, vp.upright = vp.FieldOfView.ringsAround(vp.axis)
}

// Visible returns the fraction of a target's silhouette that the camera sees, from 0 to 1, measured by solid angle. A
// part is seen if it is in the image, in range, and not occluded by other targets. Visible assumes upright bodies.
func (vp *Viewpoint) Visible(env *Environment, target int) float64 {
	vp.prepare()
	env.prepare()
	var o TargetViews
	vp.viewTargets(env, &o)
	return vp.visible(env, target, &o)
}

// visible returns the visible fraction of a target behind the other targets and walls.
func (vp *Viewpoint) visible(env *Environment, target int, o *TargetViews) float64 {
	self := &o.all[target]
	if self.out || self.distance > vp.MaxRange || self.distance == 0 {
		return 0
	}
	o.walls = env.Walls.appendHiding(o.walls[:0], &vp.PoseWC.Pos, self.toX, self.toY, self.reach)
	o.setOccluders(env, target)
	return vp.visibleBehind(env, target, o, o.occluders, o.walls)
}

// visibleBehind returns the visible fraction of a target, considering only the given other targets and walls as
// occluders.
func (vp *Viewpoint) visibleBehind(env *Environment, target int, o *TargetViews, before []occluder,
	hiding []int32) float64 {
	self := &o.all[target]
	if self.out || self.distance > vp.MaxRange || self.distance == 0 {
		return 0
	}
	c := column{view: vp, self: self, target: &env.Targets[target], small: self.to-self.from < 0.3,
		planes: &o.planes}
	if vp.SelfOcclusion != nil && vp.SelfOcclusion.hidesAny(self.from, self.to) {
		c.azimuth = self.azimuth
		if !vp.SelfOcclusion.hidesNone(c.azimuth, arcsine(self.sin), self.from, self.to) {
			c.occlusion = vp.SelfOcclusion
		}
	}
	if len(before) == 0 && len(hiding) == 0 && self.whole && c.occlusion == nil {
		return 1
	}
	return c.visibleShare(before, env.Walls, hiding)
}

// bearing returns the azimuth of the direction (x, y) relative to the unit vector ahead, in rad, anticlockwise. Its
// error is at most 1.2e-5, which suffices to find a bin. Source: Abramowitz and Stegun, "Handbook of Mathematical
// Functions", 4.4.49.
func bearing(ahead *mgl64.Vec2, x, y float64) float64 {
	x, y = ahead[0]*x+ahead[1]*y, ahead[0]*y-ahead[1]*x
	ax, ay := math.Abs(x), math.Abs(y)
	most := max(ax, ay)
	if most == 0 {
		return 0
	}
	q := min(ax, ay) / most
	q2 := q * q
	angle := q * (0.9998660 + q2*(-0.3302995+q2*(0.1801410+q2*(-0.0851330+q2*0.0208351))))
	// The code uses a table instead of branches, which a processor would mispredict.
	octant := 0
	if ay > ax {
		octant = 1
	}
	if x < 0 {
		octant |= 2
	}
	if y < 0 {
		octant |= 4
	}
	return octants[octant].from + octants[octant].sense*angle
}

// octants are the azimuths from which the angles in bearing count, and the sense in which they count. Bit 0 of the
// index is set if the direction is closer to the y axis than to the x axis. Bit 1 is set if x < 0, and bit 2 if y < 0.
var octants = [8]struct{ from, sense float64 }{
	{0, 1}, {math.Pi / 2, -1}, {math.Pi, -1}, {math.Pi / 2, 1},
	{0, -1}, {-math.Pi / 2, 1}, {-math.Pi, 1}, {-math.Pi / 2, -1},
}

// arcsine is a faster math.Asin. Its error is at most 2e-4 rad, which suffices to find a bin.
func arcsine(x float64) float64 {
	if math.Abs(x) < 0.3 {
		return x * (1 + x*x/6)
	}
	return math.Asin(x)
}

// slant returns the cosine and the secant of the angle with a given sine, and the angle itself in rad, with the
// accuracy of arcsine.
func slant(sin float64) (cos, secant, angle float64) {
	if s := sin * sin; s < 0.3*0.3 {
		return 1 - s/2*(1+s/4), 1 + s/2*(1+s*0.75), sin * (1 + s/6)
	}
	cos = math.Sqrt(1 - sin*sin)
	return cos, 1 / cos, math.Asin(sin)
}
