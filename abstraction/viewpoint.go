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
	MaxRange      float64        // metres; farther objects are not resolved
	FieldOfView   *FieldOfView   // of Model; nil works too, more slowly
	SelfOcclusion *SelfOcclusion // the robot that carries it, which is the scene's; nil hides nothing

	turn    mgl64.Mat3    // from the optical frame into W; set by open, as is what follows
	axis    mgl64.Vec3    // of the camera, W
	edges   [4]mgl64.Vec3 // W, inwards: normals of the planes that bound what it sees
	edged   bool          // those are all there is to its image
	rings   rings         // around W's z axis, of what it sees
	upright bool          // it has them
}

// prepare prepares an eye to look.
func (vp *Viewpoint) prepare() {
	vp.turn = vp.PoseWC.Rotation()
	vp.axis = mgl64.Vec3{vp.turn[6], vp.turn[7], vp.turn[8]}
	if vp.edged = vp.FieldOfView != nil && vp.FieldOfView.edged; vp.edged {
		for i := range vp.FieldOfView.edges {
			n := &vp.FieldOfView.edges[i]
			vp.edges[i] = spatial.Turn(&vp.turn, n[0], n[1], n[2])
		}
		return
	}
	vp.rings, vp.upright = vp.FieldOfView.ringsAround(vp.axis)
}

// Visible returns the share of a target's silhouette that the camera sees, by solid angle, 0 to 1: what is within the image, in
// range, and not behind other targets. Bodies count as upright.
func (vp *Viewpoint) Visible(env *Environment, target int) float64 {
	vp.prepare()
	env.prepare()
	var o targetViews
	vp.viewTargets(env, &o)
	return vp.visible(env, target, &o)
}

func (vp *Viewpoint) visible(env *Environment, target int, o *targetViews) float64 {
	self := &o.all[target]
	if self.out || self.distance > vp.MaxRange || self.distance == 0 {
		return 0
	}
	o.occluders = o.occluders[:0]
	for _, i := range o.candidates {
		if s := &o.all[i]; i != target && s.mayHide(self) {
			o.occluders = append(o.occluders, occluder{s: s, t: &env.Targets[i]})
		}
	}
	c := column{view: vp, self: self, target: &env.Targets[target], small: self.to-self.from < 0.3}
	if vp.SelfOcclusion != nil && vp.SelfOcclusion.hidesAny(self.from, self.to) {
		c.own = bearing(&env.ahead, self.toX, self.toY)
		if !vp.SelfOcclusion.hidesNone(c.own, arcsine(self.sin), self.from, self.to) {
			c.housing = vp.SelfOcclusion
		}
	}
	if len(o.occluders) == 0 && self.whole && c.housing == nil {
		return 1
	}
	return c.visibleShare(o.occluders)
}

// bearing returns the azimuth of a direction over the floor from one that is ahead, rad, anticlockwise, 1.2e-5 off at most: enough to
// look up what there is in that direction. Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 4.4.49.
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
	// Looked up, since where things are nobody can predict, least of all a processor.
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

// octants are the azimuths from which bearing's angles go on, and in which sense: of those nearer to the y axis than to the x axis, of
// those behind, and of those to the right.
var octants = [8]struct{ from, sense float64 }{
	{0, 1}, {math.Pi / 2, -1}, {math.Pi, -1}, {math.Pi / 2, 1},
	{0, -1}, {-math.Pi / 2, 1}, {-math.Pi, 1}, {-math.Pi / 2, -1},
}

// arcsine is math.Asin, faster and 2e-4 off at most, where that is enough to look up a direction.
func arcsine(x float64) float64 {
	if math.Abs(x) < 0.3 {
		return x * (1 + x*x/6)
	}
	return math.Asin(x)
}

// slant returns the cosine of an angle with a given sine, its inverse, and the angle, as precisely as arcsine.
func slant(sin float64) (cos, secant, angle float64) {
	if s := sin * sin; s < 0.3*0.3 {
		return 1 - s/2*(1+s/4), 1 + s/2*(1+s*0.75), sin * (1 + s/6)
	}
	cos = math.Sqrt(1 - sin*sin)
	return cos, 1 / cos, math.Asin(sin)
}
