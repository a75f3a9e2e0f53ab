package web_test

import (
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/robotio/web"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestClock checks that the clock is sim time while the parameter /use_sim_time is true, and wall time before and
// after.
func TestClock(t *testing.T) {
	uri := webtest.Master(t)
	sim, node := webtest.Node(t, uri, "/sim"), webtest.Node(t, uri, "/web")
	ticks := make(chan msg.Time, 1000)
	c := web.NewClock(node, func(now msg.Time) { ticks <- now })
	defer c.Close()
	if now := c.Now(); c.Sim() || time.Since(time.Unix(int64(now.Sec), 0)).Abs() > time.Minute {
		t.Errorf("now = %v", now)
	}
	must.Do(t, sim.SetParam("/use_sim_time", true))
	clock := must.Get(ros1.Advertise[msg.Clock](sim, "/clock", "rosgraph_msgs/Clock",
		ros1.PubOptions{Latch: true}))(t)
	clock.Publish(&msg.Clock{Clock: msg.Time{Sec: 3, Nsec: 4}})
	webtest.Until(t, "sim time", func() bool { return c.Sim() && c.Now() == msg.Time{Sec: 3, Nsec: 4} })
	clock.Publish(&msg.Clock{Clock: msg.Time{Sec: 5}})
	webtest.Until(t, "a tick", func() bool { return len(ticks) > 0 && <-ticks == msg.Time{Sec: 5} })
	must.Do(t, sim.SetParam("/use_sim_time", false))
	webtest.Until(t, "wall time", func() bool { return !c.Sim() && c.Now().Sec > 1e9 })
}
