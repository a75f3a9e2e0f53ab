package condition

import (
	"errors"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds/area"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/referee"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Condition is something that holds in a world at an instant, or does not.
type Condition interface {
	// Validate reports, before a run, each field that asks for what the world does not have: as schema.Violations with
	// that field's key.
	Validate(w World) error
	// Bind looks up once what the condition needs. It fails when s does not have what the condition asks for.
	Bind(s State) (Test, error)
	// String is what the condition asks for, as a verdict says it: "ball in cyan_goal".
	String() string
}

// Test judges the present state of a world.
type Test struct {
	// Holds tells whether the condition holds. It is called once in each step at least while the condition counts; more
	// often it gives the same.
	Holds func() bool
	// Now says what there is, in whose place the condition asks for something: "ball at (1.20, 0.00, 0.11) m".
	Now func() string
}

// World is what conditions are checked against.
type World interface {
	// FindRobot fails when there is no such robot.
	FindRobot(name string) (physics.Robot, error)
	// FindSensor fails when there is no such sensor. It returns nil for a robot whose model could not be read.
	FindSensor(robot, sensor string) (*sensors.Config, error)
	// CanBe tells whether a sensor of the world is ever at a level of these: at the start, or when an event has set it.
	// It is true where the world is not known well enough.
	CanBe(robot, sensor string, levels func(abstraction.Level) bool) bool
	// FindBody fails unless a name is the ball's, a robot's or an obstacle's.
	FindBody(name string) error
	// FindArea fails unless a name is that of an area of the field or of the world.
	FindArea(name string) error
	// FindEvent fails unless an event of the world has a name.
	FindEvent(name string) error
	// FindReferee fails unless the world has an automatic referee.
	FindReferee() error
}

// State is what conditions are judged on. What it returns stays valid, and up to date, as long as the world runs.
type State interface {
	Model() *physics.Model
	// Truth is the present state. Its robots and obstacles stay where they are in memory.
	Truth() *physics.Snapshot
	Areas() area.Areas
	// Event tells how often an event has happened. It fails when there is no such event.
	Event(name string) (*Happenings, error)
	// Game is what a referee box knows.
	Game() *game.Game
	// Decisions returns what tells the decisions of the automatic referee in the present step.
	Decisions() (func() []referee.Decision, error)
	// Level returns what tells the level of a sensor's next frame.
	Level(robot, sensor string) (func() abstraction.Level, error)
	// Listen has what a sensor delivers shown to observe, at the levels that are wanted. What is delivered at a time
	// comes after that time's conditions have been judged. It fails when there is no such sensor.
	Listen(robot, sensor string, wants func(abstraction.Level) bool, observe func(*sensors.Observation)) error
	// Subscribe has each message of a topic shown to receive, with some of its fields: when the step begins before
	// which it came.
	Subscribe(topic string, fields []string, receive func(*Message)) error
	// Keep has what a test remembers from step to step kept in key frames.
	Keep(memory keyframe.Exchanger)
	// EachStep calls f with each new state, before conditions are judged on it.
	EachStep(f func())
}

// Happenings is how often something has happened, and when, in sim time.
type Happenings struct {
	Count       int
	First, Last time.Duration
}

// Add notes that it happens now.
func (h *Happenings) Add(now time.Duration) {
	if h.Count == 0 {
		h.First = now
	}
	h.Count++
	h.Last = now
}

// wrong is what Validate reports about a field.
func wrong(key string, value any, err error) error {
	if err == nil {
		return nil
	}
	return &schema.Violation{Key: key, Value: value, Rule: err.Error()}
}

// Below puts a path before those of the violations in err.
func Below(path string, err error) error {
	var list []error
	for _, e := range schema.Flatten(err) {
		if v, ok := errors.AsType[*schema.Violation](e); ok {
			e = v.Below(path)
		}
		list = append(list, e)
	}
	return errors.Join(list...)
}
