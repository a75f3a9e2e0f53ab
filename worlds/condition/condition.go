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

// Condition is a statement about a world that holds or does not hold at an instant.
type Condition interface {
	// Validate reports, before a run, each field that names something the world does not have, as schema.Violations
	// with that field's key.
	Validate(w World) error
	// Bind looks up everything the condition needs. It fails if s does not have it.
	Bind(s State) (Test, error)
	// String describes the condition as a verdict does: "ball in cyan_goal".
	String() string
}

// Test judges a condition in the present state of a world.
type Test struct {
	// Holds reports whether the condition holds. While the condition counts, Holds is called at least once per step;
	// further calls in the same step return the same.
	Holds func() bool
	// Now describes the present value of what the condition asks for: "ball at (1.20, 0.00, 0.11) m".
	Now func() string
}

// World is the world that Validate checks conditions against.
type World interface {
	// FindRobot fails if there is no such robot.
	FindRobot(name string) (physics.Robot, error)
	// FindSensor fails if there is no such sensor. It returns nil for a robot whose model could not be read.
	FindSensor(robot, sensor string) (*sensors.Config, error)
	// CanBe reports whether a sensor ever has one of these levels, at the start or after an event. It returns true if
	// too little of the world is known.
	CanBe(robot, sensor string, levels func(abstraction.Level) bool) bool
	// FindBody fails unless name is the ball, a robot or an obstacle.
	FindBody(name string) error
	// FindArea fails unless name is an area of the field or of the world.
	FindArea(name string) error
	// FindEvent fails unless the world has an event of this name.
	FindEvent(name string) error
	// FindReferee fails unless the world has an automatic referee.
	FindReferee() error
}

// State is the running world in which conditions are judged. Values that it returns stay valid and up to date while the
// world runs.
type State interface {
	Model() *physics.Model
	// Truth returns the present state. Its robots and obstacles stay at the same addresses.
	Truth() *physics.Snapshot
	Areas() area.Areas
	// Event returns the record of an event's happenings. It fails if there is no such event.
	Event(name string) (*Occurrences, error)
	// Game returns the referee box's knowledge of the game.
	Game() *game.Game
	// Decisions returns a function that returns the automatic referee's decisions in the present step.
	Decisions() (func() []referee.Decision, error)
	// Level returns a function that returns the level of a sensor's next frame.
	Level(robot, sensor string) (func() abstraction.Level, error)
	// Listen calls observe with the observations of a sensor at the levels that wants accepts. The observations of a
	// time arrive after the conditions of that time are judged. Listen fails if there is no such sensor.
	Listen(robot, sensor string, wants func(abstraction.Level) bool, observe func(*sensors.Observation)) error
	// Subscribe calls receive with each message of a topic, and with the values of some of its fields, when the first
	// step after the message's arrival begins.
	Subscribe(topic string, fields []string, receive func(*Message)) error
	// Keep adds a test's memory to key frames.
	Keep(memory keyframe.Exchanger)
	// EachStep calls f with each new state, before conditions are judged.
	EachStep(f func())
}

// Occurrences records how often something has happened, and when, in sim time.
type Occurrences struct {
	Count       int
	First, Last time.Duration
}

// Add records that it happens now.
func (h *Occurrences) Add(now time.Duration) {
	if h.Count == 0 {
		h.First = now
	}
	h.Count++
	h.Last = now
}

// violation returns the violation that Validate reports for a field.
func violation(key string, value any, err error) error {
	if err == nil {
		return nil
	}
	return &schema.Violation{Key: key, Value: value, Rule: err.Error()}
}

// Below prepends a path to the fields of the violations in err.
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
