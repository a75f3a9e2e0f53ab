package web

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
)

// Clock is ROS time: the time of /clock if the parameter /use_sim_time is true, else wall time.
type Clock struct {
	node *ros1.Node
	sim  atomic.Bool
	now  atomic.Uint64 // newest time of /clock: seconds in the upper half, nanoseconds in the lower
	tick func(msg.Time)
	done chan struct{}
	once sync.Once
	wait sync.WaitGroup
	sub  *ros1.Subscriber
}

// pollTime is the wall time between readings of the parameter; a guess.
const pollTime = time.Second

// NewClock returns the clock of a node's graph. It calls tick, which may be nil and must not block, with every sim
// time.
func NewClock(n *ros1.Node, tick func(msg.Time)) *Clock {
	c := &Clock{node: n, tick: tick, done: make(chan struct{})}
	c.poll()
	c.wait.Go(func() {
		t := time.NewTicker(pollTime)
		defer t.Stop()
		for {
			select {
			case <-c.done:
				return
			case <-t.C:
				c.poll()
			}
		}
	})
	return c
}

// poll reads the parameter /use_sim_time, and subscribes to /clock if the parameter is true.
func (c *Clock) poll() {
	v, _ := c.node.GetParam("/use_sim_time")
	sim, _ := v.(bool)
	if sim && c.sub == nil {
		c.sub, _ = ros1.Subscribe(c.node, "/clock", "rosgraph_msgs/Clock", func(m *msg.Clock) {
			c.now.Store(uint64(m.Clock.Sec)<<32 | uint64(m.Clock.Nsec))
			if c.tick != nil && c.sim.Load() {
				c.tick(m.Clock)
			}
		}) // after a failure, the next poll tries again
	}
	c.sim.Store(sim)
}

// Sim reports whether ROS time is sim time.
func (c *Clock) Sim() bool { return c.sim.Load() }

// Now returns ROS time; sim time is 0 until the first message of /clock.
func (c *Clock) Now() msg.Time {
	if c.sim.Load() {
		v := c.now.Load()
		return msg.Time{Sec: uint32(v >> 32), Nsec: uint32(v)}
	}
	return WallTime(time.Now())
}

// Close stops the clock. Closing it again does nothing.
func (c *Clock) Close() {
	c.once.Do(func() {
		close(c.done)
		c.wait.Wait()
		if c.sub != nil {
			_ = c.sub.Close()
		}
	})
}

// WallTime converts a wall time to ROS time.
func WallTime(t time.Time) msg.Time { return msg.TimeFrom(time.Duration(t.UnixNano())) }
