package rtps

import (
	"fmt"
	"time"
)

// QoS is what a writer offers, or what a reader asks for. The zero value is best effort and volatile.
type QoS struct {
	Reliable       bool
	TransientLocal bool // the writer keeps samples for readers that come later
	// Depth is how many samples a writer keeps for readers that have not received them, and how many a reader keeps for
	// its callback. 0 means 10, as in ROS.
	Depth    int
	Lifespan time.Duration // age at which the writer drops a sample; 0: never
	Deadline time.Duration // longest interval between samples, only for matching; 0: infinite
}

const (
	defaultDepth = 10 // rmw_qos_profile_default
	maxDepth     = 10_000
)

func (q QoS) validate() error {
	switch {
	case q.Depth < 0 || q.Depth > maxDepth:
		return fmt.Errorf("qos.depth = %d: must lie in [0, %d]", q.Depth, maxDepth)
	case q.Lifespan < 0:
		return fmt.Errorf("qos.lifespan = %v: must not be negative", q.Lifespan)
	case q.Deadline < 0:
		return fmt.Errorf("qos.deadline = %v: must not be negative", q.Deadline)
	}
	return nil
}

// satisfies reports whether a writer that offers q fits a reader that asks for r.
func (q QoS) satisfies(r QoS) bool {
	return (q.Reliable || !r.Reliable) && (q.TransientLocal || !r.TransientLocal) &&
		(r.Deadline == 0 || q.Deadline != 0 && q.Deadline <= r.Deadline)
}
