package physics

import (
	"time"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/omnipitch/omnipitch/physics/spatial"
)

// Engine advances a Model in fixed steps. The same model and the same commands at the same steps give bit-identical
// snapshots, in any process on the same type of machine.
type Engine interface {
	// Step advances the state by one step, of the model's length. It takes one command per robot, in the model's order.
	// If Command.Validate refuses a command, Step returns an error and changes nothing. After any other error the
	// engine is unusable.
	Step(commands []Command) error
	// Snapshot copies the current state into s, reusing its slices.
	Snapshot(s *Snapshot)
	// PlaceRobot, PlaceObstacle and PlaceBall set the pose and the twist of a body between two steps. The pose is the
	// pose of the body's frame: its origin is on the floor for robots and obstacles, and at the centre for the ball.
	// The methods fail, and change nothing, if a number is not finite or implausibly large.
	PlaceRobot(robot int, poseWB spatial.Pose, twistWBInW spatial.Twist) error
	PlaceObstacle(obstacle int, poseWO spatial.Pose, twistWOInW spatial.Twist) error
	PlaceBall(posW mgl64.Vec3, twistInW spatial.Twist) error
	// Close frees the memory that the engine holds outside Go. It may be called more than once.
	Close()
}

// Settler is an Engine that has work to do after all bodies of a step have been placed, and before the state is
// observed. The method Settle does this work, and reports whether it changed the state.
type Settler interface{ Settle() (changed bool) }

// Model is what an engine simulates, and its state at the start. Commands and snapshots have the order of its slices.
type Model struct {
	Config    Config        `toml:"physics"`
	Step      time.Duration // length of one step
	Seed      uint64
	Field     Field      `toml:"field"`
	Ball      Ball       `toml:"ball"`
	Robots    []Robot    `toml:"robot"`
	Obstacles []Obstacle `toml:"obstacle"`
}
