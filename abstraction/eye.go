package abstraction

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
	"github.com/omnipitch/omnipitch/render/optics"
)

// Eye is a camera at one instant.
type Eye struct {
	Model    optics.Model
	PoseWC   spatial.Pose // of the optical frame
	MaxRange float64      // metres; farther objects are not resolved
}

// sightRows × sightCols points over an object's outline are looked at one by one.
const (
	sightRows = 5
	sightCols = 7
)

// Visible returns the share of a target's outline that the camera sees, 0 to 1: what is within the image, in range,
// and not behind others, of which target itself may be one.
func (e *Eye) Visible(target *Target, others []Target) float64 {
	eye := e.PoseWC.Pos
	centre := target.PoseWT.Apply(target.Shape.centre())
	toCentre := centre.Sub(eye)
	distance := toCentre.Len()
	if distance-target.Shape.bound() > e.MaxRange || distance == 0 {
		return 0
	}
	var buf [32]occluder // more than a match has; append takes care of the rest
	occluders := buf[:0]
	for i := range others {
		if o := &others[i]; o != target && e.mayHide(o, toCentre, distance, target.Shape.bound()) {
			occluders = append(occluders, newOccluder(o, eye))
		}
	}
	toCamera := e.PoseWC.Rot.Conjugate().Mat4().Mat3()
	seen, all := 0, 0
	outline(target, eye, func(p mgl64.Vec3) {
		all++
		ray := p.Sub(eye)
		u, v, ok := e.Model.Project(toCamera.Mul3x1(ray))
		if !ok || !optics.Inside(e.Model, u, v) || ray.Len() > e.MaxRange {
			return
		}
		for i := range occluders {
			if occluders[i].hides(ray) {
				return
			}
		}
		seen++
	})
	return float64(seen) / float64(all)
}

// occluder is a target with what does not change from ray to ray.
type occluder struct {
	shape Shape
	rotSW mgl64.Mat3 // turns world vectors into the shape's frame
	eyeS  mgl64.Vec3 // where the eye is, in the shape's frame
}

func newOccluder(t *Target, eyeW mgl64.Vec3) occluder {
	return occluder{t.Shape, t.PoseWT.Rot.Conjugate().Mat4().Mat3(), t.PoseWT.Inverse().Apply(eyeW)}
}

// hides tells whether the shape lies on the ray from the eye, as long as the ray is.
func (o *occluder) hides(rayW mgl64.Vec3) bool { return o.shape.blocks(o.eyeS, o.rotSW.Mul3x1(rayW)) }

// mayHide tells whether o's bounding sphere reaches into the cone around a target and lies before it.
func (e *Eye) mayHide(o *Target, toTarget mgl64.Vec3, distance, bound float64) bool {
	to := o.PoseWT.Apply(o.Shape.centre()).Sub(e.PoseWC.Pos)
	r := o.Shape.bound()
	d := to.Len()
	if d-r > distance+bound {
		return false
	}
	if d <= r || distance <= bound {
		return true
	}
	between := math.Acos(math.Max(-1, math.Min(1, to.Dot(toTarget)/(d*distance))))
	return between <= math.Asin(r/d)+math.Asin(bound/distance)
}

// outline calls visit with points spread evenly over what of the target faces the eye: a ball's disc, or the upright
// rectangle that a cylinder or box fills.
func outline(t *Target, eye mgl64.Vec3, visit func(mgl64.Vec3)) {
	centre := t.PoseWT.Apply(t.Shape.centre())
	to := centre.Sub(eye)
	if t.Shape.Kind == Sphere {
		right := to.Cross(mgl64.Vec3{0, 0, 1})
		if right.Len() < 1e-9 {
			right = mgl64.Vec3{1, 0, 0}
		}
		right = right.Normalize()
		up := right.Cross(to).Normalize()
		visit(centre)
		for ring := 1; ring <= 3; ring++ {
			// Rings in the middle of three bands of equal area each; 6, 12, 18 points keep their density even.
			r := t.Shape.Radius * (float64(ring) - 0.25) / 3
			for i := range 6 * ring {
				s, c := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / float64(6*ring))
				visit(centre.Add(right.Mul(r * c)).Add(up.Mul(r * s)))
			}
		}
		return
	}
	across := mgl64.Vec3{-to[1], to[0], 0}
	if across.Len() < 1e-9 {
		across = mgl64.Vec3{0, 1, 0}
	}
	across = across.Normalize()
	half := t.Shape.Radius
	if t.Shape.Kind == Box {
		a := t.PoseWT.Unrotate(across)
		half = (math.Abs(a[0])*t.Shape.SizeX + math.Abs(a[1])*t.Shape.SizeY) / 2
	}
	for row := range sightRows {
		z := t.Shape.Height * ((float64(row)+0.5)/sightRows - 0.5)
		for col := range sightCols {
			y := half * (2*(float64(col)+0.5)/sightCols - 1)
			visit(centre.Add(across.Mul(y)).Add(mgl64.Vec3{0, 0, z}))
		}
	}
}
