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
	// Validate runs before the simulation. For each field that names something the world does not have, it reports a
	// schema.Violation with that field's key.
	Validate(w World) error
	// Bind looks up everything that the condition needs in the running world. It fails if the world lacks any of it.
	Bind(s State) (Test, error)
	// String describes the condition as a verdict does, for example "ball in cyan_goal".
	String() string
}

// Test judges a condition in the present state of a world.
type Test struct {
	// Holds reports whether the condition holds. The caller calls Holds at least once in each step in which the
	// condition matters. Further calls in the same step return the same result.
	Holds func() bool
	// Now describes the present value that the condition judges, for example "ball at (1.20, 0.00, 0.11) m".
	Now func() string
}

// World is the world that Validate checks conditions against.
type World interface {
	// FindRobot returns the robot with a name. It fails if there is no such robot.
	FindRobot(name string) (physics.Robot, error)
	// FindSensor returns the configuration of a robot's sensor. It fails if there is no such sensor. It returns nil for
	// a robot whose model could not be read.
	FindSensor(robot, sensor string) (*sensors.Config, error)
	// CanBe reports whether a sensor is at a level for which accepts returns true, at the start or after some event. It
	// also returns true if too little of the world could be read to know.
	CanBe(robot, sensor string, accepts func(abstraction.Level) bool) bool
	// FindBody fails unless name is that of the ball, a robot or an obstacle.
	FindBody(name string) error
	// FindBodies fails unless a word is the name of a body, or a kind of at least as many bodies.
	FindBodies(word string, least int) error
	// FindArea fails unless name is that of an area of the field or of the world.
	FindArea(name string) error
	// FindEvent fails unless the world has an event with this name.
	FindEvent(name string) error
	// FindReferee fails unless the world has an automatic referee.
	FindReferee() error
	// FindPart fails unless the world has a part: a ball, or goals and a ball.
	FindPart(name string) error
}

// State is the running world in which conditions are judged. Values that it returns stay valid and up to date while the
// world runs.
type State interface {
	Model() *physics.Model
	// Truth returns the present state. The entries for its robots and obstacles stay at the same addresses.
	Truth() *physics.Snapshot
	Areas() area.Areas
	// Event returns the record of how often, and when, an event has happened. It fails if there is no such event.
	Event(name string) (*Occurrences, error)
	// Game returns what the referee box knows of the game.
	Game() *game.Game
	// Decisions returns a function that returns the decisions that the automatic referee makes in the present step.
	Decisions() (func() []referee.Decision, error)
	// Level returns a function that returns the level of a sensor's next frame.
	Level(robot, sensor string) (func() abstraction.Level, error)
	// Listen calls observe with each observation of a sensor at a level for which accepts returns true. Observations of
	// the present state arrive only after the conditions have been judged in this state. Listen fails if there is no
	// such sensor.
	Listen(robot, sensor string, accepts func(abstraction.Level) bool, observe func(*sensors.Observation)) error
	// Subscribe calls receive with each message of a topic, which holds the values of the given fields. The call comes
	// at the beginning of the first step after the message's arrival.
	Subscribe(topic string, fields []string, receive func(*Message)) error
	// Keep registers the memory of a test, so that key frames contain it.
	Keep(memory keyframe.Exchanger)
	// EachStep registers f, which is called for each new state, before conditions are judged.
	EachStep(f func())
}

// Occurrences records how often an event has happened, and at which sim times.
type Occurrences struct {
	Count       int
	First, Last time.Duration
}

// Add records that the event happens at the given sim time.
func (h *Occurrences) Add(now time.Duration) {
	if h.Count == 0 {
		h.First = now
	}
	h.Count++
	h.Last = now
}

// violation returns err as the violation of the field with the given key, or nil if err is nil.
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
