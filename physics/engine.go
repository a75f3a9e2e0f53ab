package physics

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Engine advances a Scene in fixed steps. The same scene and the same commands at the same steps give the same
// snapshots to the last bit, in any process on the same machine type.
type Engine interface {
	// Step takes one command per robot, in the scene's order, and advances by the scene's step. After an error the
	// engine is unusable.
	Step(commands []Command) error
	// Snapshot copies the present state into s, reusing its slices.
	Snapshot(s *Snapshot)
	// PlaceRobot, PlaceObstacle and PlaceBall put a body somewhere, at the given velocity, between two steps. The
	// pose is that of the body's frame: on the floor for robots and obstacles, at the centre for the ball.
	PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist)
	PlaceObstacle(obstacle int, poseWO spatial.Pose)
	PlaceBall(posW mgl64.Vec3, twistInW spatial.Twist)
	// Close frees what the engine holds outside Go. It may be called more than once.
	Close()
}

// Command is what one robot asks of its actuators during one step.
type Command struct {
	TwistB  PlanarTwist // wanted body velocity
	Dribble bool        // hold the ball when it is within reach
	Kick    Kick        // at most one per step; the zero value is none
}

// PlanarTwist is a velocity over the floor, in the robot's own axes (x forward, y left).
type PlanarTwist struct {
	VX, VY float64 // m/s
	Omega  float64 // rad/s, anticlockwise
}

// KickMode says which way the ball leaves the robot.
type KickMode uint8

const (
	NoKick   KickMode = iota
	FlatKick          // along the floor, at Kick.Speed
	LobKick           // through the air
)

// Kick is a request to shoot a ball that the robot holds; without the ball it does nothing.
type Kick struct {
	Mode KickMode
	// Speed of the ball in m/s, limited by the robot's KickerConfig. For a lob, 0 asks the engine to aim: the
	// parabola that enters the opponent's goal, if the robot heads for it.
	Speed float64
}

// Scene is everything an engine needs to start. The slices' order is the order of commands and of snapshots.
type Scene struct {
	Config    Config        `toml:"physics"`
	Step      time.Duration // length of one step
	Seed      uint64
	Field     Field      `toml:"field"`
	Ball      Ball       `toml:"ball"`
	Robots    []Robot    `toml:"robot"`
	Obstacles []Obstacle `toml:"obstacle"`
}
