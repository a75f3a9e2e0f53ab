package abstraction

import (
	"cmp"
	"hash/fnv"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Kind is the kind of an object: one of those below, or any other word that a world gives to a body.
type Kind string

const (
	BallKind     Kind = "ball"
	RobotKind    Kind = "robot"
	ObstacleKind Kind = "obstacle"
	PostKind     Kind = "goal_post"
)

// Target is an object that a camera may see, and that may occlude other objects.
type Target struct {
	Kind   Kind
	Name   string
	Team   string  // of a robot
	Shape  Shape   // used for laser scanners, and to locate objects
	Bottom float64 // height of the lower end of the shape over the floor, m; 0 for a target that moves
	Open   bool    // whether robots pass through, as through a door
	// Static is true for a target that does not move. Sensors that cast rays detect its solids in Environment.Solids
	// instead of Shape.
	Static bool
	// Drawn is true for a target that sensors which cast rays detect as images show it: by its bodies in
	// Environment.Surfaces instead of Shape.
	Drawn   bool
	Outline *Silhouette // used for the visible fraction; nil for a sphere
	// PoseWT is the pose of the shape's frame, whose origin is the point that vision locates. The origin of a sphere is
	// its centre. The origin of any other shape is on the floor.
	PoseWT spatial.Pose
	VelW   mgl64.Vec3 // m/s
	Light  float64    // light of nearby lamps, which is added to Environment.Light

	id    uint64     // hash of kind and name, for random numbers
	size  mgl64.Vec3 // extent of the shape
	ahead mgl64.Vec2 // the x axis of PoseWT over the floor, W
}

// NewTarget returns a target at the world's origin. If outline is nil, the target gets the outline of its shape.
func NewTarget(kind Kind, name, team string, shape Shape, outline *Silhouette) Target {
	if outline == nil {
		outline = shape.Silhouette()
	}
	return Target{Kind: kind, Name: name, Team: team, Shape: shape, Outline: outline, PoseWT: spatial.Identity(),
		id: identity(kind, name), size: shape.size(), ahead: mgl64.Vec2{1, 0}}
}

// Raise sets the height of the lower end of a target whose shape reaches down to the floor, m.
func (t *Target) Raise(bottom float64) { t.Bottom, t.size[2] = bottom, t.Shape.Height-bottom }

// SetOutline changes the outline that determines the visible fraction.
func (t *Target) SetOutline(outline *Silhouette) { t.Outline = outline }

// Move sets a target's pose and velocity, m/s.
func (t *Target) Move(poseWT spatial.Pose, velW mgl64.Vec3) {
	t.PoseWT, t.VelW = poseWT, velW
	if t.Outline != nil {
		q := &poseWT.Rot
		t.ahead = mgl64.Vec2{1 - 2*(q.V[1]*q.V[1]+q.V[2]*q.V[2]), 2 * (q.V[0]*q.V[1] + q.W*q.V[2])}
	}
}

// bulk returns an upright cylinder that contains the target.
func (t *Target) bulk() bulk {
	if t.Shape.Kind == Sphere {
		r := t.Shape.Radius
		return bulk{r, -r, r, r}
	}
	return t.Outline.bulk
}

// identity returns a hash of a target's kind and name. With it, the target's random numbers do not depend on other
// targets.
func identity(kind Kind, name string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, string(kind)) // hash.Hash never returns an error
	io.WriteString(h, name)
	return h.Sum64()
}

