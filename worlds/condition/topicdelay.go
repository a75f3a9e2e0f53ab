package condition

import (
	"fmt"
	"time"
)

// TopicDelay holds while the messages that came on a topic last are younger than a time: sim time when they came, less the stamps of their headers.
type TopicDelay struct {
	Topic string        `toml:"topic" required:"true" doc:"its whole name; its messages have headers"`
	Under time.Duration `toml:"under_s" required:"true" range:"(0, 60]" doc:"sim time from the stamp until it comes"`
}

func (c *TopicDelay) Validate(World) error { return checkTopic(c.Topic) }

func (c *TopicDelay) Bind(s State) (Test, error) {
	var last struct {
		came, stamped  bool
		arrived, delay time.Duration // the longest of those that came at that time
	}
	err := s.Subscribe(c.Topic, nil, func(m *Message) {
		delay := m.Arrived - m.Stamp
		if last.came && m.Arrived == last.arrived {
			delay = max(delay, last.delay)
		}
		last.came, last.stamped, last.arrived, last.delay = true, m.Stamped, m.Arrived, delay
	})
	return Test{func() bool { return last.came && last.stamped && last.delay < c.Under }, func() string {
		switch {
		case !last.came:
			return nothing(c.Topic)
		case !last.stamped:
			return fmt.Sprintf("messages of %s have no header", c.Topic)
		}
		return fmt.Sprintf("delay of %s %.3f s", c.Topic, last.delay.Seconds())
	}}, err
}

func (c *TopicDelay) String() string {
	return fmt.Sprintf("delay of %s under %v s", c.Topic, c.Under.Seconds())
}
