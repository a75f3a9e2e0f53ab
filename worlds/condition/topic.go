package condition

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

// Message is a message that has arrived on a topic.
type Message struct {
	Arrived time.Duration // sim time of the newest state when the message arrived
	Stamped bool          // the message has a header
	Stamp   time.Duration // stamp of the header, in sim time; equal to Arrived for a message without a header
	Values  []Value       // values of the subscribed fields, in the order of the subscription
}

// Value is the value of a message's field: a number, a time in seconds, a truth value as 0 or 1, or a text.
type Value struct {
	Known  bool // whether the topic's message type has the field
	IsText bool
	Number float64
	Text   string
}

// Topics delivers the messages of topics to conditions.
type Topics interface {
	// Subscribe calls the function receive with each message of a topic, and with the values of the given fields. It
	// does so until the caller calls remove.
	Subscribe(topic string, fields []string, receive func(*Message)) (remove func())
	// Take delivers all messages that have arrived since the last call. The argument now is the time of the newest
	// state. Only the goroutine that steps calls Take.
	Take(now time.Duration)
}

var topicName = regexp.MustCompile(`^(/[A-Za-z][A-Za-z0-9_]*)+$`)

// CheckTopic fails unless name is a full topic name of ROS 1.
func CheckTopic(name string) error {
	if topicName.MatchString(name) {
		return nil
	}
	return errors.New("must be a full name on ROS 1: / and a letter, then letters, digits and _, as in /cyan1/odom")
}

func checkTopic(name string) error {
	if name == "" {
		return nil // the rule for required keys reports an empty name
	}
	return violation("topic", name, CheckTopic(name))
}

var fieldName = regexp.MustCompile(
	`^[A-Za-z][A-Za-z0-9_]*(\[[0-9]{1,6}\])?(\.[A-Za-z][A-Za-z0-9_]*(\[[0-9]{1,6}\])?)*$`)

func checkField(name string) error {
	if name == "" || fieldName.MatchString(name) {
		return nil
	}
	return &schema.Violation{Key: "field", Value: name, Rule: "must be names of fields with dots between them, as in " +
		"pose.pose.position.x or data[0]"}
}

// noMessageYet describes a topic on which no message has arrived yet.
func noMessageYet(topic string) string { return "no message has arrived on " + topic }

// Topics lists the topics that a condition names. This includes the topics named inside any, all and not.
func (c *Choice) Topics() (names []string) {
	switch {
	case c == nil:
	case c.TopicValue != nil:
		names = append(names, c.TopicValue.Topic)
	case c.TopicRate != nil:
		names = append(names, c.TopicRate.Topic)
	case c.TopicDelay != nil:
		names = append(names, c.TopicDelay.Topic)
	case c.TopicError != nil:
		names = append(names, c.TopicError.Topic)
	case c.Not != nil:
		names = c.Not.Choice.Topics()
	}
	if c != nil {
		for _, list := range [][]Choice{c.All, c.Any} {
			for i := range list {
				names = append(names, list[i].Topics()...)
			}
		}
	}
	return names
}

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

// TopicRate holds while the rate at which messages arrive on a topic is within limits. The rate is the number of
// messages in a window of sim time that ends at the present, divided by the length of the window. The condition does
// not hold before a whole window has passed.
type TopicRate struct {
	Topic  string        `toml:"topic" required:"true" doc:"full name of the topic"`
	Over   *float64      `toml:"over_hz" range:"[0, 10000]" doc:"lower limit of the rate"`
	Under  *float64      `toml:"under_hz" range:"[0, 10000]" doc:"upper limit of the rate"`
	Window time.Duration `toml:"window_s" range:"[0, 60]" doc:"window of sim time over which messages are counted; 1 if left out. The condition does not hold until a first window has passed"`
}

func (c *TopicRate) Validate(World) error {
	return errors.Join(checkTopic(c.Topic), bounds(c.Over, c.Under, "over_hz", "under_hz"))
}

func (c *TopicRate) Bind(s State) (Test, error) {
	truth, window := s.Truth(), rateWindow(c.Window)
	lo, hi := limits(c.Over, c.Under)
	came := new(arrivals)
	s.Keep(came)
	err := s.Subscribe(c.Topic, nil, func(m *Message) {
		came.add(m.Arrived, window)
		came.ever = true
	})
	rate := func() float64 { return float64(came.since(truth.Time-window)) / window.Seconds() }
	return Test{
		func() bool {
			now := rate()
			return truth.Time >= window && now > lo && now < hi
		},
		func() string {
			if !came.ever {
				return noMessageYet(c.Topic)
			}
			return fmt.Sprintf("rate of %s %.3g Hz", c.Topic, rate())
		},
	}, err
}

func (c *TopicRate) String() string {
	return fmt.Sprintf("rate of %s%s", c.Topic, limitsText(c.Over, c.Under, "Hz"))
}

// arrivals records when messages arrived.
type arrivals struct {
	times
	ever bool
}

func (a *arrivals) Exchange(c *keyframe.Codec) {
	a.times.Exchange(c)
	c.Bool(&a.ever)
}

// TopicDelay holds while the newest messages of a topic arrive within a given time, in sim time, after the stamps of
// their headers.
type TopicDelay struct {
	Topic string        `toml:"topic" required:"true" doc:"full name of the topic; its messages must have headers"`
	Under time.Duration `toml:"under_s" required:"true" range:"(0, 60]" doc:"largest sim time from the stamp to the arrival"`
}

func (c *TopicDelay) Validate(World) error { return checkTopic(c.Topic) }

func (c *TopicDelay) Bind(s State) (Test, error) {
	last := new(delay)
	s.Keep(last)
	err := s.Subscribe(c.Topic, nil, func(m *Message) {
		longest := m.Arrived - m.Stamp
		if last.came && m.Arrived == last.arrived {
			longest = max(longest, last.longest)
		}
		*last = delay{true, m.Stamped, m.Arrived, longest}
	})
	return Test{func() bool { return last.came && last.stamped && last.longest < c.Under }, func() string {
		switch {
		case !last.came:
			return noMessageYet(c.Topic)
		case !last.stamped:
			return fmt.Sprintf("messages of %s have no header", c.Topic)
		}
		return fmt.Sprintf("delay of %s %.3f s", c.Topic, last.longest.Seconds())
	}}, err
}

func (c *TopicDelay) String() string {
	return fmt.Sprintf("delay of %s under %v s", c.Topic, c.Under.Seconds())
}

// delay is the largest delay among the messages that arrived at the latest time of arrival.
type delay struct {
	came, stamped    bool
	arrived, longest time.Duration
}

func (d *delay) Exchange(c *keyframe.Codec) {
	c.Bools(&d.came, &d.stamped)
	c.Duration(&d.arrived)
	c.Duration(&d.longest)
}