// Environment is what a robot's vision can perceive at one instant. The environments of all robots share their targets.
type Environment struct {
	Targets  []Target
	Surfaces []Surface    // of targets that are Drawn, for sensors that cast rays
	Solids   *Solids      // everything that does not move, for sensors that cast rays
	Walls    *Solids      // what hides targets, but is no target
	Self     *Target      // the robot's own entry in Targets, which the robot does not perceive; may be nil
	PoseWB   spatial.Pose // of the robot
	Lines    *Lines       // of the field; may be nil
	Bars     []Bar        // of the goals
	Light    float64      // light on the field, relative to the light in a common hall; 0 means 1
	Exposure float64      // exposure times gain of the camera, relative to the right value in a common hall; 0 means 1
	Gravity  float64      // m/s²

	// even is Light, and gain is Exposure, or 1 if these are 0. Method prepare sets even and all fields below it.
	even  float64
	gain  float64
	rotWB mgl64.Mat3
	ahead mgl64.Vec2 // the x axis of PoseWB over the floor, W
}

// prepare computes values that are the same for all targets.
func (s *Environment) prepare() {
	s.even, s.gain = cmp.Or(s.Light, 1), cmp.Or(s.Exposure, 1)
	s.rotWB = s.PoseWB.Rotation()
	s.ahead = mgl64.Vec2{s.rotWB[0], s.rotWB[1]}
}

// lightOn returns the brightness of a target in the image, relative to the brightness at the right exposure.
func (s *Environment) lightOn(t *Target) float64 { return (s.even + t.Light) * s.gain }

// heading returns the robot's heading, rad.
func (s *Environment) heading() float64 { return math.Atan2(s.ahead[1], s.ahead[0]) }

// toB converts a point from W to the robot's frame.
func (s *Environment) toB(pointW *mgl64.Vec3) mgl64.Vec3 {
	o := &s.PoseWB.Pos
	return spatial.TurnBack(&s.rotWB, pointW[0]-o[0], pointW[1]-o[1], pointW[2]-o[2])
}

// polar returns the distance, in m, of a point on the floor from the robot, and the bearing of the point, in rad. The
// coordinates of the point are in W.
func (s *Environment) polar(x, y float64) (distance, bearing float64) {
	dx, dy := x-s.PoseWB.Pos[0], y-s.PoseWB.Pos[1]
	return math.Hypot(dx, dy), spatial.WrapAngle(math.Atan2(dy, dx) - s.heading())
}

// velocityB converts a velocity from W to the robot's axes.
func (s *Environment) velocityB(velW *mgl64.Vec3) mgl64.Vec3 {
	return spatial.TurnBack(&s.rotWB, velW[0], velW[1], velW[2])
}

// targetViews are an environment's targets relative to a viewpoint. The memory is reused from frame to frame.
type targetViews struct {
	all        []targetView // of all targets
	candidates []int        // indices of the targets whose field out is false, in ascending order
	occluders  []occluder   // occluders of the target whose visible fraction is computed
	walls      []int32      // walls that may hide part of this target
	detected   []detectedTarget
}

// detectedTarget is a target that vision does not miss.
type detectedTarget struct {
	target  int
	visible float64 // visible fraction, 0 to 1
}

// targetView is a target relative to a viewpoint. Lengths are in m.
type targetView struct {
	toX, toY    float64 // W, from the viewpoint to the target's vertical axis
	flat        float64 // length of (toX, toY): horizontal distance from the viewpoint to the target's axis
	reach       float64 // largest distance of the target's points from its axis
	base        float64 // height of the target's frame over the viewpoint
	bottom, top float64 // heights of the target's ends over the viewpoint
	sin, cos    float64 // sine and cosine of half the azimuth that the target covers
	from, to    float64 // lowest and highest slope of the target, seen from the viewpoint
	distance    float64 // distance from the viewpoint to the target's centre
	edges       uint8   // bit k is set if the target may cross edge k of the image; only for images without distortion
	around      bool    // the viewpoint is above, below or inside the target
	// out is true if the target is out of range, outside of the image, or the observer's own robot. Then the target is
	// neither visible nor an occluder.
	out   bool
	whole bool // the whole target is in the image
}

// occluder is a target that may hide part of the target whose visible fraction is computed.
type occluder struct {
	s    *targetView
	t    *Target
	turn float64 // azimuth of the line of sight to the target, in the occluder's frame, rad
}

