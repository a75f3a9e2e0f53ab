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
	Sight    *Sight       // of Model; nil works too, more slowly
}

// sightRows × sightCols points over an object's outline are looked at one by one.
const (
	sightRows = 5
	sightCols = 7
)

// sighting is how a target lies before the eye: to its centre, how far that is, and the radius of a sphere around it.
type sighting struct {
	to              mgl64.Vec3 // W
	distance, bound float64
}

// sight returns how targets lie before the eye, in into's memory.
func (e *Eye) sight(targets []Target, into []sighting) []sighting {
	into = into[:0]
	for i := range targets {
		to := targets[i].PoseWT.Apply(targets[i].Shape.centre()).Sub(e.PoseWC.Pos)
		into = append(into, sighting{to, to.Len(), targets[i].Shape.bound()})
	}
	return into
}

// Visible returns the share of a target's outline that the camera sees, 0 to 1: what is within the image, in range,
// and not behind others, of which target itself may be one.
func (e *Eye) Visible(target *Target, others []Target) float64 {
	var buf [manyTargets]sighting
	self := e.sight([]Target{*target}, nil)[0]
	return e.visible(target, self, others, e.sight(others, buf[:]))
}

// manyTargets are more than a match has; more cost memory.
const manyTargets = 32

func (e *Eye) visible(target *Target, self sighting, others []Target, seen []sighting) float64 {
	eye := e.PoseWC.Pos
	distance, bound := self.distance, self.bound
	if distance-bound > e.MaxRange || distance == 0 {
		return 0
	}
	angle := math.Acos(max(-1, min(1, e.PoseWC.Unrotate(self.to)[2]/distance)))
	radius := math.Pi // of the target, as an angle: it may be all around
	if bound < distance {
		radius = math.Asin(bound / distance)
	}
	if e.Sight.misses(angle, radius) {
		return 0
	}
	var buf [manyTargets]occluder
	occluders := buf[:0]
	for i := range others {
		if o := &others[i]; o != target && seen[i].mayHide(&self) {
			occluders = append(occluders, newOccluder(o, eye))
		}
	}
	if len(occluders) == 0 && distance+bound <= e.MaxRange && e.Sight.holds(angle, radius) {
		return 1
	}
	toCamera := e.PoseWC.Rot.Conjugate().Mat4().Mat3()
	shown, all := 0, 0
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
		shown++
	})
	return float64(shown) / float64(all)
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

// mayHide tells whether the sphere around o reaches into the cone around a target and lies before it.
func (o *sighting) mayHide(target *sighting) bool {
	if o.distance-o.bound > target.distance+target.bound {
		return false
	}
	if o.distance <= o.bound || target.distance <= target.bound {
		return true
	}
	// The angle between them against the sum of their radii, by cosines.
	a, b := o.bound/o.distance, target.bound/target.distance
	return o.to.Dot(target.to) >= o.distance*target.distance*(math.Sqrt((1-a*a)*(1-b*b))-a*b-1e-9)
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
