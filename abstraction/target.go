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
