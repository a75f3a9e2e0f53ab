package condition

import (
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

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

// delay is the largest delay among the messages that arrived last, all at one time.
type delay struct {
	came, stamped    bool
	arrived, longest time.Duration
}

func (d *delay) Exchange(c *keyframe.Codec) {
	c.Bools(&d.came, &d.stamped)
	c.Duration(&d.arrived)
	c.Duration(&d.longest)
}
