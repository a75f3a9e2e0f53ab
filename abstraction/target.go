package abstraction

import (
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
	Kind   Kind
	Name   string
	Team   string // of a robot
	Shape  Shape
	PoseWT spatial.Pose // of the shape's frame: on the floor, or a sphere's centre
	VelW   mgl64.Vec3   // m/s
}

// reference returns the point that vision locates: a ball's centre, else the foot on the floor.
func (t *Target) reference() mgl64.Vec3 { return t.PoseWT.Pos }
