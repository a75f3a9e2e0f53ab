package condition

import (
	"errors"
	"fmt"
	"time"

	"github.com/omnipitch/omnipitch/physics/keyframe"
)

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
