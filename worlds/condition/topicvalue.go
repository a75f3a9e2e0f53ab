package condition

import (
	"errors"
	"fmt"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

// TopicValue holds while a field of a topic's newest message is above or below a number, or equals a value.
type TopicValue struct {
	Topic string   `toml:"topic" required:"true" doc:"full name of the topic"`
	Field string   `toml:"field" required:"true" doc:"path of the field, such as pose.pose.position.x or data[0]"`
	Over  *float64 `toml:"over" range:"(-inf, inf)"`
	Under *float64 `toml:"under" range:"(-inf, inf)"`
	Is    any      `toml:"is" doc:"value to equal: a number, a text, true or false"`
}

func (c *TopicValue) Validate(World) error {
	errs := []error{checkTopic(c.Topic), checkField(c.Field)}
	switch c.Is.(type) {
	case nil:
		errs = append(errs, bounds(c.Over, c.Under, "over", "under"))
	case bool, int64, float64, string:
		if c.Over != nil || c.Under != nil {
			errs = append(errs, violation("is", c.Is, errors.New("cannot be combined with over and under")))
		}
	default:
		errs = append(errs, violation("is", nil, errors.New("must be a number, a text, true or false")))
	}
	return errors.Join(errs...)
}

func (c *TopicValue) Bind(s State) (Test, error) {
	newest := new(newestValue)
	s.Keep(newest)
	err := s.Subscribe(c.Topic, []string{c.Field}, func(m *Message) { *newest = newestValue{m.Values[0], true} })
	return Test{func() bool { return newest.came && newest.Known && c.meets(newest.Value) }, func() string {
		switch {
		case !newest.came:
			return noMessageYet(c.Topic)
		case !newest.Known:
			return fmt.Sprintf("messages of %s have no field %s", c.Topic, c.Field)
		case newest.IsText:
			return fmt.Sprintf("%s of %s is %q", c.Field, c.Topic, newest.Text)
		}
		return fmt.Sprintf("%s of %s is %.6g", c.Field, c.Topic, newest.Number)
	}}, err
}

// meets reports whether a value satisfies the condition.
func (c *TopicValue) meets(v Value) bool {
	switch is := c.Is.(type) {
	case bool:
		return !v.IsText && (v.Number != 0) == is
	case int64:
		return !v.IsText && v.Number == float64(is)
	case float64:
		return !v.IsText && v.Number == is
	case string:
		return v.IsText && v.Text == is
	}
	lo, hi := limits(c.Over, c.Under)
	return !v.IsText && v.Number > lo && v.Number < hi // a comparison with NaN is false
}

func (c *TopicValue) String() string {
	if c.Is != nil {
		return fmt.Sprintf("%s of %s is %#v", c.Field, c.Topic, c.Is)
	}
	return fmt.Sprintf("%s of %s%s", c.Field, c.Topic, limitsText(c.Over, c.Under, ""))
}

// newestValue is the value of the field in the newest message.
type newestValue struct {
	Value
	came bool
}

func (v *newestValue) Exchange(c *keyframe.Codec) {
	c.Value(&v.Value)
	c.Bool(&v.came)
}
