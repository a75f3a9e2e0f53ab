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

// Target is an object that a camera may see, and that may stand before others.
type Target struct {
	Kind    Kind
	Name    string
	Team    string       // of a robot
	Shape   Shape        // for what touches it
	Outline *Silhouette  // for the eye; nil for a sphere
	PoseWT  spatial.Pose // of the shape's frame, on the floor, or a sphere's centre: its origin is what vision locates
	VelW    mgl64.Vec3   // m/s

	id    uint64
	ahead mgl64.Vec2 // W, over the floor: where the x axis of PoseWT points
}

// NewTarget returns a target at the world's origin; a nil outline is that of the shape.
func NewTarget(kind Kind, name, team string, shape Shape, outline *Silhouette) Target {
	if outline == nil {
		outline = shape.Silhouette()
	}
	return Target{Kind: kind, Name: name, Team: team, Shape: shape, Outline: outline, PoseWT: spatial.Identity(), id: identity(kind, name), ahead: mgl64.Vec2{1, 0}}
}

// SetOutline has a target look otherwise from now on.
func (t *Target) SetOutline(outline *Silhouette) { t.Outline = outline }

// Move puts a target somewhere.
func (t *Target) Move(poseWT spatial.Pose, velW mgl64.Vec3) {
	t.PoseWT, t.VelW = poseWT, velW
	if t.Outline != nil {
		q := &poseWT.Rot
		t.ahead = mgl64.Vec2{1 - 2*(q.V[1]*q.V[1]+q.V[2]*q.V[2]), 2 * (q.V[0]*q.V[1] + q.W*q.V[2])}
	}
}

// bulk returns what holds the target, around its axis.
func (t *Target) bulk() bulk {
	if t.Shape.Kind == Sphere {
		r := t.Shape.Radius
		return bulk{r, -r, r, r}
	}
	return t.Outline.bulk
}

// identity returns a number for a target that does not depend on what else there is.
func identity(kind Kind, name string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, string(kind)) // hash.Hash never returns an error
	io.WriteString(h, name)
	return h.Sum64()
}

// Environment is what an observer at one instant needs to know of the world. Robots share its targets.
type Environment struct {
	Targets []Target
	Self    *Target      // the observer's own robot, one of Targets, which it does not report; nil for none
	PoseWB  spatial.Pose // of the robot
	Lines   *Lines       // of the field; nil for none
	Bars    []Bar        // of the goals
	Light   float64      // on the field; 1 is that of the common hall, and so is 0
	Gravity float64      // m/s²

	turn  mgl64.Mat3 // from the robot's axes into W; set by open, as is what follows
	ahead mgl64.Vec2 // W, over the floor: where the robot's x axis points
}

// prepare prepares a scene to be described.
func (s *Environment) prepare() {
	s.turn = s.PoseWB.Rotation()
	s.ahead = mgl64.Vec2{s.turn[0], s.turn[1]}
}

// heading returns the robot's, rad.
func (s *Environment) heading() float64 { return math.Atan2(s.ahead[1], s.ahead[0]) }

// toB returns a point of W in the robot's axes.
func (s *Environment) toB(pointW *mgl64.Vec3) mgl64.Vec3 {
	o := &s.PoseWB.Pos
	return spatial.TurnBack(&s.turn, pointW[0]-o[0], pointW[1]-o[1], pointW[2]-o[2])
}

// velocityB returns a velocity of W in the robot's axes.
func (s *Environment) velocityB(velW *mgl64.Vec3) mgl64.Vec3 {
	return spatial.TurnBack(&s.turn, velW[0], velW[1], velW[2])
}
