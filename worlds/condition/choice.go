package condition

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/physics/rules"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Choice names one condition by its key.
type Choice struct {
	InArea          *InArea          `toml:"in_area" doc:"where the ball, a robot or an obstacle is"`
	Near            *Near            `toml:"near" doc:"how far apart two are"`
	Apart           *Apart           `toml:"apart" doc:"how far apart several are at least"`
	LineOfSight     *LineOfSight     `toml:"line_of_sight" doc:"whether a robot or an obstacle is between two"`
	Contact         *Contact         `toml:"contact" doc:"who touches whom"`
	Speed           *Speed           `toml:"speed" doc:"how fast the ball, a robot or an obstacle is"`
	Turn            *Turn            `toml:"turn" doc:"how fast the ball, a robot or an obstacle turns"`
	BallHeld        *BallHeld        `toml:"ball_held" doc:"who dribbles the ball"`
	Score           *Score           `toml:"score" doc:"how many goals a team has"`
	GameState       *GameState       `toml:"game_state" doc:"what a referee box knows of the game"`
	Decided         *Decided         `toml:"decided" doc:"what the automatic referee decides"`
	Level           *Level           `toml:"level" doc:"at which level a sensor is"`
	Detects         *Detects         `toml:"detects" doc:"whether a camera without images reports something"`
	SensorRate      *SensorRate      `toml:"sensor_rate" doc:"how often a sensor delivers"`
	ImageBrightness *ImageBrightness `toml:"image_brightness" doc:"how bright a camera's images are"`
	TopicValue      *TopicValue      `toml:"topic_value" doc:"what a field of a topic's messages holds"`
	TopicRate       *TopicRate       `toml:"topic_rate" doc:"how often messages come on a topic"`
	TopicDelay      *TopicDelay      `toml:"topic_delay" doc:"how old a topic's messages are when they come"`
	TopicError      *TopicError      `toml:"topic_error" doc:"how far a topic's poses are from the truth"`
	Happened        *Happened        `toml:"happened" doc:"whether an event has happened"`
	All             All              `toml:"all" maxlen:"100" doc:"each of these conditions holds"`
	Any             Any              `toml:"any" maxlen:"100" doc:"one of these conditions holds, or more"`
	Not             *Not             `toml:"not" doc:"this condition does not hold"`
	For             time.Duration    `toml:"for_s" range:"[0, 1000000]" doc:"how long the condition has to hold without a break"`
}

// Chosen returns the condition that is chosen, without for_s, with its key. It fails unless there is just one.
func (c *Choice) Chosen() (key string, chosen Condition, err error) {
	value, all, keys := rules.Chosen(c)
	switch last := len(keys) - 1; {
	case last < 0:
		return "", nil, errors.New("needs one condition of " + strings.Join(all, ", "))
	case last > 0:
		return "", nil, fmt.Errorf("has %s and %s: needs one condition; all = [...] joins several",
			strings.Join(keys[:last], ", "), keys[last])
	}
	return keys[0], value.(Condition), nil
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

// holding is for how long a condition has held without a break.
type holding struct {
	since time.Duration
	step  int64 // in which it held last
}

// never is a step before all others, and before that.
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