// viewTargets computes the view of all targets.
func (vp *Viewpoint) viewTargets(env *Environment, o *targetViews) {
	n := len(env.Targets)
	if cap(o.all) < n {
		o.all, o.candidates, o.occluders, o.detected = make([]targetView, n), make([]int, 0, n), make([]occluder, 0, n),
			make([]detectedTarget, 0, n)
	}
	o.all, o.candidates = o.all[:n], o.candidates[:0]
	for i := range o.all {
		t, s := &env.Targets[i], &o.all[i]
		if t == env.Self {
			s.out = true
			continue
		}
		if vp.viewTarget(t, s); !s.out {
			o.candidates = append(o.candidates, i)
		}
	}
}

// viewTarget computes the view of one target. It makes the cheapest tests first, and returns when a test shows that the
// target is out of range or outside of the image.
func (vp *Viewpoint) viewTarget(t *Target, s *targetView) {
	b, from, at := t.bulk(), &vp.PoseWC.Pos, &t.PoseWT.Pos
	*s = targetView{toX: at[0] - from[0], toY: at[1] - from[1], base: at[2] - from[2], reach: b.reach}
	s.bottom, s.top = s.base+b.bottom, s.base+b.top
	middle := (s.bottom + s.top) / 2
	flat2, far := s.toX*s.toX+s.toY*s.toY, vp.MaxRange+s.reach
	if s.out = flat2 > far*far || vp.edged && vp.excludes(s, middle, b.bound); s.out {
		return
	}
	s.flat, s.distance = math.Sqrt(flat2), math.Sqrt(flat2+middle*middle)
	if s.around = s.flat <= s.reach; s.around {
		s.sin, s.cos = 1, 0
		s.from, s.to = -steep, steep
	} else {
		s.sin = s.reach / s.flat
		s.cos = math.Sqrt(1 - s.sin*s.sin)
		s.from, s.to = prismSlopes(s.flat-s.reach, s.flat+s.reach, s.bottom, s.top)
	}
	switch {
	case vp.edged:
		s.whole = s.edges == 0
	case vp.upright:
		s.out = s.to < vp.rings.outer.from || s.from > vp.rings.outer.to
		s.whole = s.from > vp.rings.inner.from && s.to < vp.rings.inner.to
	case vp.FieldOfView != nil:
		radius := math.Pi // the viewpoint is inside the bounding sphere
		if b.bound < s.distance {
			radius = math.Asin(b.bound / s.distance)
		}
		angle := math.Acos(max(-1, min(1, (vp.axis[0]*s.toX+vp.axis[1]*s.toY+vp.axis[2]*middle)/s.distance)))
		s.out, s.whole = vp.FieldOfView.excludes(angle, radius), vp.FieldOfView.contains(angle, radius)
	}
}

// excludes reports whether a target's bounding sphere is outside of the image. It must be called only for images
// without distortion. If the sphere is not outside, excludes also sets in s.edges the bits of the image's edges that
// the sphere crosses.
func (vp *Viewpoint) excludes(s *targetView, middle, bound float64) bool {
	if vp.axis[0]*s.toX+vp.axis[1]*s.toY+vp.axis[2]*middle < -bound {
		return true // behind the camera
	}
	for i := range vp.edges {
		n := &vp.edges[i]
		d := n[0]*s.toX + n[1]*s.toY + n[2]*middle
		if d < -bound {
			return true
		}
		if d <= bound {
			s.edges |= 1 << i
		}
	}
	return false
}

// mayHide reports whether s can occlude part of another target.
func (s *targetView) mayHide(target *targetView) bool {
	if s.flat-s.reach > target.flat+target.reach || s.from > target.to || s.to < target.from {
		return false
	}
	if s.around || target.around {
		return true
	}
	// The azimuths overlap if the angle between them is at most the sum of the half widths. The test compares cosines.
	return s.toX*target.toX+s.toY*target.toY >= s.flat*target.flat*(s.cos*target.cos-s.sin*target.sin-1e-9)
}
