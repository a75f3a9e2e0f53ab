package abstraction

import (
	"hash/fnv"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Kind says what an object is.
type Kind string

const (
	BallKind     Kind = "ball"
	RobotKind    Kind = "robot"
	ObstacleKind Kind = "obstacle"
	PostKind     Kind = "goal_post"
)

// Target is an object that a camera may see, and that may hide others.
type Target struct {
	Kind    Kind
	Name    string
	Team    string       // of a robot
	Shape   Shape        // for lasers and vision's geometry
	Outline *Silhouette  // for visibility; nil for a sphere
	PoseWT  spatial.Pose // of the shape's frame, on the floor, or of a sphere's centre: its origin is what vision locates
	VelW    mgl64.Vec3   // m/s

	id    uint64     // of kind and name, for random numbers
	ahead mgl64.Vec2 // the x axis of PoseWT over the floor, W
}

// NewTarget returns a target at the world's origin. A nil outline means the shape's own.
func NewTarget(kind Kind, name, team string, shape Shape, outline *Silhouette) Target {
	if outline == nil {
		outline = shape.Silhouette()
	}
	return Target{Kind: kind, Name: name, Team: team, Shape: shape, Outline: outline, PoseWT: spatial.Identity(), id: identity(kind, name), ahead: mgl64.Vec2{1, 0}}
}

// SetOutline changes what is visible of a target.
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

// identity returns a number for a target that does not depend on other targets.
func identity(kind Kind, name string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, string(kind)) // hash.Hash never returns an error
	io.WriteString(h, name)
	return h.Sum64()
}

// Environment is what a robot's vision can perceive at one instant. The environments of all robots share their targets.
type Environment struct {
	Targets []Target
	Self    *Target      // the robot itself, one of Targets, which it does not perceive; nil for none
	PoseWB  spatial.Pose // of the robot
	Lines   *Lines       // of the field; nil for none
	Bars    []Bar        // of the goals
	Light   float64      // on the field, relative to that of a common hall; 0 means 1
	Gravity float64      // m/s²

	rotWB mgl64.Mat3 // set by prepare, as is what follows
	ahead mgl64.Vec2 // the x axis of PoseWB over the floor, W
}

// prepare computes what all targets need.
func (s *Environment) prepare() {
	s.rotWB = s.PoseWB.Rotation()
	s.ahead = mgl64.Vec2{s.rotWB[0], s.rotWB[1]}
}

// heading returns the robot's heading, rad.
func (s *Environment) heading() float64 { return math.Atan2(s.ahead[1], s.ahead[0]) }

// toB returns a point of W in the robot's frame.
func (s *Environment) toB(pointW *mgl64.Vec3) mgl64.Vec3 {
	o := &s.PoseWB.Pos
	return spatial.TurnBack(&s.rotWB, pointW[0]-o[0], pointW[1]-o[1], pointW[2]-o[2])
}

// velocityB returns a velocity in W in the robot's axes.
func (s *Environment) velocityB(velW *mgl64.Vec3) mgl64.Vec3 {
	return spatial.TurnBack(&s.rotWB, velW[0], velW[1], velW[2])
}
