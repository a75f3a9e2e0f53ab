package wire

import "fmt"

// framesWithout is the number of frames after which a robot misses a topic that it needs: two seconds of a camera with
// 15 Hz. Until then, its publishers may still connect.
const framesWithout = 30

// OdometrySource says which part of a simulated robot publishes its odometry.
const OdometrySource = "profile standard, and a sensor of kind odometry"

// need is a topic without which the robot cannot play.
type need struct {
	topic, kind string
	source      string // what publishes it in a simulation
	heard       bool
}

// Need is Take for a topic without which the robot cannot play. source says what publishes it in a simulation. handle
// returns false for a message that lacks what the robot needs.
func Need[T any](r *Robot, topic, kind, source string, handle func(*T) bool) error {
	n := &need{topic: topic, kind: kind, source: source}
	r.needs = append(r.needs, n)
	return Take(r, topic, kind, func(m *T) {
		if handle(m) {
			r.Do(func() { n.heard = true })
		}
	})
}

// Frame counts a frame of the topic that makes the robot decide. After framesWithout frames, Frame reports a topic
// that has had no message.
func (r *Robot) Frame(topic string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.frames++; r.frames != framesWithout {
		return
	}
	for _, n := range r.needs {
		if !n.heard {
			r.Fail(fmt.Errorf("%s: no %s with the first %d frames of %s: the robot needs it; a simulation publishes it "+
				"with %s", n.topic, n.kind, framesWithout, topic, n.source))
			return
		}
	}
}

// Fail reports an error with which the robot cannot play.
func (r *Robot) Fail(err error) {
	if r.fail != nil {
		r.fail(fmt.Errorf("robot %s: %w", r.space, err))
	}
}
