package wire

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// Numbers of messages of one topic after which a robot misses others that it needs: two seconds of a camera with 15 Hz,
// and five of a sensor with 100 Hz. Until then, their publishers may still connect.
const (
	Frames   = 30
	Readings = 500
)

// OdometrySource says which part of a simulated robot publishes its odometry.
const OdometrySource = "profile standard, and a sensor of kind odometry"

// need is a topic without which the robot cannot play.
type need struct {
	topic, kind string
	source      string // what publishes it in a simulation
	count       atomic.Int64
	heard       atomic.Bool // a message had what the robot needs
}

// Need is Take for a topic without which the robot cannot play. source says what publishes it in a simulation. After
// within messages, the robot fails if it still misses another such topic. handle returns false for a message that lacks
// what the robot needs.
func Need[T any](r *Robot, topic, kind, source string, within int, handle func(*T) bool) error {
	n := &need{topic: topic, kind: kind, source: source}
	r.Do(func() { r.needs = append(r.needs, n) })
	return Take(r, topic, kind, func(m *T) {
		if n.count.Add(1) == int64(within) {
			r.miss(topic, within)
		}
		if handle(m) {
			n.heard.Store(true)
		}
	})
}

// miss reports all topics that have had no message with what the robot needs, after a number of messages of a topic.
func (r *Robot) miss(topic string, within int) {
	var all []error
	r.Do(func() {
		for _, n := range r.needs {
			if !n.heard.Load() && n.topic != topic {
				all = append(all, fmt.Errorf("%s: no usable %s with the first %d messages of %s: the robot needs it; "+
					"a simulation publishes it with %s", n.topic, n.kind, within, topic, n.source))
			}
		}
	})
	if len(all) > 0 {
		r.Fail(errors.Join(all...))
	}
}

// Fail reports an error with which the robot cannot play.
func (r *Robot) Fail(err error) {
	if r.fail != nil {
		r.fail(fmt.Errorf("robot %s: %w", r.space, err))
	}
}
