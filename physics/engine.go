package physics

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Engine advances a Model in fixed steps. The same model and the same commands at the same steps give the same
// snapshots to the last bit, in any process on the same machine type.
type Engine interface {
	// Step takes one command per robot, in the model's order, and advances by the model's step. A command that
	// Command.Validate refuses is an error that changes nothing; after any other the engine is unusable.
	Step(commands []Command) error
	// Snapshot copies the present state into s, reusing its slices.
	Snapshot(s *Snapshot)
	// PlaceRobot, PlaceObstacle and PlaceBall put a body somewhere, at the given velocity, between two steps. The
	// pose is that of the body's frame: on the floor for robots and obstacles, at the centre for the ball. They fail,
	// and change nothing, when the state is not finite.
	PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist) error
	PlaceObstacle(obstacle int, poseWO spatial.Pose) error
	PlaceBall(posW mgl64.Vec3, twistInW spatial.Twist) error
	// Close frees what the engine holds outside Go. It may be called more than once.
	Close()
}

// Model is everything an engine needs to start. The slices' order is the order of commands and of snapshots.
type Model struct {
	Config    Config        `toml:"physics"`
	Step      time.Duration // length of one step
	Seed      uint64
	Field     Field      `toml:"field"`
	Ball      Ball       `toml:"ball"`
	Robots    []Robot    `toml:"robot"`
	Obstacles []Obstacle `toml:"obstacle"`
}
