package wire_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros2"
	"github.com/omnipitch/omnipitch/robotio/wire"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// The clock is sent with every step, so sending it must not make garbage.
func TestSendMakesNoGarbage(t *testing.T) {
	c := must.Get(ros2.Open(ros2.Config{Domain: must.Domain(t), Range: ros2.Off}))(t)
	t.Cleanup(func() { c.Close() })
	n := must.Get(c.NewNode("/n"))(t)
	for _, latch := range []bool{false, true} {
		p := must.Get(wire.Advertise[msg.Clock](n, map[bool]string{false: "/a", true: "/b"}[latch],
			"rosgraph_msgs/Clock", wire.PubOptions{Queue: 1, Latch: latch}))(t)
		if got := testing.AllocsPerRun(1000, func() { p.Send(&msg.Clock{}) }); !(got < 1) {
			t.Errorf("latch %v: %v allocations for each message", latch, got)
		}
	}
}
