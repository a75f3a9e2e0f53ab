package condition

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Choice names one condition by its key.
type Choice struct {
	InArea          *InArea          `toml:"in_area" doc:"the ball, a robot or an obstacle is in an area"`
	Near            *Near            `toml:"near" doc:"two bodies are close to each other"`
	Apart           *Apart           `toml:"apart" doc:"several bodies are at least a distance apart"`
	LineOfSight     *LineOfSight     `toml:"line_of_sight" doc:"no robot or obstacle is between two bodies"`
	Contact         *Contact         `toml:"contact" doc:"a body touches another"`
	Speed           *Speed           `toml:"speed" doc:"a body is fast or slow"`
	Turn            *Turn            `toml:"turn" doc:"a body turns fast or slowly"`
	BallHeld        *BallHeld        `toml:"ball_held" doc:"a robot dribbles the ball"`
	Score           *Score           `toml:"score" doc:"a team has a number of goals"`
	GameState       *GameState       `toml:"game_state" doc:"the game is in a state that a referee box knows"`
	Decided         *Decided         `toml:"decided" doc:"the automatic referee makes a decision"`
	Level           *Level           `toml:"level" doc:"a sensor is at a level"`
	Detects         *Detects         `toml:"detects" doc:"a camera without images reports a body"`
	SensorRate      *SensorRate      `toml:"sensor_rate" doc:"a sensor delivers at a rate"`
	ImageBrightness *ImageBrightness `toml:"image_brightness" doc:"a camera's images are bright or dark"`
	TopicValue      *TopicValue      `toml:"topic_value" doc:"a field of a topic's messages has a value"`
	TopicRate       *TopicRate       `toml:"topic_rate" doc:"messages arrive on a topic at a rate"`
	TopicDelay      *TopicDelay      `toml:"topic_delay" doc:"a topic's messages arrive with a short delay"`
	TopicError      *TopicError      `toml:"topic_error" doc:"a topic's poses are close to the truth"`
	Happened        *Happened        `toml:"happened" doc:"an event has happened"`
	All             All              `toml:"all" maxlen:"100" doc:"all of these conditions hold"`
	Any             Any              `toml:"any" maxlen:"100" doc:"at least one of these conditions holds"`
	Not             *Not             `toml:"not" doc:"this condition does not hold"`
	For             time.Duration    `toml:"for_s" range:"[0, 1000000]" doc:"time for which the condition must hold without a break"`
}

// Chosen returns the condition, without its for_s, and the condition's key. It fails if none or more than one is named.
func (c *Choice) Chosen() (key string, chosen Condition, err error) {
	key, value, err := rules.One(c, "needs one condition of", "needs one condition; all = [...] joins several")
	if err != nil {
		return "", nil, err
	}
	return key, value.(Condition), nil
}

func (c *Choice) Validate(w World) error {
	key, chosen, err := c.Chosen()
	if err != nil {
		return &schema.Violation{Rule: err.Error()}
	}
	return Below(key, chosen.Validate(w))
}

func (c *Choice) Bind(s State) (Test, error) {
	_, chosen, err := c.Chosen()
	if err != nil {
		return Test{}, err
	}
	test, err := chosen.Bind(s)
	if err != nil || c.For == 0 {
		return test, err
	}
	truth, held := s.Truth(), &holding{step: never}
	s.Keep(held)
	return Test{func() bool {
		if !test.Holds() {
			held.step = never
			return false
		}
		if held.step < truth.Step-1 {
			held.since = truth.Time
		}
		held.step = truth.Step
		return truth.Time-held.since >= c.For
	}, test.Now}, nil
}

// holding records for how long a condition has held without a break.
type holding struct {
	since time.Duration
	step  int64 // index of the last step in which the condition held
}

// never is the index of a step before all steps of a run. It also comes before the index of the step before the first.
const never = -2

func (h *holding) Exchange(c *keyframe.Codec) {
	c.Duration(&h.since)
	c.Int64(&h.step)
}

func (c *Choice) String() string {
	_, chosen, err := c.Chosen()
	switch {
	case err != nil:
		return err.Error()
	case c.For > 0:
		return fmt.Sprintf("%v for %v s", chosen, c.For.Seconds())
	}
	return chosen.String()
}
